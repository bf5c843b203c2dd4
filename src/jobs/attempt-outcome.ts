import { timestamp } from '../core/clock.ts';
import { isOutage } from '../core/outage.ts';
import type { JobRow } from './job-rows.ts';

/** Backoff after the first failure, in ms; multiplied by four for each further one, with a jitter of 50 %. */
const firstBackoff = 10_000;
/** Minimum and maximum pause while a part of this installation is unavailable, in ms. In between, a job pauses for as long as it has waited so far. */
const minPause = 10_000;
const maxPause = 600_000;
/** How long a job waits for a part of this installation, in ms. */
const maxOutage = 14 * 24 * 3600_000;

/** Returns the backoff after a number of attempts, in ms. */
export const backoffAfter = (attempts: number): number => firstBackoff * 4 ** (attempts - 1) * (0.5 + Math.random());

/** Returns the next state of a job after a failed attempt: one during an outage of this installation does not count. [ADR 29] */
export function outcomeOf(row: JobRow, error: unknown, now: number): Partial<JobRow> {
  const failed = { failed_at: timestamp(now) };
  if (isOutage(error)) {
    const paused_since = row.paused_since ?? timestamp(now);
    const waited = now - Date.parse(paused_since);
    if (waited >= maxOutage) return failed;
    const pause = Math.min(Math.max(waited, minPause), maxPause) * (0.75 + Math.random() / 2);
    return { paused_since, attempts: row.attempts - 1, run_at: timestamp(now + pause) };
  }
  if (row.attempts >= row.max_attempts) return failed;
  return { paused_since: null, run_at: timestamp(now + backoffAfter(row.attempts)) };
}

/**
 * Returns the next state of a job that was enqueued again during the failed attempt: it does not end with its last one. It
 * runs at the requested time after its first failure; further ones are backed off, or it would fail at each request.
 */
export function outcomeOfMarked(row: JobRow, error: unknown, now: number): Partial<JobRow> {
  const changes = outcomeOf(row, error, now);
  const fresh = { again: null, attempts: 0 };
  if (changes.failed_at) return { ...fresh, paused_since: null, run_at: timestamp(now + backoffAfter(row.attempts)) };
  if (isOutage(error)) return { ...changes, ...fresh };
  return row.last_error === null ? { ...fresh, paused_since: null } : { ...changes, again: null };
}
