import type { Kind, NodeRow, Step } from './corpus.ts';
import { nodes } from './corpus.ts';
import type { ArgName, ArgRow, EnumName } from './corpus-args.ts';
import { args, enums, valueNames } from './corpus-args.ts';

/** An argument, made ready for looking up. */
export interface ArgRule {
  readonly name: ArgName;
  readonly row: ArgRow;
  /** Names of all that it takes, in published order. */
  readonly takes: readonly string[];
  readonly plain: ReadonlySet<string>;
  /** The list of allowed values, if it takes one. */
  readonly enumName: EnumName | null;
  readonly values: ReadonlySet<unknown>;
  /** Kinds of nodes. */
  readonly kinds: ReadonlySet<string>;
  /** The list that its texts must be in. */
  readonly allowedTexts: ReadonlySet<unknown> | null;
}

/** A kind of node, made ready for looking up. */
export interface KindRule {
  readonly kind: Kind;
  readonly row: NodeRow;
  /** In published order. */
  readonly args: ReadonlyMap<string, ArgRule>;
  /** Those of them that are ids of which another one tells the table. */
  readonly typedIdArgs: readonly ArgRule[];
  /** Kinds that its body may hold, in published order. */
  readonly body: ReadonlySet<string>;
}

const words = (text: string): string[] => text.split(' ').filter((word) => word !== '');

const rowsOfNodes = Object.entries<NodeRow>(nodes) as [Kind, NodeRow][];
const rowsOfArgs = Object.entries<ArgRow>(args) as [ArgName, ArgRow][];

/** The kinds that a sequence holds, in published order. [reference 1.2] */
export const steps: readonly Step[] = rowsOfNodes
  .filter(([, { step }]) => step !== undefined)
  .sort(([, a], [, b]) => (a.step ?? 0) - (b.step ?? 0))
  .map(([kind]) => kind as Step);

/** Kinds, as the list of allowed values has them: `_if` is `If`, `rpc_ok` is `RpcOk`. */
const camelCase = (kind: string): string =>
  kind
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');

const isListed = (kind: Kind): boolean => !(nodes[kind] as NodeRow).unlisted;
const usersOf = (arg: string): [Kind, NodeRow][] => rowsOfNodes.filter(([, row]) => words(row.args).includes(arg));

/** What only unlisted kinds use is unlisted too. [decision 7] */
const argIsListed = ([arg]: [ArgName, ArgRow]): boolean =>
  usersOf(arg).length === 0 || usersOf(arg).some(([kind]) => isListed(kind));

/** Kinds and arguments that `GET /api/corpus` shows, in its order. */
export const listedKinds: readonly Kind[] = rowsOfNodes.map(([kind]) => kind).filter(isListed);
export const listedArgs: readonly ArgName[] = rowsOfArgs.filter(argIsListed).map(([arg]) => arg);

/** The same of the lists of allowed values. */
export const listedEnums: readonly EnumName[] = (Object.keys(enums) as EnumName[]).filter((name) => {
  const takers = rowsOfArgs.filter(([, { takes }]) => words(takes).includes(name));
  return takers.length === 0 || takers.some(argIsListed);
});

/** A list of allowed values, in published order; of those that follow from the tables, what is listed. */
export function valuesOf(name: EnumName): readonly (string | number)[] {
  switch (name) {
    case 'LegalSequenceKind':
      return steps.filter(isListed).sort();
    case 'LegalArgString':
      return listedArgs;
    case 'LegalKindString':
      return listedKinds.map(camelCase);
    default:
      return enums[name];
  }
}

const isPlain = (word: string): boolean => valueNames.some((name) => name === word);
const isEnum = (word: string): word is EnumName => Object.hasOwn(enums, word);

/** Whether a word names a kind of node. */
export const isKind = (word: string): word is Kind => grammar.has(word);

function argRule([name, row]: [ArgName, ArgRow]): ArgRule {
  const takes = words(row.takes);
  const enumName = takes.find(isEnum) ?? null;
  return {
    name,
    row,
    takes,
    plain: new Set(takes.filter(isPlain)),
    enumName,
    values: new Set(enumName ? valuesOf(enumName) : []),
    kinds: new Set(takes.filter((word) => !isPlain(word) && !isEnum(word))),
    allowedTexts: row.allowedList ? new Set(valuesOf(row.allowedList)) : null,
  };
}

/** All arguments by name, in published order. */
export const argRules: ReadonlyMap<string, ArgRule> = new Map(rowsOfArgs.map((row) => [row[0], argRule(row)]));

function kindRule([kind, row]: [Kind, NodeRow]): KindRule {
  const own = words(row.args).map((name): [string, ArgRule] => {
    const rule = argRules.get(name);
    if (!rule) throw new Error(`The node ${kind} has an argument ${name} that is not in the table.`);
    return [name, rule];
  });
  return {
    kind,
    row,
    args: new Map(own),
    typedIdArgs: own.map(([, rule]) => rule).filter((rule) => typeof rule.row.record === 'object'),
    body: new Set(row.body === 'steps' ? steps : words(row.body ?? '')),
  };
}

/** All kinds of nodes by name, in published order. A Map: names that clients send are nothing but names. */
export const grammar: ReadonlyMap<string, KindRule> = new Map(rowsOfNodes.map((row) => [row[0], kindRule(row)]));
