import { expect, it } from 'vitest';
import { dayAt, momentAt, plantingOn } from './zoned-days.ts';

it.each([
  ['an evening in Los Angeles', '2026-06-02T04:30:00.000Z', 'America/Los_Angeles', '2026-06-01'],
  ['a morning in Auckland', '2026-06-01T20:00:00.000Z', 'Pacific/Auckland', '2026-06-02'],
  ['a night in Berlin', '2026-05-31T22:30:00.000Z', 'Europe/Berlin', '2026-06-01'],
])('the day of %s is the garden’s', (_name, at, zone, day) => expect(dayAt(at, zone)).toBe(day));

it.each(['America/Los_Angeles', 'Pacific/Auckland', 'Pacific/Kiritimati', 'Asia/Kolkata', 'UTC'])(
  'noon of a chosen day is on that day in %s',
  (zone) => {
    expect(dayAt(momentAt('2026-06-01', '12:00', zone) ?? '', zone)).toBe('2026-06-01');
    expect(momentAt('', '12:00', zone)).toBeNull();
  },
);

it.each([
  ['a day before', '2026-06-01', '2026-06-01T16:00:00.000Z'],
  ['today, in the morning', '2026-06-02', '2026-06-02T14:00:00.000Z'],
  ['a day to come', '2026-06-03', '2026-06-03T16:00:00.000Z'],
])('plants on %s of a garden in New York', (_name, day, at) => {
  expect(plantingOn(day, 'America/New_York', Date.parse('2026-06-02T14:00:00Z'))).toBe(at);
});
