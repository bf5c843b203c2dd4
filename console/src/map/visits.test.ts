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
    sequences: [{ id: 10, name: 'Water', body: [] }],
    regimens: [
      {
        id: 30,
        name: 'Season',
        body: event(0, group).body,
        regimen_items: [{ time_offset: 60 * day, sequence_id: 10 }],
      },
      { id: 31, name: 'Fortnight', body: [], regimen_items: [{ time_offset: 14 * day, sequence_id: 10 }] },
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

it('finds the events of programs that choose the plants themselves', () => {
  type Body = Schedule['sequences'][number]['body'];
  const run = (sequence_id: number, data_value?: object) => ({
    kind: 'execute',
    args: { sequence_id },
    ...(data_value && { body: [{ kind: 'parameter_application', args: { label: 'parent', data_value } }] }),
  });
  const lua = (text: string) => ({ kind: 'lua', args: { lua: text } });
  const program = (id: number, name: string, ...body: object[]) => ({ id, name, body: body as Body });
  const own = (id: number, executable_id: number, more = {}) => event(id, {}, { body: [], executable_id, ...more });
  const schedule: Schedule = {
    events: [own(1, 10), own(2, 11), own(3, 12), own(4, 14), own(5, 30, ofRegimen)],
    sequences: [
      program(10, 'Water a group', run(13, group), run(10)),
      program(11, 'Nested', run(10)),
      program(12, 'Water all', lua('for _, plant in ipairs(sort(get_plants(), "nn")) do water(plant) end')),
      program(13, 'Water', lua('water(variable("parent"))')),
      program(14, 'Count', lua('toast(#get_plants())')),
    ],
    regimens: [{ id: 30, name: 'Season', body: [], regimen_items: [{ time_offset: 60 * day, sequence_id: 11 }] }],
    groups: [{ id: 20, memberIds: new Set([1, 2]) }],
  };
  const namesOf = (...chosen: Parameters<typeof visitsOf>[0]) =>
    visitsOf(chosen, schedule, now).map(({ name }) => name);
  const watered = { plant_stage: 'planted', water_curve_id: 7 } as const;
  expect(namesOf({ id: 1, ...watered })).toEqual(['Water a group', 'Nested', 'Water all', 'Season']);
  expect(namesOf({ id: 3, ...watered })).toEqual(['Water all']);
  expect(namesOf({ id: 3, ...watered }, { id: 4, ...watered })).toEqual(['Water all']);
  expect(namesOf({ id: 3, ...watered }, { id: 4, ...watered, plant_stage: 'planned' })).toEqual([]);
  expect(namesOf({ id: 3, ...watered, water_curve_id: null })).toEqual([]);
});
