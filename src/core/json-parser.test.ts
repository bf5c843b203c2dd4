import { describe, expect, it } from 'vitest';
import { malformed, parseJson } from './json-parser.ts';

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
    expect(parsed(nested(101))).toBe(malformed);
    expect(parsed('{"a":'.repeat(500_000))).toBe(malformed);
    expect(parsed(`["${'['.repeat(200)}","\\\\"]`)).toHaveLength(2);
    expect(parsed(`[${'[],'.repeat(200)}1]`)).toHaveLength(201);
  });

  it('accepts 50,000 commas, colons and brackets, and rejects one more, ignoring those in strings', () => {
    const list = (length: number): string => `[${'1,'.repeat(length - 1)}1]`;
    expect(parsed(list(50_000))).toHaveLength(50_000);
    expect(parsed(list(50_001))).toBe(malformed);
    const objects = (length: number): string => `[${'{"a":1},'.repeat(length)}1]`;
    expect(parsed(objects(16_666))).toHaveLength(16_667);
    expect(parsed(objects(16_667))).toBe(malformed);
    expect(parsed(`["${',[{:'.repeat(100_000)}"]`)).toHaveLength(1);
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
