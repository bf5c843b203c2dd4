import { describe, expect, it } from 'vitest';
import { Problem } from '../engine/kinds.ts';
import { curveDataKind } from './curve-data.ts';

const read = (value: unknown): unknown => curveDataKind.parse(value, 'data');
const failureOf = (value: unknown): unknown => {
  const problem = read(value);
  return problem instanceof Problem ? [problem.level, problem.failure] : 'no problem';
};

describe('the data of a curve', () => {
  it('is an object of integers, which may be sent as text', () => {
    expect(read({ '1': 5, '10': '12', x: '-3 ml' })).toEqual({ '1': 5, '10': 12, x: -3 });
    expect(read({})).toEqual({});
  });

  it('drops keys with null', () => {
    expect(read({ '1': null, '2': 7 })).toEqual({ '2': 7 });
  });

  it('reports each invalid value under its key', () => {
    expect(failureOf({ '1': 1.5, '2': 3, '3': 'x', '4': true })).toEqual([
      'field',
      { '1': '1 must be a whole number.', '3': '3 must be a whole number.', '4': '4 must be a whole number.' },
    ]);
  });

  it.each([['x'], [5], [[]], [true]])('rejects %j', (value) => {
    expect(failureOf(value)).toEqual(['field', 'Data must be an object.']);
  });

  it('keeps __proto__ as an ordinary key', () => {
    const data = read(JSON.parse('{"__proto__": 4}'));
    expect(JSON.stringify(data)).toBe('{"__proto__":4}');
  });

  it('has a maximum length, reported under `error`', () => {
    // 56 plus 9 characters per entry: 49 entries take 497.
    const entries = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [String(i + 10), 10]));
    expect(read(entries(49))).toEqual(entries(49));
    expect(failureOf(entries(50))).toEqual(['model', 'Data has too many entries.']);
  });

  it('is rejected as a whole if its keys alone are too long', () => {
    const wrong = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`day ${i}`, 'x']));
    expect(failureOf(wrong(100_000))).toEqual(['model', 'Data has too many entries.']);
    expect(Object.keys((failureOf(wrong(40)) as [string, object])[1])).toHaveLength(40);
    expect(failureOf({ ['x'.repeat(500)]: 'x' })).toEqual(['model', 'Data has too many entries.']);
    expect(read({ ['x'.repeat(500)]: null })).toEqual({});
  });

  it('rejects numbers that are out of range', () => {
    expect(failureOf({ '1': 2 ** 60 })).toEqual(['model', '1 must be from -9007199254740991 to 9007199254740991.']);
  });
});
