import { timestamp } from '../core/clock.ts';
import { column } from '../db/columns.ts';
import type { DeviceScope, Selection, ServerScope } from '../db/scope.ts';
import { table } from '../db/table.ts';

/** The number of questions per device in the windows of its last question. Stored in the database because the limits protect money: they hold across processes and restarts. [ADR 7] */
export const aiUsages = table(
  'ai_usages',
  {
    device_id: column.bigint().references('devices'),
    asked_at: column.time(),
    in_minute: column.integer(),
    in_hour: column.integer(),
    in_day: column.integer(),
  },
  { reach: 'both', unique: [['device_id']] },
);

const minute = 60_000;
const day = 24 * 60 * minute;

/** Windows aligned to UTC: their length in ms, and the number of earlier questions up to which another is accepted. [rule S14] */
const windows = [
  { counter: 'in_minute', period: minute, limit: 10 },
  { counter: 'in_hour', period: 60 * minute, limit: 100 },
  { counter: 'in_day', period: day, limit: 200 },
] as const;

/** The sum of all rows, repeated in each. */
const questionsOfDay: Selection<number> = {
  key: 'questions',
  expressions: ['sum(in_day) over ()'],
  read: ([sum]) => Number(sum),
};

/** Whether fewer questions were asked today (UTC), by all devices together. Concurrent questions may exceed the number by a few. */
export async function hasQuestionsLeft(server: ServerScope, dailyQuestions: number): Promise<boolean> {
  const today = timestamp(Math.floor(server.clock.now() / day) * day);
  const [asked = 0] = await server.select(aiUsages, questionsOfDay, { where: { asked_at: { gte: today } }, limit: 1 });
  return asked < dailyQuestions;
}

/** Counts a question of the device. Returns false without counting if a window is full. Independent of `RATE_LIMITS`. [rule S14, decision 48] */
export function countQuestion(scope: DeviceScope): Promise<boolean> {
  return scope.transaction(async (inner) => {
    const now = inner.clock.now();
    const row = await inner.first(aiUsages);
    const last = row ? Date.parse(row.asked_at) : 0;
    const counts = { in_minute: 0, in_hour: 0, in_day: 0 };
    for (const { counter, period, limit } of windows) {
      const isSame = row !== undefined && Math.floor(last / period) === Math.floor(now / period);
      const earlier = isSame ? row[counter] : 0;
      if (earlier > limit) return false;
      counts[counter] = earlier + 1;
    }
    const values = { asked_at: timestamp(now), ...counts };
    if (row) await inner.update(aiUsages, values, {});
    else await inner.insert(aiUsages, values);
    return true;
  });
}
