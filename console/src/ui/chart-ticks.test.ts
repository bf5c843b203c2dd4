import { expect, it } from 'vitest';
import { tickOf } from './chart-ticks.ts';

it('has the date where a day of the garden begins, and the clock between', () => {
  const hour = 3600;
  const midnight = Date.parse('2026-11-23T00:00:00+01:00') / 1000;
  const format = (at: number, timeZone: string, options: Intl.DateTimeFormatOptions): string =>
    new Date(at).toLocaleString('en', { ...options, timeZone });
  const words = (time: number, step: number): string => tickOf(time, { step, zone: 'Europe/Paris', format });
  expect(words(midnight, 12 * hour)).toBe('Nov 23');
  expect(words(midnight + 12 * hour, 12 * hour)).toMatch(/^12:00\sPM$/);
  expect(words(midnight + 2 * 24 * hour, 24 * hour)).toBe('Nov 25');
});
