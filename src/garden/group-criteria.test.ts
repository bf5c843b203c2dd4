import { describe, expect, it } from 'vitest';
import { verbatim } from '../core/message.ts';
import { Problem } from '../engine/kinds.ts';
import { criteriaKind } from './group-criteria.ts';

const read = (value: unknown) => criteriaKind.parse(value, 'criteria');

const nothing = { day: { op: '<', days_ago: 0 }, string_eq: {}, number_eq: {}, number_lt: {}, number_gt: {} };

describe('criteria of a group', () => {
  it('sets missing and null parts to their defaults', () => {
    expect(read({})).toEqual(nothing);
    expect(read({ day: null, string_eq: null, number_eq: null, number_lt: null, number_gt: null })).toEqual(nothing);
    expect(read({ day: { op: '>' } })).toEqual({ ...nothing, day: { op: '>', days_ago: 0 } });
    expect(read({ day: { days_ago: '7' } })).toEqual({ ...nothing, day: { op: '<', days_ago: 7 } });
  });

  it('drops unknown parts and names with null', () => {
    expect(read({ nonsense: 1, day: { more: 1 }, string_eq: { name: null }, number_lt: { x: null, y: 2.5 } })).toEqual({
      ...nothing,
      number_lt: { y: 2.5 },
    });
  });

  it('keeps texts and numbers of every name', () => {
    const criteria = {
      day: { op: '>', days_ago: 5 },
      string_eq: { pointer_type: ['Plant', 'Weed'], 'meta.a': [''] },
      number_eq: { x: [1, 2.5] },
      number_lt: { y: 100 },
      number_gt: { z: -0.5 },
    };
    expect(read(criteria)).toEqual(criteria);
  });

  it('rejects all but objects', () => {
    for (const wrong of ['x', 5, [], true])
      expect(read(wrong)).toEqual(new Problem(verbatim('Criteria must be an object.')));
  });

  it('reports each invalid value', () => {
    const wrong = {
      day: { op: '=', days_ago: 1.5 },
      string_eq: { name: ['x', 1], openfarm_slug: 'beet' },
      number_eq: { x: ['1', 2, null] },
      number_lt: 5,
      number_gt: { z: 'x' },
    };
    expect(read(wrong)).toEqual(
      new Problem({
        day: { op: verbatim('Op must be one of <, >.'), days_ago: verbatim('Days Ago must be a whole number.') },
        string_eq: {
          name: [null, verbatim('Element 2 must be text.')],
          openfarm_slug: verbatim('Openfarm Slug must be a list.'),
        },
        number_eq: { x: [verbatim('Element 1 must be a number.'), null, verbatim('Element 3 must be a number.')] },
        number_lt: verbatim('Number Lt must be an object.'),
        number_gt: { z: verbatim('Z must be a number.') },
      }),
    );
  });

  it('holds at most 100 names, 1000 values and 10000 characters', () => {
    const sentence = 'Criteria is too large (at most 100 names, 1000 values and 10000 characters).';
    const tooLarge = new Problem(verbatim(sentence), 'model');
    const names = (count: number, value: unknown) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`name ${index}`, value]));
    const half = { string_eq: names(50, ['x']), number_lt: names(50, 1) };
    expect(read(half)).toEqual({ ...nothing, ...half });
    expect(read({ ...half, number_gt: { x: 1 } })).toEqual(tooLarge);
    const values = { number_eq: { x: Array(600).fill(1) }, string_eq: { name: Array(400).fill('') } };
    expect(read(values)).toEqual({ ...nothing, ...values });
    expect(read({ ...values, number_lt: { x: 1 } })).toEqual(tooLarge);
    // Without its text this one takes 102 characters.
    const long = (length: number) => ({ string_eq: { name: ['x'.repeat(length)] } });
    expect(read(long(9898))).toEqual({ ...nothing, ...long(9898) });
    expect(read(long(9899))).toEqual(tooLarge);
    expect(read({ number_lt: names(1, 'x'), string_eq: { ['x'.repeat(10_001)]: 5 } })).toEqual(tooLarge);
    expect(read({ number_eq: names(100_000, ['x']) })).toEqual(tooLarge);
  });
});
