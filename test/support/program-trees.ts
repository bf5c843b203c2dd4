import fc from 'fast-check';
import type { PointerType } from '../../src/programs/corpus-args.ts';
import type { ArgRule, KindRule } from '../../src/programs/grammar.ts';
import { grammar, stepKinds } from '../../src/programs/grammar.ts';
import type { TargetTable } from '../../src/programs/targets.ts';
import type { Argument, Node } from '../../src/programs/tree.ts';
import { isNode } from '../../src/programs/tree.ts';

// Programs generated from the language's tables, so that every kind and argument is covered.

/** Records that a program may refer to; points with their types. */
export interface OwnedRecords {
  readonly ids: Readonly<Record<Exclude<TargetTable, 'points'>, readonly number[]>>;
  readonly points: readonly { readonly id: number; readonly pointer_type: PointerType }[];
}

/** The fields of a sequence that contain its program. */
export interface Program {
  readonly args: { readonly locals: Node };
  readonly body: readonly Node[];
}

const excludedRules = ['never stored', 'only as default'];
const labels = ['place', 'amount', 'Wohin?', '__proto__', 'constructor', ''];

const text = fc.string({ unit: 'grapheme', maxLength: 25 });
const wholeNumber = (max = Number.MAX_SAFE_INTEGER) =>
  fc.oneof(
    fc.integer({ min: -1000, max: 1000 }),
    fc.maxSafeInteger().filter((n) => n <= max),
  );
// JSON has no -0.
const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);

/** Generates nodes that may refer to these records and to these variables with defaults. */
class Nodes {
  readonly #own: OwnedRecords;
  readonly #variables: readonly string[];

  constructor(own: OwnedRecords, variables: readonly string[]) {
    this.#own = own;
    this.#variables = variables;
  }

  /** The ids of a table; of one type of points if the other argument names it. */
  #ids(target: TargetTable, type?: string): readonly number[] {
    if (target !== 'points') return this.#own.ids[target];
    const ofType = this.#own.points.filter(({ pointer_type }) => !type || type === 'Point' || type === pointer_type);
    return ofType.map(({ id }) => id);
  }

  #canGenerate(kind: string, asDefault: boolean): boolean {
    const rule = grammar.get(kind);
    if (!rule) return false;
    if (rule.row.rule && excludedRules.includes(rule.row.rule)) return asDefault && rule.row.rule === 'only as default';
    if (kind === 'identifier') return this.#variables.length > 0;
    return [...rule.args.values()].every(
      ({ row }) => typeof row.record !== 'string' || this.#ids(row.record).length > 0,
    );
  }

  #argument(arg: ArgRule): fc.Arbitrary<Argument> {
    const { row, enumName, values, kinds, plain, allowedTexts } = arg;
    const { record } = row;
    if (typeof record === 'string') return fc.constantFrom(...this.#ids(record));
    if (allowedTexts && kinds.size === 0) return fc.constantFrom(...([...allowedTexts] as string[]));
    const choices: fc.Arbitrary<Argument>[] = [];
    if (enumName) choices.push(fc.constantFrom(...([...values] as (string | number)[])));
    if (allowedTexts) choices.push(fc.constantFrom(...([...allowedTexts] as string[])));
    else if (plain.has('string')) choices.push(row.length ? text.filter((each) => each !== '') : text);
    if (plain.has('float')) choices.push(number);
    else if (plain.has('integer')) choices.push(wholeNumber(row.max));
    if (plain.has('boolean')) choices.push(fc.boolean());
    for (const kind of kinds) if (this.#canGenerate(kind, arg.name === 'default_value')) choices.push(this.node(kind));
    return fc.oneof(...choices);
  }

  /** Types that have records or need none, each with an id. */
  #typed(
    arg: ArgRule,
    typeArg: ArgRule,
    targets: Readonly<Record<string, TargetTable>>,
  ): fc.Arbitrary<[string, number]> {
    const pairs = [...typeArg.values].map(String).flatMap((type): fc.Arbitrary<[string, number]>[] => {
      const target = targets[type];
      if (!target)
        return [
          fc.tuple(
            fc.constant(type),
            wholeNumber().filter((id) => !arg.row.pick || id !== 0),
          ),
        ];
      const ids = this.#ids(target, type);
      return ids.length === 0 ? [] : [fc.tuple(fc.constant(type), fc.constantFrom(...ids))];
    });
    return fc.oneof(...pairs);
  }

  #args(rule: KindRule): fc.Arbitrary<Record<string, Argument>> {
    const plain: Record<string, fc.Arbitrary<Argument>> = {};
    for (const [name, arg] of rule.args) if (typeof arg.row.record !== 'object') plain[name] = this.#argument(arg);
    if (rule.kind === 'identifier') plain.label = fc.constantFrom(...this.#variables);
    let args: fc.Arbitrary<Record<string, Argument>> = fc.record(plain);
    for (const arg of rule.typedIdArgs) {
      const { record } = arg.row;
      const typeArg = typeof record === 'object' ? rule.args.get(record.arg) : undefined;
      if (typeof record !== 'object' || !typeArg) continue;
      const typed = this.#typed(arg, typeArg, record.targets);
      args = fc.tuple(args, typed).map(([rest, [type, id]]) => ({ ...rest, [record.arg]: type, [arg.name]: id }));
    }
    if (rule.row.rule !== 'no analog light') return args;
    return args.map((generated) => {
      const pin = generated.pin_number;
      const isLight = isNode(pin) && pin.kind === 'named_pin' && String(pin.args.pin_type).startsWith('BoxLed');
      return isLight ? { ...generated, pin_mode: 0 } : generated;
    });
  }

  node(kind: string): fc.Arbitrary<Node> {
    const rule = grammar.get(kind);
    if (!rule) throw new Error(`unknown kind ${kind}`);
    const kinds = [...rule.body].filter((child) => this.#canGenerate(child, false));
    const body =
      kinds.length === 0
        ? fc.constant([])
        : fc.array(fc.oneof(...kinds.map((child) => this.node(child))), { maxLength: 3 });
    const comment = fc.option(text, { nil: undefined, freq: 5 });
    return fc.tuple(this.#args(rule), body, comment).map(([args, children, comment]) => ({
      kind,
      args,
      ...(children.length > 0 && { body: children }),
      ...(comment !== undefined && { comment }),
    }));
  }

  get steps(): fc.Arbitrary<Node[]> {
    const kinds = stepKinds.filter((kind) => this.#canGenerate(kind, false));
    return fc.array(fc.oneof(...kinds.map((kind) => this.node(kind))), { maxLength: 12 });
  }
}

