import { describe, expect, it } from 'vitest';
import { matchesCriteria } from './point-criteria.ts';

const now = Date.parse('2026-11-23T00:00:00Z');
const plant = {
  pointer_type: 'Plant',
  x: 100,
  meta: { color: 'green' },
  planted_at: '2026-11-13T00:00:00Z',
  created_at: '2026-11-01T00:00:00Z',
};

describe('criteria of groups', () => {
  it.each([
    [{}, false],
    [{ string_eq: { pointer_type: [] } }, false],
    [{ string_eq: { pointer_type: ['Weed', 'Plant'] } }, true],
    [{ string_eq: { pointer_type: ['Weed'] } }, false],
    [{ string_eq: { 'meta.color': ['green'] } }, true],
    [{ string_eq: { 'meta.made_by': ['green'] } }, false],
    [{ number_eq: { x: [100] }, number_gt: { x: 99 }, number_lt: { x: 101 } }, true],
    [{ number_gt: { x: 100 } }, false],
    [{ number_lt: { x: 100 } }, false],
    [{ day: { op: '<', days_ago: 11 } }, true],
    [{ day: { op: '<', days_ago: 10 } }, false],
    [{ day: { op: '>', days_ago: 9 } }, true],
    [{ day: { op: '>', days_ago: 10 } }, false],
    [{ day: { op: '<', days_ago: 0 } }, false],
  ])('%j: %s', (criteria, expected) => expect(matchesCriteria(plant, criteria, now)).toBe(expected));

  it('ask for the time since a weed or a point was made', () => {
    for (const pointer_type of ['Weed', 'GenericPointer'])
      expect(matchesCriteria({ ...plant, pointer_type }, { day: { op: '>', days_ago: 20 } }, now)).toBe(true);
  });

  it('leave out plants that are not planted', () => {
    for (const op of ['<', '>'])
      expect(matchesCriteria({ ...plant, planted_at: null }, { day: { op, days_ago: 20 } }, now)).toBe(false);
  });
});
