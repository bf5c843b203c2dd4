import { expect, it } from 'vitest';
import { digitsOf, tickOf } from './chart-ticks.ts';

it('has the date where a day of the garden begins, and the clock between', () => {
  const hour = 3600;
  const midnight = Date.parse('2026-11-23T00:00:00+01:00') / 1000;
  const format = (at: number, timeZone: string, options: Intl.DateTimeFormatOptions): string =>
    new Date(at).toLocaleString('en', { ...options, timeZone });
  const words = (time: number, step: number): string => tickOf(time, { step, zone: 'Europe/Paris', format });
  expect(words(midnight, 12 * hour)).toBe('Nov 23');
  expect(words(midnight + 12 * hour, 12 * hour)).toMatch(/^12:00\sPM$/);
  expect(words(midnight + 2 * 24 * hour, 24 * hour)).toBe('Nov 25');
  expect([0, 30, 60].map((seconds) => words(midnight + 12 * hour + seconds, 30).slice(0, 5))).toEqual([
    '12:00',
    '',
    '12:01',
  ]);
});

it('writes values a step of an axis apart differently', () => {
  const words = (step: number): string[] =>
    [1, 2].map((count) => (count * step).toLocaleString('en', { maximumFractionDigits: digitsOf(step) }));
  expect(words(0.02)).toEqual(['0.02', '0.04']);
  expect(words(0.25)).toEqual(['0.25', '0.5']);
  expect(words(2.5)).toEqual(['2.5', '5']);
  expect(words(10)).toEqual(['10', '20']);
});
