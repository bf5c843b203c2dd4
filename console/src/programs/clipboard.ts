import { isNode, type ProgramNode } from './node.ts';

/** Maximum length of pasted text that is read, in characters. */
const maxLength = 500_000;

/** Steps as the text that goes to the clipboard. */
export const stepsText = (nodes: readonly ProgramNode[]): string => JSON.stringify(nodes, null, 2);

/** Reads steps from pasted text: a list of steps, one step, or a whole sequence with a `body`. Null if it is none of them. */
export function parseSteps(text: string): readonly ProgramNode[] | null {
  if (text.length > maxLength) return null;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  const list = stepsIn(value);
  return list && list.length > 0 && list.every(isTree) ? list : null;
}

function stepsIn(value: unknown): readonly unknown[] | null {
  if (Array.isArray(value)) return value;
  if (typeof value !== 'object' || value === null) return null;
  if (isNode(value) && value.kind !== 'sequence') return [value];
  return 'body' in value && Array.isArray(value.body) ? value.body : null;
}

const isPlain = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value);

const isTree = (value: unknown): value is ProgramNode =>
  isNode(value) &&
  Object.values(value.args).every((each) => isPlain(each) || isTree(each)) &&
  (value.body === undefined || (Array.isArray(value.body) && value.body.every(isTree))) &&
  (value.comment === undefined || typeof value.comment === 'string');
