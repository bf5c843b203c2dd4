import { capitalized } from '../core/capital-letters.ts';
import type { NodeKind, NodeRow, Step } from './corpus.ts';
import { nodes } from './corpus.ts';
import type { ArgName, ArgRow, EnumName } from './corpus-args.ts';
import { args, enums, valueNames } from './corpus-args.ts';

/** Maximum length of a text argument, in code points of its JSON including quotes and escapes. [rule P14] */
export const maxTextLength = 3000;

/** Maximum length of a comment in a sequence, in code points. [rule P15] */
export const maxCommentLength = 240;

/** An argument's row with lookup tables. */
export interface ArgRule {
  readonly name: ArgName;
  readonly row: ArgRow;
  /** Names of all accepted types, lists and kinds, in published order. */
  readonly takes: readonly string[];
  readonly plain: ReadonlySet<string>;
  /** The accepted list of values, if there is one. */
  readonly enumName: EnumName | null;
  readonly values: ReadonlySet<unknown>;
  /** Accepted kinds of nodes. */
  readonly kinds: ReadonlySet<string>;
  /** The values that texts are limited to. */
  readonly allowedTexts: ReadonlySet<unknown> | null;
}

/** A kind's row with lookup tables. */
export interface KindRule {
  readonly kind: NodeKind;
  readonly row: NodeRow;
  /** In published order. */
  readonly args: ReadonlyMap<string, ArgRule>;
  /** The arguments that are ids whose table depends on another argument. */
  readonly typedIdArgs: readonly ArgRule[];
  /** The kinds allowed in the body, in published order. */
  readonly body: ReadonlySet<string>;
}

const words = (text: string): string[] => text.split(' ').filter((word) => word !== '');

const rowsOfNodes = Object.entries<NodeRow>(nodes) as [NodeKind, NodeRow][];
const rowsOfArgs = Object.entries<ArgRow>(args) as [ArgName, ArgRow][];

/** The kinds allowed in the body of a sequence, in published order. [rule P2] */
export const stepKinds: readonly Step[] = rowsOfNodes
  .filter(([, { step }]) => step !== undefined)
  .sort(([, a], [, b]) => (a.step ?? 0) - (b.step ?? 0))
  .map(([kind]) => kind as Step);

/** Returns a kind's name in the list of allowed values: `If` for `_if`, `RpcOk` for `rpc_ok`. */
export const camelCase = (kind: string): string => kind.split('_').map(capitalized).join('');

const isListed = (kind: NodeKind): boolean => !(nodes[kind] as NodeRow).unlisted;
const usersOf = (arg: string): [NodeKind, NodeRow][] => rowsOfNodes.filter(([, row]) => words(row.args).includes(arg));

/** An argument that only unlisted kinds have is unlisted too. [decision 7] */
const argIsListed = ([arg]: [ArgName, ArgRow]): boolean =>
  usersOf(arg).length === 0 || usersOf(arg).some(([kind]) => isListed(kind));

/** Kinds and arguments that `GET /api/corpus` shows, in its order. */
export const listedKinds: readonly NodeKind[] = rowsOfNodes.map(([kind]) => kind).filter(isListed);
export const listedArgs: readonly ArgName[] = rowsOfArgs.filter(argIsListed).map(([arg]) => arg);

/** The lists of allowed values that `GET /api/corpus` shows, in its order. */
export const listedEnums: readonly EnumName[] = (Object.keys(enums) as EnumName[]).filter((name) => {
  const takers = rowsOfArgs.filter(([, { takes }]) => words(takes).includes(name));
  return takers.length === 0 || takers.some(argIsListed);
});

/** Returns the values of a list, in published order; derived lists have only listed names. */
export function valuesOf(name: EnumName): readonly (string | number)[] {
  switch (name) {
    case 'LegalSequenceKind':
      return stepKinds.filter(isListed).sort();
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

/** Returns whether a word names a kind of node. */
export const isKind = (word: string): word is NodeKind => grammar.has(word);

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

function kindRule([kind, row]: [NodeKind, NodeRow]): KindRule {
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
    body: new Set(row.body === 'steps' ? stepKinds : words(row.body ?? '')),
  };
}

/** All kinds of nodes by name, in published order. A Map, because clients may send names such as `constructor`. */
export const grammar: ReadonlyMap<string, KindRule> = new Map(rowsOfNodes.map((row) => [row[0], kindRule(row)]));
