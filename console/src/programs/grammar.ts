import type { Schema } from '../data/schema.ts';
import { type Argument, createNode, entryOf, type ProgramNode } from './node.ts';

/** The command language as `GET /api/corpus` describes it. */
export interface Corpus {
  readonly enums: readonly { readonly name: string; readonly allowed_values: readonly (string | number)[] }[];
  readonly args: readonly {
    readonly name: string;
    readonly allowed_values: readonly { readonly tag: string; readonly name: string }[];
  }[];
  readonly nodes: readonly {
    readonly name: string;
    readonly allowed_args: readonly string[];
    readonly allowed_body_types: readonly string[];
    readonly tags: readonly string[];
    readonly docs: string;
  }[];
}

/** A value that an argument may have: a plain one, one of a list, or a node of a kind. */
export type Alternative =
  | { readonly type: 'text' | 'integer' | 'number' | 'boolean'; readonly schema: Schema }
  | { readonly type: 'choice'; readonly choices: readonly (string | number)[] }
  | { readonly type: 'node'; readonly kind: string };

/** The range of safe integers is not a limit worth showing. */
const hugeNumber = 1e12;
const plainTypes: Readonly<Record<string, 'text' | 'integer' | 'number' | 'boolean'>> = {
  string: 'text',
  integer: 'integer',
  float: 'number',
  boolean: 'boolean',
};
const schemaTypes = { text: 'string', integer: 'integer', number: 'number', boolean: 'boolean' } as const;

/** Values that new nodes begin with; the others begin with the first choice, zero or an empty text. */
const firstValues: Readonly<Record<string, Argument>> = {
  speed: 100,
  milliseconds: 1000,
  pin_value: 1,
  message_type: 'info',
  op: '<',
  axis: 'all',
  lhs: 'x',
  lua: '',
  label: '',
  variance: 10,
};

/** Kinds of nodes that arguments begin with where they may, the simplest first. */
const firstKinds = ['nothing', 'coordinate', 'named_pin', 'numeric', 'point'] as const;

/** Looks up the rules of the command language. */
export class Grammar {
  readonly #corpus: Corpus;
  readonly #schemas: Readonly<Record<string, Schema>>;

  /** `schemas`: the schemas of the API's description, which have the limits of values. */
  constructor(corpus: Corpus, schemas: Readonly<Record<string, Schema>>) {
    this.#corpus = corpus;
    this.#schemas = schemas;
  }

  #node(kind: string) {
    return this.#corpus.nodes.find(({ name }) => name === kind);
  }

  #schema(kind: string): Schema | undefined {
    const target = entryOf(this.#schemas.Node?.discriminator?.mapping ?? {}, kind);
    return target === undefined ? undefined : this.#schemas[target.replace(/^.*\//, '')];
  }

  /** The kinds that are steps, and may be stored in programs. */
  get steps(): readonly string[] {
    const storable = this.#schemas.Step?.discriminator?.mapping ?? {};
    return this.bodyKinds('sequence').filter((kind) => Object.hasOwn(storable, kind));
  }

  /** The kinds that a kind may have in its body. */
  bodyKinds(kind: string): readonly string[] {
    return this.#node(kind)?.allowed_body_types ?? [];
  }

  args(kind: string): readonly string[] {
    return this.#node(kind)?.allowed_args ?? [];
  }

  tags(kind: string): readonly string[] {
    return this.#node(kind)?.tags ?? [];
  }

  /** The server's description of a kind. */
  description(kind: string): string {
    return this.#schema(kind)?.description ?? this.#node(kind)?.docs ?? '';
  }

  /** The values of a list. */
  list(name: string): readonly (string | number)[] {
    return this.#corpus.enums.find((each) => each.name === name)?.allowed_values ?? [];
  }

  /** The values that an argument of a kind may have, in published order. */
  alternatives(kind: string, arg: string): readonly Alternative[] {
    const tags = this.#corpus.args.find(({ name }) => name === arg)?.allowed_values.map(({ tag }) => tag) ?? [];
    return tags.flatMap((tag): readonly Alternative[] => {
      const type = plainTypes[tag];
      if (type !== undefined) {
        // A number with a fraction includes whole ones.
        if (type === 'integer' && tags.includes('float')) return [];
        return [this.#plain(kind, arg, type)];
      }
      const list = this.#corpus.enums.find(({ name }) => name === tag);
      return [list ? { type: 'choice', choices: list.allowed_values } : { type: 'node', kind: tag }];
    });
  }

  #plain(kind: string, arg: string, type: keyof typeof schemaTypes): Alternative {
    const schema = this.#schema(kind)?.properties?.args?.properties?.[arg] ?? {};
    const own = schema.anyOf?.find((each) => each.type === schemaTypes[type]) ?? schema;
    return own.enum
      ? { type: 'choice', choices: own.enum.filter((each) => each !== null) }
      : { type, schema: withoutHugeLimits(own) };
  }

  /** A new node of a kind, with values to begin with. */
  newNode(kind: string): ProgramNode {
    const args = Object.fromEntries(this.args(kind).map((arg) => [arg, this.#firstValue(kind, arg)]));
    return createNode(kind, args, kind === 'move' ? [this.newNode('axis_overwrite')] : []);
  }

  #firstValue(kind: string, arg: string): Argument {
    if (arg === 'speed_setting') return createNode('numeric', { number: 100 });
    const alternatives = this.alternatives(kind, arg);
    const kinds = alternatives.flatMap((each) => (each.type === 'node' ? [each.kind] : []));
    const first = firstKinds.find((each) => kinds.includes(each)) ?? kinds[0];
    const plain = alternatives.find((each) => each.type !== 'node');
    if (first !== undefined && (plain === undefined || first === 'named_pin') && arg !== 'lhs')
      return this.newNode(first);
    return plain ? this.firstOf(plain, arg) : '';
  }

  /** The value that an alternative begins with. */
  firstOf(alternative: Alternative, arg: string): Argument {
    if (alternative.type === 'node') return this.newNode(alternative.kind);
    const wanted = firstValues[arg];
    if (alternative.type === 'choice')
      return wanted !== undefined && alternative.choices.some((choice) => choice === wanted)
        ? wanted
        : (alternative.choices[0] ?? '');
    if (alternative.type === 'text') return typeof wanted === 'string' ? wanted : '';
    if (alternative.type === 'boolean') return false;
    // The minimum of an id would be the id of a record that the user did not choose.
    if (arg.endsWith('_id')) return 0;
    return typeof wanted === 'number' ? wanted : Math.max(0, alternative.schema.minimum ?? 0);
  }
}

/** Whether a value is one of an alternative. */
export function isOf(alternative: Alternative, value: Argument | undefined): boolean {
  if (typeof value === 'object') return alternative.type === 'node' && alternative.kind === value.kind;
  if (alternative.type === 'choice') return alternative.choices.some((choice) => choice === value);
  if (alternative.type === 'node') return false;
  return (
    typeof value === (alternative.type === 'text' ? 'string' : alternative.type === 'boolean' ? 'boolean' : 'number')
  );
}

function withoutHugeLimits({ minimum, maximum, ...schema }: Schema): Schema {
  return {
    ...schema,
    ...(minimum !== undefined && minimum > -hugeNumber ? { minimum } : {}),
    ...(maximum !== undefined && maximum < hugeNumber ? { maximum } : {}),
  };
}
