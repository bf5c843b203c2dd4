import { isObject } from '../core/json.ts';
import type { Message } from '../core/message.ts';
import { sanitizeText } from '../db/codec.ts';
import { say, sayOfValue } from './check-messages.ts';
import { languageVersion } from './corpus-args.ts';
import { kindName } from './node-names.ts';
import type { ProgramProblem } from './problem.ts';
import { maxProblems, Place, problem, rootPlace } from './problem.ts';

/** An argument that is neither a plain value nor a node. The checker rejects it, so it is never stored. */
export interface InvalidNode {
  readonly kind?: undefined;
  /** Its description for messages. */
  readonly given: Message;
}

/** The value of an argument. */
export type Argument = string | number | boolean | null | Node | InvalidNode;

/** A node as it is stored: only these keys, and no empty body. [rule P4, decision 56] */
export interface Node {
  readonly kind: string;
  readonly args: Readonly<Record<string, Argument>>;
  readonly body?: readonly Node[];
  readonly comment?: string;
}

/** A parsed program, not yet checked. */
export interface Tree {
  readonly root: Node;
  /** Problems of its structure. Invalid elements of bodies are left out of the tree. */
  readonly problems: readonly ProgramProblem[];
  /** The original indexes of children, where elements were left out. */
  readonly positions: ReadonlyMap<Node, readonly number[]>;
}

/** Maximum depth of nodes. A request body reaches at most half of it. [rule P16] */
export const maxDepth = 100;

/** Maximum number of nodes in a program, about a thousand steps; storing them blocks other requests for at most 10 ms. */
export const maxNodes = 4000;
/** Maximum number of arguments of all nodes in a program. */
const maxArguments = 20_000;
/** Maximum total length of all texts, names and kinds in a program, twice the length of 4000 nodes without long texts. */
export const maxTotalLength = 256 * 1024;

/** Maximum number of arguments that are read of one node. No kind has nearly as many, so the node is rejected anyway. */
const maxArgumentsPerNode = 32;

export const isNode = (value: Argument | undefined): value is Node =>
  typeof value === 'object' && value !== null && value.kind !== undefined;

type Writable = { -readonly [K in keyof Node]: Node[K] };
interface Raw {
  readonly kind: string;
  readonly args: Record<string, unknown>;
  readonly body?: readonly unknown[] | null;
  readonly comment?: string | null;
}

/** Describes an object that is not a node; null if it is one. [rule P3] */
function describeInvalidNode(value: Record<string, unknown>): Message | null {
  if (typeof value.kind !== 'string') return sayOfValue.noKind;
  if (!isObject(value.args)) return sayOfValue.noArgs;
  if (value.body !== undefined && value.body !== null && !Array.isArray(value.body)) return sayOfValue.noBody;
  if (value.comment !== undefined && value.comment !== null && typeof value.comment !== 'string')
    return sayOfValue.noComment;
  return null;
}

const isRaw = (value: unknown): value is Raw => isObject(value) && describeInvalidNode(value) === null;
function describeValue(value: unknown): Message {
  if (Array.isArray(value)) return sayOfValue.list;
  if (isObject(value)) return describeInvalidNode(value) ?? sayOfValue.node;
  if (typeof value === 'string') return sayOfValue.string;
  if (typeof value === 'number') return sayOfValue.number;
  return typeof value === 'boolean' ? sayOfValue.anyBoolean : sayOfValue.null;
}

/** Parses a program level by level, so that no depth overflows the stack, and stops at the limits. */
class Reader {
  readonly problems: ProgramProblem[] = [];
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
    if (depth > maxDepth) this.#end(place, 'too_deep', say.tooDeep(maxDepth));
    else if (this.#open.length > maxNodes) this.#endTooLarge(sayOfValue.nodes, maxNodes);
    return node;
  }

  #readArgs(raw: Raw, node: Writable, place: Place, depth: number): void {
    const args: Record<string, Argument> = {};
    const names = Object.keys(raw.args);
    this.#arguments += names.length;
    if (this.#arguments > maxArguments) this.#endTooLarge(sayOfValue.arguments, maxArguments);
    for (let i = 0; i < names.length && i < maxArgumentsPerNode && !this.#isOver; i++) {
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
    return this.#isOver ? '' : sanitizeText(text);
  }

  #count(text: string): void {
    this.#characters += text.length;
    if (this.#characters > maxTotalLength) this.#endTooLarge(sayOfValue.characters, maxTotalLength);
  }

  #argument(value: unknown, name: string, place: Place, depth: number): Argument {
    if (typeof value === 'string') return this.#text(value);
    if (typeof value === 'number' || typeof value === 'boolean' || value === null) return value;
    return isRaw(value) ? this.#begin(value, new Place(place, name), depth + 1) : { given: describeValue(value) };
  }

