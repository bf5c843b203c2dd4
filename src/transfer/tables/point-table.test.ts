import { expect, it } from 'vitest';
import { columnOf } from './point-table.ts';

it.each([
  ['Planted on', 'planted_at'],
  ['X (mm)', 'x'],
  ['y (mm) (from home)', 'y'],
  ['(mm', undefined],
  // Each opening parenthesis must not look for the end of the text.
  ['('.repeat(1_000_000), undefined],
])('finds the column of a heading', (heading, field) => {
  expect(columnOf(heading)?.field).toBe(field);
});
