import { describe, expect, it, vi } from 'vitest';
import { verbatim } from '../core/message.ts';
import { assertValid, parseBody } from './body.ts';
import type { Field } from './fields.ts';
import { float, integer, oneOf, text, time } from './fields.ts';

const fields = {
  name: text().required().max(5),
  note: text().nullable(),
  memo: text().emptyAllowed().default('none'),
  pin: integer().required().range(0, 69, 'model'),
  mode: oneOf(0, 1).default(0),
  x: float().required().nullable(),
  level: integer().range(0, 3).nullByDefault(),
  seen_at: time().nullByDefault().readOnly(),
  switch: text().onUpdateOnly().nullByDefault(),
};

describe('a create', () => {
  it('sets defaults and nulls, and ignores unknown and read-only keys', () => {
    const { values, failures, modelProblems } = parseBody(
      fields,
      { name: ' a ', pin: '7', x: null, seen_at: '2026-01-01', nonsense: 1, switch: 'on' },
      'create',
    );
    expect({ failures, modelProblems }).toEqual({ failures: {}, modelProblems: {} });
    expect(values).toEqual({
      name: 'a',
      note: null,
      memo: 'none',
      pin: 7,
      mode: 0,
      x: null,
      level: null,
      seen_at: null,
      switch: null,
    });
  });

  it('collects all problems of fields, and the model’s separately', () => {
    const { failures, modelProblems } = parseBody(
      fields,
      { name: 'too long', note: {}, memo: [], pin: 70, mode: 2, level: 4 },
      'create',
    );
    expect(Object.keys(failures)).toEqual(['note', 'memo', 'mode', 'x', 'level']);
    expect(failures.x).toEqual('X is required.');
    expect(modelProblems).toEqual({
      name: 'Name is too long (at most 5 characters).',
      pin: 'Pin is too big (at most 69).',
    });
  });

  it('distinguishes null, blank and missing values of required fields', () => {
    const { failures } = parseBody(fields, { name: null, pin: '', x: '' }, 'create');
    expect(failures).toEqual({
      name: 'Name must not be null.',
      pin: 'Pin must not be blank.',
      x: 'X must not be blank.',
    });
  });

  it('throws failing fields before problems of the model', () => {
    const broken = parseBody(fields, { name: 'too long', pin: 70 }, 'create');
    expect(() => assertValid(broken)).toThrow(expect.objectContaining({ code: 'invalid' }));
    const model = parseBody(fields, { name: 'too long', pin: 70, x: 1 }, 'create');
    expect(() => assertValid(model)).toThrow(expect.objectContaining({ code: 'refused' }));
    const further = { pin: verbatim('No.') };
    expect(() => assertValid(model, further)).toThrow(expect.objectContaining({ fields: further }));
  });

  it('ignores keys of the prototype', () => {
    const body = JSON.parse('{"__proto__":{"name":"x","pin":1,"x":1},"constructor":1}');
    expect(Object.keys(parseBody(fields, body, 'create').failures)).toEqual(['name', 'pin', 'x']);
  });
});

describe('a text', () => {
  const problems = (field: Field, value: unknown) => {
    const { failures, modelProblems } = parseBody({ name: field }, { name: value }, 'update');
    return [...Object.values(failures), ...Object.values(modelProblems)];
  };

  it('has a limit by default', () => {
    expect(problems(text(), 'x'.repeat(10_000))).toEqual([]);
    expect(problems(text(), '🌱'.repeat(10_000))).toEqual([]);
    expect(problems(text(), 'x'.repeat(10_001))).toEqual(['Name is too long (at most 10000 characters).']);
    expect(text().traits.limits).toEqual({ maxLength: 10_000 });
  });

  it('has the declared limit instead of the default', () => {
    expect(problems(text().max(100_000), 'x'.repeat(100_000))).toEqual([]);
    expect(problems(text().max(5), 'x'.repeat(20_000))).toEqual(['Name is too long (at most 5 characters).']);
    expect(text().max(5).traits.limits).toEqual({ maxLength: 5 });
  });

  it('fits into an index if it is unique', () => {
    expect(problems(text().unique(), '🌱'.repeat(500))).toEqual([]);
    expect(problems(text().unique(), '🌱'.repeat(501))).toEqual(['Name is too long (at most 2000 bytes).']);
    expect(text().unique().traits.limits).toEqual({ maxLength: 2000 });
    expect(text().max(80).unique().traits.limits).toEqual({ maxLength: 80 });
  });

  it('is rejected by its length, without splitting a megabyte into characters', () => {
    const characters = vi.spyOn(String.prototype, Symbol.iterator);
    expect(problems(text().max(4), 'ab🌱cd')).toHaveLength(1);
    expect(characters).toHaveBeenCalledOnce();
    expect(problems(text().max(80), 'x'.repeat(1_000_000))).toHaveLength(1);
    expect(characters).toHaveBeenCalledOnce();
    characters.mockRestore();
  });
});

describe('an update', () => {
  it('has only the values that were sent, and null only for nullable fields', () => {
    expect(parseBody(fields, { name: null, note: null, memo: '', level: null, switch: 'on' }, 'update')).toEqual({
      values: { note: null, memo: '', switch: 'on' },
      failures: {},
      modelProblems: {},
    });
  });
});
