import { expect, it } from 'vitest';
import { type Schedule, visitsOf } from './visits.ts';

const now = Date.parse('2026-06-01T00:00:00Z');
const day = 86_400_000;

type Event = Schedule['events'][number];
const event = (id: number, data_value: object, more: Partial<Event> = {}): Event => ({
  id,
  start_time: '2026-05-01T05:00:00.000Z',
  end_time: '2026-07-01T05:00:00.000Z',
  executable_type: 'Sequence',
  executable_id: 10,
  body: [{ kind: 'parameter_application', args: { label: 'parent', data_value } }] as Event['body'],
  ...more,
});
const point = (pointer_id: number) => ({ kind: 'point', args: { pointer_type: 'Plant', pointer_id } });
const ofRegimen = { executable_type: 'Regimen', end_time: '2026-05-01T05:01:00.000Z' } as const;
const group = { kind: 'point_group', args: { point_group_id: 20 } };

it('finds the events of plants: by themselves, with their groups, by regimens, and not after their end', () => {
  const schedule: Schedule = {
    events: [
      event(1, point(1)),
      event(2, point(3)),
      event(3, group),
      event(4, point(1), { end_time: '2026-05-02T05:00:00.000Z' }),
      event(5, group, { ...ofRegimen, executable_id: 30, body: [] }),
      event(6, point(1), { executable_id: 11 }),
      event(7, point(1), { ...ofRegimen, executable_id: 31 }),
    ],
    sequences: [{ id: 10, name: 'Water' }],
    regimens: [
      { id: 30, name: 'Season', body: event(0, group).body, regimen_items: [{ time_offset: 60 * day }] },
      { id: 31, name: 'Fortnight', body: [], regimen_items: [{ time_offset: 14 * day }] },
    ],
    groups: [{ id: 20, memberIds: new Set([1, 2]) }],
  };
  const namesOf = (...ids: number[]) =>
    visitsOf(
      ids.map((id) => ({ id })),
      schedule,
      now,
    ).map(({ event: { id }, name }) => `${id} ${name}`);
  expect(namesOf(1)).toEqual(['1 Water', '3 Water', '5 Season']);
  expect(namesOf(1, 2)).toEqual(['3 Water', '5 Season']);
  expect(namesOf(3)).toEqual(['2 Water']);
});
