import { describe, expect, it } from 'vitest';
import { logLimits, MessageCounts, telemetryLimits } from './message-counts.ts';

const start = Date.UTC(2026, 0, 1, 10, 20, 30);
const minute = 60_000;

function send(counts: MessageCounts, deviceId: number, many: number, now: number) {
  let last = null;
  for (let i = 0; i < many; i++) last = counts.count(deviceId, now);
  return last && `${last.limit.most} a ${last.limit.window} until ${new Date(last.until).toISOString()}`;
}

describe('messages are counted', () => {
  it('by the minute of the clock', () => {
    const counts = new MessageCounts(logLimits);
    expect(send(counts, 1, 250, start)).toBe(null);
    expect(send(counts, 1, 1, start + 29_999)).toBe('250 a minute until 2026-01-01T10:21:00.000Z');
    expect(send(counts, 2, 1, start)).toBe(null);
    expect(send(counts, 1, 250, start + 30_000)).toBe(null);
    expect(send(counts, 1, 1, start + 30_000)).toBe('250 a minute until 2026-01-01T10:22:00.000Z');
  });

  it('by the hour and the day, of which the longest decides', () => {
    const counts = new MessageCounts(logLimits);
    const midnight = Date.UTC(2026, 0, 1);
    for (let i = 0; i < 20; i++) expect(send(counts, 1, 250, midnight + i * minute)).toBe(null);
    expect(send(counts, 1, 1, midnight + 20 * minute)).toBe('5000 a hour until 2026-01-01T01:00:00.000Z');
    expect(send(counts, 1, 1, midnight + 60 * minute)).toBe(null);
    // 5,001 so far today, and one in this hour.
    expect(send(counts, 1, 19_998, midnight + 61 * minute)).toBe('5000 a hour until 2026-01-01T02:00:00.000Z');
    expect(send(counts, 1, 1, midnight + 125 * minute)).toBe('25000 a day until 2026-01-02T00:00:00.000Z');
    expect(send(counts, 1, 1, midnight + 24 * 60 * minute)).toBe(null);
  });

  it('less for telemetry', () => {
    const counts = new MessageCounts(telemetryLimits);
    expect(send(counts, 1, 25, start)).toBe(null);
    expect(send(counts, 1, 1, start)).toBe('25 a minute until 2026-01-01T10:21:00.000Z');
    for (let i = 1; i <= 8; i++) expect(send(counts, 1, 25, start + i * minute)).toBe(null);
    expect(send(counts, 1, 25, start + 9 * minute)).toBe('250 a hour until 2026-01-01T11:00:00.000Z');
  });

  it('and taken back', () => {
    const counts = new MessageCounts(logLimits);
    send(counts, 1, 250, start);
    counts.takeBack(1, start);
    expect(send(counts, 1, 1, start)).toBe(null);
    // What was counted a minute ago makes no room in this one.
    send(counts, 1, 250, start + minute);
    counts.takeBack(1, start);
    expect(send(counts, 1, 1, start + minute)).not.toBe(null);
    counts.takeBack(9, start);
  });

  it('without keeping devices of other days, nor ever more than 100,000', () => {
    const counts = new MessageCounts(logLimits);
    for (let device = 1; device <= 100_005; device++) counts.count(device, start);
    expect(counts.size).toBe(100_000);
    counts.count(1, start + 24 * 60 * minute);
    expect(counts.size).toBe(1);
  });
});
