import { describe, expect, it } from 'vitest';
import { verbatim } from '../core/message.ts';
import { Problem } from '../engine/kinds.ts';
import { envValueKind } from './farmware-envs.ts';

const read = (value: unknown): unknown => envValueKind.parse(value, 'value');

describe('the value of a farmware env', () => {
  it('is text, or becomes text', () => {
    expect(read(' USB ')).toBe('USB');
    expect(read(5)).toBe('5');
    expect(read(false)).toBe('false');
  });

  it('may be an object, which is stored unchanged', () => {
    expect(read({ a: 1, b: { c: [1, 'x', null, true] } })).toEqual({ a: 1, b: { c: [1, 'x', null, true] } });
    expect(read({})).toEqual({});
  });

  it('rejects lists', () => {
    expect(read([])).toEqual(new Problem(verbatim('Value must be text or an object.')));
  });

  it('has at most 1000 characters as JSON', () => {
    expect(read('v'.repeat(998))).toBe('v'.repeat(998));
    expect(read('v'.repeat(999))).toEqual(
      new Problem(verbatim('Value is too long (at most 1000 characters).'), 'model'),
    );
    expect(read({ key: 'v'.repeat(990) })).toEqual({ key: 'v'.repeat(990) });
    expect(read({ key: 'v'.repeat(991) })).toEqual(
      new Problem(verbatim('Value is too long (at most 1000 characters).'), 'model'),
    );
  });
});
