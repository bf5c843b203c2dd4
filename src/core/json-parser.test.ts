import { describe, expect, it } from 'vitest';
import { isSimpleJson, malformed, parseJson } from './json-parser.ts';

const parsed = (text: string): unknown => parseJson(Buffer.from(text));

describe('parseJson', () => {
  it.each([
    ['{"a":1}', { a: 1 }],
    [' \n {"a":1} \n', { a: 1 }],
    ['\ufeff{"a":1}', { a: 1 }],
    ['{"a":1,"a":2}', { a: 2 }],
    ['[]', []],
    ['5', 5],
    ['null', null],
  ])('%j', (text, value) => expect(parsed(text)).toEqual(value));
  it.each(['', ' \n ', '\ufeff'])('%j is empty', (text) => expect(parsed(text)).toBeUndefined());
  it.each(['{', 'name', "{'a':1}", '{"a":1,}', 'undefined', 'a=1&b=2', 'NaN'])('%j is malformed', (text) =>
    expect(parsed(text)).toBe(malformed),
  );
  it('rejects invalid UTF-8', () => expect(parseJson(Buffer.from([0x22, 0xff, 0x22]))).toBe(malformed));

  it('accepts 100 levels and rejects 101, ignoring brackets in strings', () => {
    const nested = (depth: number): string => `${'['.repeat(depth)}"[[\\"[["${']'.repeat(depth)}`;
    expect(parsed(nested(100))).not.toBe(malformed);
    const tooDeep = 'The JSON is nested more than 100 levels deep.';
    expect(() => parsed(nested(101))).toThrow(tooDeep);
    expect(() => parsed('{"a":'.repeat(500_000))).toThrow(tooDeep);
    expect(parsed(`["${'['.repeat(200)}","\\\\"]`)).toHaveLength(2);
    expect(parsed(`[${'[],'.repeat(200)}1]`)).toHaveLength(201);
  });

  it('accepts 50,000 commas, colons and brackets, and rejects one more, ignoring strings', () => {
    const list = (length: number): string => `[${'1,'.repeat(length - 1)}1]`;
    expect(parsed(list(50_000))).toHaveLength(50_000);
    const tooMany = 'The JSON has more than 50,000 commas, colons and opening brackets.';
    expect(() => parsed(list(50_001))).toThrow(tooMany);
    const objects = (length: number): string => `[${'{"a":1},'.repeat(length)}1]`;
    expect(parsed(objects(16_666))).toHaveLength(16_667);
    expect(() => parsed(objects(16_667))).toThrow(tooMany);
    expect(parsed(`["${',[{:'.repeat(100_000)}"]`)).toHaveLength(1);
  });

  it('accepts 1,000 different combinations of keys, 250 of more than 2,000 objects, and rejects one more', () => {
    const objects = (length: number, keys: (i: number) => string[]): string =>
      JSON.stringify(Array.from({ length }, (_, i) => Object.fromEntries(keys(i).map((key) => [`${key}_`, { a: 1 }]))));
    const tooMany = 'The JSON has more than 1,000 different combinations of keys.';
    // The key "a" is one of them.
    expect(parsed(objects(999, (i) => [`${i}`]))).toHaveLength(999);
    expect(() => parsed(objects(1_000, (i) => [`${i}`]))).toThrow(tooMany);
    expect(() => parsed(objects(1, () => Array.from({ length: 1_000 }, (_, i) => `${i}`)))).toThrow(tooMany);
    const fewer = 'The JSON has more than 250 different combinations of keys.';
    expect(() => parsed(objects(40 * 40, (i) => [`p${i % 40}`, `q${Math.floor(i / 40)}`]))).toThrow(fewer);
    expect(parsed(objects(5_000, (i) => [`${i % 249}`]))).toHaveLength(5_000);
    expect(() => parsed(objects(5_000, (i) => [`${i % 250}`]))).toThrow(fewer);
    expect(parsed(objects(5_000, () => ['kind', 'args']))).toHaveLength(5_000);
    expect(parsed(JSON.stringify(Array.from({ length: 5_000 }, (_, i) => `"${i}":`)))).toHaveLength(5_000);
  });

  it('reads a long text once, however many colons follow it in invalid JSON', () => {
    const key = `{"${'k'.repeat(900_000)}"`;
    expect(parsed(`${key}${'{:}'.repeat(20_000)}}`)).toBe(malformed);
    expect(parsed(`${key}${':'.repeat(900)}1}`)).toBe(malformed);
  });

  it('finds a simple value by its parts, and a large one without reading it', () => {
    const isSimple = (value: unknown) => isSimpleJson(Buffer.from(JSON.stringify(value)));
    expect(isSimple('a'.repeat(100_000))).toBe(true);
    expect(isSimple('a'.repeat(200_000))).toBe(false);
    expect(isSimple(Array.from({ length: 5_000 }, () => 1))).toBe(true);
    expect(isSimple(Array.from({ length: 5_002 }, () => 1))).toBe(false);
    expect(isSimple(Array.from({ length: 200 }, (_, i) => ({ [`key_${i}`]: 1 })))).toBe(true);
    expect(isSimple(Array.from({ length: 201 }, (_, i) => ({ [`key_${i}`]: 1 })))).toBe(false);
  });

  it('keeps __proto__ as an ordinary key, escaped or not', () => {
    for (const text of ['{"a":{"__proto__":{"x":1},"b":2}}', '{"a":{"\\u005f_prot\\u006f__":{"x":1},"b":2}}']) {
      const value = parseJson(Buffer.from(text));
      expect(JSON.stringify(value)).toBe('{"a":{"__proto__":{"x":1},"b":2}}');
      const { a } = value as { a: { x?: number } };
      expect(a.x).toBeUndefined();
    }
  });
});
