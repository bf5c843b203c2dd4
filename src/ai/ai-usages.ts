import { timestamp } from '../core/clock.ts';
import { column } from '../db/columns.ts';
import type { DeviceScope } from '../db/scope.ts';
import { table } from '../db/table.ts';

/** The number of questions per user, kept with the user's own garden, in the windows of its last question. Stored in the database because the limits protect money: they hold across processes and restarts. [ADR 7] */
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

/** The questions of a day (UTC), one row each. They outlive their device, so that deleting accounts does not reset the limit of all devices. */
export const aiQuestions = table(
  'ai_questions',
  { asked_at: column.time() },
  { reach: 'server', indexes: [['asked_at']] },
);

const minute = 60_000;
const day = 24 * 60 * minute;

/** Windows aligned to UTC: their length in ms, and the number of earlier questions up to which another is accepted. [rule S14] */
const windows = [
  { counter: 'in_minute', period: minute, limit: 10 },
  { counter: 'in_hour', period: 60 * minute, limit: 100 },
  { counter: 'in_day', period: day, limit: 200 },
] as const;

/** The limit that a question exceeds: its user's, or all devices' together. */
export type ExceededQuestionLimit = 'user' | 'server';

/**
 * Counts a question of the user whose own garden the scope is, unless a limit is exceeded, which is returned. Concurrent questions may exceed `dailyQuestions`, the limit of all
 * devices per day (UTC), by a few. Independent of `RATE_LIMITS`. [rule S14, decision 48]
 */
export function countQuestion(scope: DeviceScope, dailyQuestions: number): Promise<ExceededQuestionLimit | null> {
  return scope.transaction(async (inner) => {
    const { server, clock } = inner;
    const now = clock.now();
    const today = timestamp(Math.floor(now / day) * day);
    if ((await server.count(aiQuestions, { where: { asked_at: { gte: today } } })) >= dailyQuestions) return 'server';
    const row = await inner.first(aiUsages);
    const last = row ? Date.parse(row.asked_at) : 0;
    const counts = { in_minute: 0, in_hour: 0, in_day: 0 };
    for (const { counter, period, limit } of windows) {
      const isSame = row !== undefined && Math.floor(last / period) === Math.floor(now / period);
      const earlier = isSame ? row[counter] : 0;
      if (earlier > limit) return 'user';
      counts[counter] = earlier + 1;
    }
    const asked_at = timestamp(now);
    if (row) await inner.update(aiUsages, { asked_at, ...counts }, {});
    else await inner.insert(aiUsages, { asked_at, ...counts });
    await server.delete(aiQuestions, { where: { asked_at: { lt: today } } });
    await server.insert(aiQuestions, { asked_at });
    return null;
  });
}

/** Copies the counts of a device to a new one of the same user, inside a transaction. */
export async function copyQuestionCounts(from: DeviceScope, to: DeviceScope): Promise<void> {
  for (const { asked_at, in_minute, in_hour, in_day } of await from.rows(aiUsages))
    await to.insert(aiUsages, { asked_at, in_minute, in_hour, in_day });
}
