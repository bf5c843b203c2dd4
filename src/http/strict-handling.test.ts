import { expect, it } from 'vitest';
import { isStrict } from './strict-handling.ts';

it.each([
  ['handling=strict', true],
  ['Handling="Strict"', true],
  ['respond-async, handling=strict; x=1, wait=5', true],
  ['handling = strict', true],
  ['handling=lenient', false],
  ['handling=lenient, handling=strict', false],
  ['return=minimal', false],
  ['xhandling=strict', false],
  ['handling', false],
  ['', false],
])('reads "%s"', (prefer, expected) => {
  expect(isStrict({ headers: { prefer } })).toBe(expected);
});

it('is lenient without the header', () => {
  expect(isStrict({ headers: {} })).toBe(false);
});
