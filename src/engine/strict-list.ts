import { fieldProblem, Problem } from './kinds.ts';

/** Elements of a list at most. */
export const maxElements = 1000;

/** Failures told of one list at most: the answer to a megabyte of bad elements must not be ten. */
const maxReported = 100;

/**
 * A list whose elements are exactly of one type: nothing is converted. Failures stand at the places of the bad ones; a list
 * that is too long is told of in one sentence. [reference: arrays]
 */
export function parseStrictList<T>(
  value: unknown,
  name: string,
  isRight: (element: unknown) => element is T,
  what: string,
): T[] | Problem {
  if (!Array.isArray(value)) return fieldProblem(name, 'must be a list');
  const elements: readonly unknown[] = value;
  if (elements.length > maxElements) return fieldProblem(name, `must have at most ${maxElements} elements`);
  if (elements.every(isRight)) return [...elements];
  let left = maxReported;
  return new Problem(
    elements.map((element, at) => (isRight(element) || left-- <= 0 ? null : `Element ${at + 1} must be ${what}.`)),
  );
}
