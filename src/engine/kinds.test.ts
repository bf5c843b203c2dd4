import { describe, expect, it } from 'vitest';
import { titleize } from './field-label.ts';
import type { Kind } from './kinds.ts';
import { bigintKind, booleanKind, choiceKind, floatKind, integerKind, Problem, textKind } from './kinds.ts';

/** The stored value, or the level of the problem. */
const filtered = <T>(kind: Kind<T>, value: unknown): unknown => {
  const result = kind.parse(value, 'some_field');
  return result instanceof Problem ? `refused by the ${result.level}` : result;
};
const cast = <T>(kind: Kind<T>, value: unknown): unknown => {
  const result = kind.cast(value, 'some_field');
  return result instanceof Problem ? `refused by the ${result.level}` : result;
};
const field = 'refused by the field';
const model = 'refused by the model';

describe('parse', () => {
  it.each([
    [' Hoe ', 'Hoe'],
    [5, '5'],
    [1.5, '1.5'],
    [true, 'true'],
    ['a\u0001\u0001b\u0002c', 'a b c'],
    ['a\u0001\u0002\u007f\u001fb\u007fc', 'a b c'],
    ['a\r\n\tb', 'a\r\n\tb'],
    ['\u0001', ''],
    [{}, field],
    [['x'], field],
  ])('text %j → %j', (sent, stored) => expect(filtered(textKind, sent)).toBe(stored));

  it.each([
    [5, 5],
    [1.0, 1],
    ['12abc', 12],
    ['-7', -7],
    [' 3', 3],
    [1.5, field],
    [true, field],
    ['abc', field],
    ['+3', field],
    ['.5', field],
    [{}, field],
    [2147483647, 2147483647],
    [2147483648, model],
    [-2147483649, model],
    ['99999999999', model],
    [1e300, model],
  ])('integer %j → %j', (sent, stored) => expect(filtered(integerKind, sent)).toBe(stored));

  it('bigint: the safe integers of JavaScript', () => {
    expect(filtered(bigintKind, 4294967296)).toBe(4294967296);
    expect(filtered(bigintKind, 2 ** 53)).toBe(model);
  });

  it.each([
    [1, 1],
    ['1.5', 1.5],
    ['.5', 0.5],
    ['+3', 3],
    ['-420.0', -420],
    ['1.0e3', 1000],
    ['12 mm', 12],
    ['abc', field],
    ['', field],
    ['1e999', field],
    [true, field],
    [{}, field],
  ])('float %j → %j', (sent, stored) => expect(filtered(floatKind, sent)).toBe(stored));

  it.each([
    [true, true],
    [0, false],
    ['1', true],
    ['FALSE', false],
    ['yes', field],
    [2, field],
    [{}, field],
  ])('boolean %j → %j', (sent, stored) => expect(filtered(booleanKind, sent)).toBe(stored));

  it('a choice is parsed like its values', () => {
    expect(filtered(choiceKind([0, 1]), '1')).toBe(1);
    expect(filtered(choiceKind([0, 1]), 2)).toBe(field);
    expect(filtered(choiceKind(['a', 'b']), ' a ')).toBe('a');
    expect(filtered(choiceKind(['3', '01']), 3)).toBe('3');
    expect(filtered(choiceKind(['a', 'b']), 'A')).toBe(field);
  });
});

describe('cast', () => {
  it.each([
    [5.9, 5],
    [-421.75, -421],
    ['31.1', 31],
    ['x', 0],
    [true, 1],
    ['', null],
    [2 ** 31, model],
    [{}, field],
  ])('integer %j → %j', (sent, stored) => expect(cast(integerKind, sent)).toBe(stored));

  it.each([
    ['off', false],
    ['F', false],
    [0, false],
    ['', null],
    ['anything', true],
    [7, true],
  ])('boolean %j → %j', (sent, stored) => expect(cast(booleanKind, sent)).toBe(stored));
});

it('titleizes names of fields', () => {
  expect(titleize('water_curve_id')).toBe('Water Curve ID');
});
