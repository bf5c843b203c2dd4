import { expect, it } from 'vitest';
import { locateProblems, problemsBelow, sentenceAt } from './problem-places.ts';

const problem = (path: string) => ({ path, code: 'not_found', message: `at ${path}` });

it('finds the step and the variable of a problem', () => {
  const { steps, variables, others } = locateProblems([
    problem('/body/2/args/location/args/x'),
    problem('/body/2'),
    problem('/args/locals/body/1/args/label'),
    problem('/body'),
  ]);
  expect([...steps.keys()]).toEqual([2]);
  expect(steps.get(2)?.map(({ path }) => path)).toEqual(['/args/location/args/x', '']);
  expect(variables.get(1)?.map(({ path }) => path)).toEqual(['/args/label']);
  expect(others.map(({ path }) => path)).toEqual(['/body']);
});

it('gives parts of a node their problems, and a value its own sentence', () => {
  const list = [problem('/args/x'), problem('/args/xy'), problem('/args/x/args/y')];
  const below = problemsBelow(list, '/args/x');
  expect(below.map(({ path }) => path)).toEqual(['', '/args/y']);
  expect(sentenceAt(below)).toBe('at /args/x');
  expect(sentenceAt(problemsBelow(list, '/args/z'))).toBeUndefined();
});
