import { expect, it } from 'vitest';
import { earliestOn } from './day-records.ts';

const start = Date.parse('2026-05-02T06:00:00.000Z');
const series = (farmEventId: number, first: number, count = 1) => ({
  ...{ farmEventId, sequence: { id: 7, name: 'Water' }, regimen: null, updatedAt: '2026-05-01T00:00:00.000Z' },
  ...{ start: first, interval: count === 1 ? 0 : 1, count },
});

it('shows the earliest series of a day, in the order of their events at one time', async () => {
  // The last ones are the earliest.
  const all = Array.from({ length: 4500 }, (_, index) => series(index, start + 5000 - 2 * Math.floor(index / 2)));
  const found = await earliestOn(all, { from: start, to: start + 86_400_000 });
  expect(found).toHaveLength(1000);
  expect(found.slice(0, 4).map(({ farm_event_id }) => farm_event_id)).toEqual([4498, 4499, 4496, 4497]);
  expect(found.at(-1)?.farm_event_id).toBe(3501);
});

it('counts the runs of a series on the day, and leaves out those without one', async () => {
  const day = { from: start, to: start + 1000 };
  expect(await earliestOn([series(1, start - 1), series(2, start - 10, 30), series(3, start + 1000)], day)).toEqual([
    {
      ...{ farm_event_id: 2, sequence_id: 7, sequence_name: 'Water', regimen_id: null },
      ...{ at: '2026-05-02T06:00:00.000Z', runs: 20 },
    },
  ]);
});
