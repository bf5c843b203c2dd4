import type { Message } from '../core/message.ts';
import { sayOfField } from './field-messages.ts';
import { fieldProblem, Problem } from './kinds.ts';

/** The maximum length of a list. */
export const maxElements = 1000;

/** The maximum number of elements that are reported: the reply to 1 MiB of bad elements must not have 10 MiB. */
const maxReported = 100;

/** Parses a list whose elements all have one type; nothing is converted. `sentence`: about an element of another type, by its number. Failures have the indexes of their elements. [rule V16] */
export function parseStrictList<T>(
  value: unknown,
  name: string,
  isValid: (element: unknown) => element is T,
  sentence: (number: number) => Message,
): T[] | Problem {
  if (!Array.isArray(value)) return fieldProblem(name, sayOfField.list);
  const elements: readonly unknown[] = value;
  if (elements.length > maxElements) return fieldProblem(name, sayOfField.maxElements, maxElements);
  if (elements.every(isValid)) return [...elements];
  let left = maxReported;
  return new Problem(elements.map((element, at) => (isValid(element) || left-- <= 0 ? null : sentence(at + 1))));
}
