/** The value of an argument. */
export type Argument = string | number | boolean | ProgramNode;

/** A node of the command language, whatever its kind. */
export interface ProgramNode {
  readonly kind: string;
  readonly args: Readonly<Record<string, Argument>>;
  readonly body?: readonly ProgramNode[];
  readonly comment?: string;
}

export const isNode = (value: unknown): value is ProgramNode =>
  typeof value === 'object' &&
  value !== null &&
  'kind' in value &&
  typeof value.kind === 'string' &&
  'args' in value &&
  typeof value.args === 'object' &&
  value.args !== null;

export const createNode = (
  kind: string,
  args: Readonly<Record<string, Argument>> = {},
  body: readonly ProgramNode[] = [],
): ProgramNode => ({ kind, args, ...(body.length > 0 ? { body } : {}) });

export const bodyNodes = ({ body = [] }: ProgramNode): readonly ProgramNode[] => body;

export const withArg = (node: ProgramNode, name: string, value: Argument): ProgramNode => ({
  ...node,
  args: { ...node.args, [name]: value },
});

/** Replaces the body; an empty one is left out, as the server stores it. */
export function withBody({ body: _, ...node }: ProgramNode, body: readonly ProgramNode[]): ProgramNode {
  return body.length > 0 ? { ...node, body } : node;
}

export function withComment({ comment: _, ...node }: ProgramNode, comment: string): ProgramNode {
  return comment.trim() === '' ? node : { ...node, comment };
}

/** Returns a text argument; the empty text if it is none. */
export function textArg({ args }: ProgramNode, name: string): string {
  const value = args[name];
  return typeof value === 'string' ? value : '';
}

/** Returns a number argument; 0 if it is none. */
export function numberArg({ args }: ProgramNode, name: string): number {
  const value = args[name];
  return typeof value === 'number' ? value : 0;
}

/** Returns the entry of a table for a name in a program; undefined if there is none. Pasted programs may have names such as `constructor`, which tables inherit. */
export const entryOf = <T>(table: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;

/** All nodes of a tree, the root first. */
export function* nodesOf(node: ProgramNode): Generator<ProgramNode> {
  yield node;
  for (const value of Object.values(node.args)) if (isNode(value)) yield* nodesOf(value);
  for (const child of bodyNodes(node)) yield* nodesOf(child);
}