const declarations = (own: OwnedRecords): fc.Arbitrary<Node[]> => {
  const nodes = new Nodes(own, []);
  const generated = fc.oneof(nodes.node('parameter_declaration'), nodes.node('variable_declaration'));
  const labelled = fc
    .tuple(generated, fc.constantFrom(...labels))
    .map(([node, label]): Node => ({ ...node, args: { ...node.args, label } }));
  return fc.array(labelled, { maxLength: 4 });
};

/** Labels whose first declaration has a default; they may be used wherever variables may. */
function parameters(declared: readonly Node[]): string[] {
  const kinds = new Map<string, string>();
  for (const { kind, args } of declared) {
    const label = String(args.label);
    if (!kinds.has(label)) kinds.set(label, kind);
  }
  return [...kinds].filter(([, kind]) => kind === 'parameter_declaration').map(([label]) => label);
}

/** Valid programs, as they are stored. */
export const programs = (own: OwnedRecords): fc.Arbitrary<Program> =>
  declarations(own).chain((declared) =>
    new Nodes(own, parameters(declared)).steps.map((body) => ({
      args: { locals: { kind: 'scope_declaration', args: {}, ...(declared.length > 0 && { body: declared }) } },
      body,
    })),
  );

/** Returns all nodes of a program, breadth first. */
export function nodesOf({ args, body }: Program): Node[] {
  const nodes = [args.locals, ...body];
  for (const node of nodes) {
    for (const value of Object.values(node.args)) if (isNode(value)) nodes.push(value);
    nodes.push(...(node.body ?? []));
  }
  return nodes;
}

/** Returns the program with one node replaced. */
export function withNode(program: Program, old: Node, replacement: object): Program {
  const replaced = (value: unknown): unknown => {
    if (value === old) return replacement;
    if (Array.isArray(value)) return value.map(replaced);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, replaced(inner)]));
  };
  return replaced(program) as Program;
}

/** Adds clients' additions at every level: their own ids, empty bodies, unknown keys. */
export function withClientAdditions({ args, body }: Program): Program {
  const withAdditions = (node: Node): Node => {
    const entries = Object.entries(node.args).map(([name, value]) => [
      name,
      isNode(value) ? withAdditions(value) : value,
    ]);
    const extra = { uuid: '7e0d5a1c-0000-4000-8000-000000000000', id: 12, created_at: null };
    return {
      ...extra,
      ...node,
      args: Object.fromEntries(entries) as Node['args'],
      body: (node.body ?? []).map(withAdditions),
    };
  };
  return { args: { locals: withAdditions(args.locals) }, body: body.map(withAdditions) };
}

/** A program with one error, and its description. */
export interface InvalidProgram {
  readonly change: string;
  readonly program: Program;
}

/** Returns all ways to make one node invalid. `foreignId` is not an id of the account. */
function invalidVariants(program: Program, node: Node, foreignId: number): InvalidProgram[] {
  const rule = grammar.get(node.kind);
  const all: InvalidProgram[] = [];
  const add = (what: string, replacement: object): void => {
    all.push({ change: `${node.kind}: ${what}`, program: withNode(program, node, replacement) });
  };
  for (const [name, arg] of rule?.args ?? []) {
    const { [name]: value, ...rest } = node.args;
    add(`without ${name}`, { ...node, args: rest });
    for (const wrong of [null, [], {}, { kind: 'sequence', args: {} }, { kind: 'frobnicate', args: {} }])
      add(`${name} is ${JSON.stringify(wrong)}`, { ...node, args: { ...rest, [name]: wrong } });
    const { record } = arg.row;
    const type = typeof record === 'object' ? String(node.args[record.arg]) : '';
    const isOwned = typeof record === 'string' || (typeof record === 'object' && Object.hasOwn(record.targets, type));
    if (isOwned && typeof value === 'number')
      for (const id of [foreignId, 0, -1, 2 ** 53, 1e300])
        add(`${name} is ${id}`, { ...node, args: { ...rest, [name]: id } });
  }
  for (const name of ['more', 'constructor']) add(`with ${name}`, { ...node, args: { ...node.args, [name]: 1 } });
  const body = node.body ?? [];
  for (const wrong of [{ kind: 'coordinate', args: {} }, { kind: 'frobnicate', args: {} }, { kind: 'sync' }, 5])
    add(`holds ${JSON.stringify(wrong)}`, { ...node, body: [...body, wrong] });
  add('body is an object', { ...node, body: {} });
  add('comment is a number', { ...node, comment: 5 });
  return all;
}

/** Programs that must be rejected: valid ones with one error. */
export const invalidPrograms = (own: OwnedRecords, foreignId: number): fc.Arbitrary<InvalidProgram> =>
  programs(own).chain((program) =>
    fc.constantFrom(...nodesOf(program)).chain((node) => fc.constantFrom(...invalidVariants(program, node, foreignId))),
  );