  #readBody(raw: Raw, node: Writable, place: Place, depth: number): void {
    if (!raw.body || raw.body.length === 0) return;
    const body: Node[] = [];
    const positions: number[] = [];
    if (this.#open.length + raw.body.length > maxNodes) this.#endTooLarge(sayOfValue.nodes, maxNodes);
    for (let i = 0; i < raw.body.length && !this.#isOver; i++) {
      const child = raw.body[i];
      if (!isRaw(child)) this.#reject(child, raw, place, i);
      else {
        body.push(this.#begin(child, new Place(place, i), depth + 1));
        positions.push(i);
      }
    }
    if (body.length > 0) node.body = body;
    if (body.length < raw.body.length) this.positions.set(node, positions);
  }

  /** Reports an invalid child: a step that is not an object is a wrong field, anything else is invalid structure. [rule P7] */
  #reject(child: unknown, parent: Raw, place: Place, index: number): void {
    const isField = place.parent === null && !isObject(child);
    const here = new Place(place, index);
    const sentence = say.noNode(kindName(parent.kind), describeValue(child));
    this.#add(problem(isField ? 'language' : 'structure', 'no_node', here, sentence));
  }

  #add(problem: ProgramProblem): void {
    this.problems.push(problem);
    if (this.problems.length >= maxProblems) this.#isOver = true;
  }

  #endTooLarge(what: Message, max: number): void {
    this.#end(rootPlace(''), 'too_large', say.tooLarge(max, what));
  }

  #end(place: Place, code: 'too_deep' | 'too_large', sentence: Message): void {
    if (this.#isOver) return;
    this.#add(problem('structure', code, place, sentence));
    this.#isOver = true;
  }
}

function readTree(root: Raw, keepsBlankComments: boolean): Tree {
  const reader = new Reader(keepsBlankComments);
  return { root: reader.read(root), problems: reader.problems, positions: reader.positions };
}

/** The priority that clients give to requests. */
const requestPriority = 600;

const emptyScope = { kind: 'scope_declaration', args: {} };

/** Returns the arguments of a sequence: the current version and the given locals, if any. [rule P1, P19] */
const sequenceArgs = (args: Readonly<Record<string, unknown>> | null | undefined): Record<string, unknown> => ({
  version: languageVersion,
  locals: args?.locals ?? emptyScope,
});

/** Parses the fields `args` and `body` of a sequence. [rule P5] */
export const sequenceTree = (
  args: Readonly<Record<string, unknown>> | null | undefined,
  body: readonly unknown[],
): Tree => readTree({ kind: 'sequence', args: sequenceArgs(args), body }, true);

/** Parses the program of a published version, without blank comments. [rule P20] */
export const versionTree = (
  args: Readonly<Record<string, unknown>> | null | undefined,
  body: readonly unknown[],
): Tree => readTree({ kind: 'sequence', args: sequenceArgs(args), body }, false);

/** Parses the field `body` of a regimen. [rule P5, P20] */
export const regimenTree = (body: readonly unknown[]): Tree =>
  readTree({ kind: 'internal_regimen', args: {}, body }, false);

/** Parses the field `body` of a farm event. [rule P5, P20] */
export const farmEventTree = (body: readonly unknown[]): Tree =>
  readTree({ kind: 'internal_farm_event', args: {}, body }, false);

/** Parses a request to a robot. */
export const requestTree = (label: string, body: readonly unknown[]): Tree =>
  readTree({ kind: 'rpc_request', args: { label, priority: requestPriority }, body }, false);

/** Returns the stored fields of a sequence; the body is never absent. [rule P19] */
export function sequenceFields(root: Node): { args: { version: number; locals: Node }; body: readonly Node[] } {
  const { locals } = root.args;
  return {
    args: { version: languageVersion, locals: isNode(locals) ? locals : { kind: 'scope_declaration', args: {} } },
    body: bodyOf(root),
  };
}

/** Returns the body of a node; empty if it has none. */
export const bodyOf = (node: Node): readonly Node[] => node.body ?? [];
