import { describe, expect, it } from 'vitest';
import { verbatim } from '../core/message.ts';
import { Problem } from '../engine/kinds.ts';
import { stringMapKind } from './string-map.ts';

const read = (value: unknown) => stringMapKind.parse(value, 'meta');

describe('a string map', () => {
  it('converts every value to text', () => {
    expect(read({ a: 1, b: true, c: ' x ', d: null, e: 1.5, f: { g: [1] }, h: '' })).toEqual({
      a: '1',
      b: 'true',
      c: ' x ',
      d: '',
      e: '1.5',
      f: '{"g":[1]}',
      h: '',
    });
  });

  it('accepts an empty list as an empty map, and otherwise only objects', () => {
    expect(read([])).toEqual({});
    for (const wrong of [['a'], 'x', 5, true])
      expect(read(wrong)).toEqual(new Problem(verbatim('Meta must be an object.'), 'field'));
  });

  it('keeps a key of Object.prototype', () => {
    const map = read(JSON.parse('{"__proto__":"x","constructor":1}'));
    expect(JSON.stringify(map)).toBe('{"__proto__":"x","constructor":"1"}');
  });

  it('holds at most 2700 bytes', () => {
    expect(read({ ab: 'x'.repeat(2698) })).toEqual({ ab: 'x'.repeat(2698) });
    const problem = new Problem(verbatim('Meta is too large (at most 2700 bytes).'), 'model');
    expect(read({ ab: 'x'.repeat(2699) })).toEqual(problem);
    expect(read({ ü: 'ü'.repeat(1350) })).toEqual(problem);
  });
});
