import { expect, it } from 'vitest';
import { remainingProblems } from './remaining-problems.ts';

const problems = { name: 'Name is required.', pin: 'Pin is taken.', error: 'There may be at most 1000 points.' };
const values = { name: null, pin: 5, notes: '' };

it('keeps the problems of a failed form until their field, or for those without one any field, is changed', () => {
  expect(remainingProblems({ problems, values }, { ...values })).toBe(problems);
  expect(remainingProblems({ problems, values }, { ...values, name: 'Hoe' })).toEqual({ pin: 'Pin is taken.' });
  expect(remainingProblems({ problems, values }, { ...values, notes: 'old' })).toEqual({
    name: 'Name is required.',
    pin: 'Pin is taken.',
  });
});
