import { describe, expect, it } from 'vitest';
import { afterQuietHours } from './quiet-hours.ts';

const hours = (quiet_from: string | null, quiet_to: string | null) => ({ quiet_from, quiet_to });
const end = (from: string | null, to: string | null, at: string, zone = 'UTC'): string =>
  new Date(afterQuietHours(hours(from, to), zone, Date.parse(at))).toISOString();

describe('quiet hours', () => {
  it('end at their local time, also beyond midnight', () => {
    expect(end('22:00', '07:00', '2026-04-01T23:30:10.500Z')).toBe('2026-04-02T07:00:00.000Z');
    expect(end('22:00', '07:00', '2026-04-02T06:59:59.000Z')).toBe('2026-04-02T07:00:00.000Z');
    expect(end('12:00', '14:00', '2026-04-01T12:00:00.000Z')).toBe('2026-04-01T14:00:00.000Z');
    expect(end('22:00', '07:00', '2026-04-01T21:30:00.000Z', 'Europe/Paris')).toBe('2026-04-02T05:00:00.000Z');
  });

  it('end when the clock shows their end, where it is changed meanwhile', () => {
    expect(end('22:00', '07:00', '2026-03-28T22:00:00.000Z', 'Europe/Paris')).toBe('2026-03-29T05:00:00.000Z');
    expect(end('22:00', '07:00', '2026-10-24T21:00:00.000Z', 'Europe/Paris')).toBe('2026-10-25T06:00:00.000Z');
  });

  it('delay nothing outside of them, and where there are none', () => {
    for (const [from, to] of [
      ['22:00', '07:00'],
      ['12:00', '12:00'],
      [null, null],
    ] as const)
      expect(end(from, to, '2026-04-01T12:00:00.250Z')).toBe('2026-04-01T12:00:00.250Z');
    expect(end('22:00', '07:00', '2026-04-01T07:00:00.000Z')).toBe('2026-04-01T07:00:00.000Z');
  });
});
