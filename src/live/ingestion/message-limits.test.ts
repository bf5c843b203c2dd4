import { describe, expect, it } from 'vitest';
import { importantLogLimits, logLimits, MessageLimiter, telemetryLimits } from './message-limits.ts';

const start = Date.UTC(2026, 0, 1, 10, 20, 30);
const minute = 60_000;

function send(limiter: MessageLimiter, deviceId: number, count: number, now: number) {
  let last = null;
  for (let i = 0; i < count; i++) last = limiter.count(deviceId, now);
  return last && `${last.limit.max} a ${last.limit.window} until ${new Date(last.until).toISOString()}`;
}

describe('a message limiter', () => {
  it('counts by the minute of the clock', () => {
    const limiter = new MessageLimiter(logLimits);
    expect(send(limiter, 1, 250, start)).toBe(null);
    expect(send(limiter, 1, 1, start + 29_999)).toBe('250 a minute until 2026-01-01T10:21:00.000Z');
    expect(send(limiter, 2, 1, start)).toBe(null);
    expect(send(limiter, 1, 250, start + 30_000)).toBe(null);
    expect(send(limiter, 1, 1, start + 30_000)).toBe('250 a minute until 2026-01-01T10:22:00.000Z');
  });

  it('counts by the hour and the day, and returns the longest exceeded limit', () => {
    const limiter = new MessageLimiter(logLimits);
    const midnight = Date.UTC(2026, 0, 1);
    for (let i = 0; i < 20; i++) expect(send(limiter, 1, 250, midnight + i * minute)).toBe(null);
    expect(send(limiter, 1, 1, midnight + 20 * minute)).toBe('5000 a hour until 2026-01-01T01:00:00.000Z');
    expect(send(limiter, 1, 1, midnight + 60 * minute)).toBe(null);
    // 5,001 so far today, and one in this hour.
    expect(send(limiter, 1, 19_998, midnight + 61 * minute)).toBe('5000 a hour until 2026-01-01T02:00:00.000Z');
    expect(send(limiter, 1, 1, midnight + 125 * minute)).toBe('25000 a day until 2026-01-02T00:00:00.000Z');
    expect(send(limiter, 1, 1, midnight + 24 * 60 * minute)).toBe(null);
  });

  it('has lower limits for telemetry', () => {
    const limiter = new MessageLimiter(telemetryLimits);
    expect(send(limiter, 1, 25, start)).toBe(null);
    expect(send(limiter, 1, 1, start)).toBe('25 a minute until 2026-01-01T10:21:00.000Z');
    for (let i = 1; i <= 8; i++) expect(send(limiter, 1, 25, start + i * minute)).toBe(null);
    expect(send(limiter, 1, 25, start + 9 * minute)).toBe('250 a hour until 2026-01-01T11:00:00.000Z');
  });

  it('has limits of their own for important logs', () => {
    expect(importantLogLimits.map(({ window, max }) => [window, max])).toEqual([
      ['minute', 50],
      ['hour', 1000],
      ['day', 5000],
    ]);
  });

  it('reverts a count', () => {
    const limiter = new MessageLimiter(logLimits);
    send(limiter, 1, 250, start);
    limiter.revert(1, start);
    expect(send(limiter, 1, 1, start)).toBe(null);
    // Reverting a message of an earlier minute does not affect this one.
    send(limiter, 1, 250, start + minute);
    limiter.revert(1, start);
    expect(send(limiter, 1, 1, start + minute)).not.toBe(null);
    limiter.revert(9, start);
  });

  it('keeps no devices of other days, and at most 100,000', () => {
    const limiter = new MessageLimiter(logLimits);
    for (let device = 1; device <= 100_005; device++) limiter.count(device, start);
    expect(limiter.size).toBe(100_000);
    limiter.count(1, start + 24 * 60 * minute);
    expect(limiter.size).toBe(1);
  });
});
