import { describe, expect, it } from 'vitest';
import { sayOfField } from './field-messages.ts';
import { Problem } from './kinds.ts';
import { parseStrictList } from './strict-list.ts';

const isText = (value: unknown): value is string => typeof value === 'string';
const read = (value: unknown) => parseStrictList(value, 'names', isText, sayOfField.textElement);

const failuresOf = (value: unknown): unknown => {
  const problem = read(value);
  return problem instanceof Problem ? problem.failure : 'no problem';
};

describe('parseStrictList', () => {
  it('returns valid elements unchanged', () => {
    expect(read([])).toEqual([]);
    expect(read(['a', '', ' b '])).toEqual(['a', '', ' b ']);
  });

  it('accepts lists only', () => {
    for (const wrong of ['x', 5, {}, true]) expect(failuresOf(wrong)).toEqual('Names must be a list.');
  });

  it('reports each bad element at its index', () => {
    expect(failuresOf(['a', 1, null, 'b'])).toEqual([null, 'Element 2 must be text.', 'Element 3 must be text.', null]);
  });

  it('reports at most a hundred elements', () => {
    const failures = failuresOf(['a', ...Array(999).fill(1)]);
    expect(failures).toHaveLength(1000);
    const reported = (failures as unknown[]).flatMap((failure, index) => (failure === null ? [] : [index]));
    expect(reported).toEqual(Array.from({ length: 100 }, (_, index) => index + 1));
  });

  it('accepts at most a thousand elements', () => {
    expect(read(Array(1000).fill('a'))).toHaveLength(1000);
    for (const element of ['a', 1])
      expect(failuresOf(Array(1001).fill(element))).toEqual('Names must have at most 1000 elements.');
  });
});
