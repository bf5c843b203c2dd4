import { isObject } from '../core/json.ts';
import { sanitizeText } from '../db/codec.ts';
import { languageVersion } from './corpus-args.ts';
import type { Problem } from './problem.ts';
import { kindName, maxProblems, Place, problem, rootPlace } from './problem.ts';

/** Something in the place of an argument that is neither a plain value nor a node. Never stored: the checker refuses it. */
export interface InvalidNode {
  readonly kind?: undefined;
  /** What it is, for a sentence. */
  readonly given: string;
}

/** The value of an argument. */
export type Argument = string | number | boolean | null | Node | InvalidNode;

/** A node as it is stored: nothing in it but these keys, no empty body. [reference 3] */
export interface Node {
  readonly kind: string;
  readonly args: Readonly<Record<string, Argument>>;
  readonly body?: readonly Node[];
  readonly comment?: string;
}

/** A program that was read, not yet checked. */
export interface Tree {
  readonly root: Node;
  /** Problems of its structure. Elements of bodies that are no nodes are not in the tree. */
  readonly problems: readonly Problem[];
  /** Where children stood before such elements were left out. */
  readonly positions: ReadonlyMap<Node, readonly number[]>;
}

/** Levels of nodes. A body over HTTP never has more than half of it. [reference 2.7] */
export const maxDepth = 100;

/** Nodes of one program, and arguments of all of them: a thousand steps of four nodes. Whoever asks last waits for all of them, so storing it takes ten milliseconds at most. */
export const maxNodes = 4000;
export const maxArguments = 20_000;
/** Characters of all texts, names and kinds of one program together: twice what four thousand nodes without long texts have. They cost time wherever a program goes, from parsing to the database. */
export const maxTotalLength = 256 * 1024;

/** Arguments of one node that are looked at. No kind has more than a handful, so a node with so many is refused anyway. */
const mostOfOne = 32;

export const isNode = (value: Argument | undefined): value is Node =>
  typeof value === 'object' && value !== null && value.kind !== undefined;

type Writable = { -readonly [K in keyof Node]: Node[K] };
interface Raw {
  readonly kind: string;
  readonly args: Record<string, unknown>;
  readonly body?: readonly unknown[] | null;
  readonly comment?: string | null;
}

/** What keeps an object from being a node; null if nothing does. [reference 2.1] */
function flaw(value: Record<string, unknown>): string | null {
  if (typeof value.kind !== 'string') return 'an object whose `kind` is no text';
  if (!isObject(value.args)) return 'an object whose `args` are no object';
  if (value.body !== undefined && value.body !== null && !Array.isArray(value.body))
    return 'an object whose `body` is no list';
  if (value.comment !== undefined && value.comment !== null && typeof value.comment !== 'string')
    return 'an object whose `comment` is no text';
  return null;
}

const isRaw = (value: unknown): value is Raw => isObject(value) && flaw(value) === null;
const whatIs = (value: unknown): string => {
  if (Array.isArray(value)) return 'a list';
  if (isObject(value)) return flaw(value) ?? 'a node';
  return value === null ? 'null' : `a ${typeof value === 'string' ? 'text' : typeof value}`;
};

/** Reads a program level by level: no depth can overflow anything, and it ends early where there is too much. */
class Reader {
  readonly broken: Problem[] = [];
  readonly positions = new Map<Node, number[]>();
  readonly #keepsBlankComments: boolean;
  readonly #open: { raw: Raw; node: Writable; place: Place; depth: number }[] = [];
  #arguments = 0;
  #characters = 0;
  #isOver = false;

  constructor(keepsBlankComments: boolean) {
    this.#keepsBlankComments = keepsBlankComments;
  }

  read(raw: Raw): Node {
    const root = this.#begin(raw, rootPlace(raw.kind), 0);
    for (let i = 0; i < this.#open.length && !this.#isOver; i++) {
      const next = this.#open[i];
      if (!next) break;
      this.#readArgs(next.raw, next.node, next.place, next.depth);
      this.#readBody(next.raw, next.node, next.place, next.depth);
      if (next.raw.comment != null && (this.#keepsBlankComments || next.raw.comment.trim() !== ''))
        next.node.comment = this.#text(next.raw.comment);
    }
    return root;
  }

  #begin(raw: Raw, place: Place, depth: number): Node {
    const node: Writable = { kind: this.#text(raw.kind), args: {} };
    this.#open.push({ raw, node, place, depth });
    if (depth > maxDepth) this.#end(place, 'too_deep', `Nodes are nested more than ${maxDepth} levels deep.`);
    else if (this.#open.length > maxNodes) this.#endTooLarge('nodes', maxNodes);
    return node;
  }

  #readArgs(raw: Raw, node: Writable, place: Place, depth: number): void {
    const args: Record<string, Argument> = {};
    const names = Object.keys(raw.args);
    this.#arguments += names.length;
    if (this.#arguments > maxArguments) this.#endTooLarge('arguments', maxArguments);
    for (let i = 0; i < names.length && i < mostOfOne && !this.#isOver; i++) {
      const name = names[i] ?? '';
      this.#count(name);
      const value = this.#argument(raw.args[name], name, place, depth);
      if (name !== '__proto__') args[name] = value;
      else Object.defineProperty(args, name, { value, enumerable: true });
    }
    node.args = args;
  }

  #text(text: string): string {
    this.#count(text);
    return sanitizeText(text);
  }

  #count(text: string): void {
    this.#characters += text.length;
    if (this.#characters > maxTotalLength) this.#endTooLarge('characters of text', maxTotalLength);
  }

  #argument(value: unknown, name: string, place: Place, depth: number): Argument {
    if (typeof value === 'string') return this.#text(value);
    if (typeof value === 'number' || typeof value === 'boolean' || value === null) return value;
    return isRaw(value) ? this.#begin(value, new Place(place, name), depth + 1) : { given: whatIs(value) };
  }

  #readBody(raw: Raw, node: Writable, place: Place, depth: number): void {
    if (!raw.body || raw.body.length === 0) return;
    const body: Node[] = [];
    const positions: number[] = [];
    if (this.#open.length + raw.body.length > maxNodes) this.#endTooLarge('nodes', maxNodes);
    for (let i = 0; i < raw.body.length && !this.#isOver; i++) {
      const child = raw.body[i];
      if (!isRaw(child)) this.#refuse(child, raw, place, i);
      else {
        body.push(this.#begin(child, new Place(place, i), depth + 1));
        positions.push(i);
      }
    }
    if (body.length > 0) node.body = body;
    if (body.length < raw.body.length) this.positions.set(node, positions);
  }

  /** What is no object at all in the list of steps is a wrong field, everywhere else it is broken structure. [reference 2.3, 10] */
  #refuse(child: unknown, parent: Raw, place: Place, index: number): void {
    const isField = place.parent === null && !isObject(child);
    const here = new Place(place, index);
    const sentence = `The body of ${kindName(parent.kind)} must hold nodes (objects with \`kind\` and \`args\`), not ${whatIs(child)}.`;
    this.#add(problem(isField ? 'language' : 'structure', 'no_node', here, sentence));
  }

  #add(found: Problem): void {
    this.broken.push(found);
    if (this.broken.length >= maxProblems) this.#isOver = true;
  }

  #endTooLarge(what: string, most: number): void {
    this.#end(rootPlace(''), 'too_large', `A program has at most ${most} ${what}.`);
  }

  #end(place: Place, code: 'too_deep' | 'too_large', sentence: string): void {
    if (this.#isOver) return;
    this.#add(problem('structure', code, place, sentence));
    this.#isOver = true;
  }
}

function readTree(root: Raw, keepsBlankComments: boolean): Tree {
  const reader = new Reader(keepsBlankComments);
  return { root: reader.read(root), problems: reader.broken, positions: reader.positions };
}

const emptyScope = { kind: 'scope_declaration', args: {} };

/** The arguments of a sequence, whatever was sent: this version, and the locals if there are any. [reference 3] */
const sequenceArgs = (args: Readonly<Record<string, unknown>> | null | undefined): Record<string, unknown> => ({
  version: languageVersion,
  locals: args?.locals ?? emptyScope,
});

/** A sequence from its fields `args` and `body`. [reference 2.2] */
export const sequenceTree = (
  args: Readonly<Record<string, unknown>> | null | undefined,
  body: readonly unknown[],
): Tree => readTree({ kind: 'sequence', args: sequenceArgs(args), body }, true);

/** The same for a published version, which keeps no blank comments. [reference 3] */
export const versionTree = (
  args: Readonly<Record<string, unknown>> | null | undefined,
  body: readonly unknown[],
): Tree => readTree({ kind: 'sequence', args: sequenceArgs(args), body }, false);

/** The field `body` of a regimen. */
export const regimenTree = (body: readonly unknown[]): Tree =>
  readTree({ kind: 'internal_regimen', args: {}, body }, false);

/** The field `body` of a farm event. */
export const farmEventTree = (body: readonly unknown[]): Tree =>
  readTree({ kind: 'internal_farm_event', args: {}, body }, false);

/** What is stored of a sequence: the body is there even when it is empty. [reference 3] */
export function sequenceFields(root: Node): { args: { version: number; locals: Node }; body: readonly Node[] } {
  const { locals } = root.args;
  return {
    args: { version: languageVersion, locals: isNode(locals) ? locals : { kind: 'scope_declaration', args: {} } },
    body: bodyOf(root),
  };
}

/** The body of a node, which is stored even when it is empty only for roots. */
export const bodyOf = (node: Node): readonly Node[] => node.body ?? [];
