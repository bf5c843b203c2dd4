import { describe, expect, it } from 'vitest';
import type { Timestamp } from '../core/clock.ts';
import { formatPeriod, periodBefore } from './account-activity.ts';

const now = Date.UTC(2026, 4, 31, 12);

describe('a period before now', () => {
  it('subtracts months first, then days', () => {
    // There is no 31 February.
    expect(periodBefore(now, { months: 3, days: 0 })).toBe('2026-02-28T12:00:00.000Z');
    expect(periodBefore(now, { months: 2, days: 15 })).toBe('2026-03-16T12:00:00.000Z');
    expect(periodBefore(now, { months: 29, days: 15 })).toBe('2023-12-16T12:00:00.000Z');
  });
});

it.each([
  ['2026-05-31T11:59:59.999Z', '1 month'],
  ['2026-03-31T12:00:00.001Z', '1 month'],
  ['2026-03-31T12:00:00.000Z', '2 months'],
  ['2024-06-01T00:00:00.000Z', '23 months'],
  ['2024-05-31T12:00:00.000Z', '2 years'],
  ['2020-01-01T00:00:00.000Z', '6 years'],
])('%s was at least %s ago', (since, words) => expect(formatPeriod(since, now)).toBe(words));

it('a period is written in the language of the recipient', () => {
  const words = (since: Timestamp) => formatPeriod(since, now, 'fr').replace(/\s/, ' ');
  expect(words('2026-05-31T11:59:59.999Z')).toBe('1 mois');
  expect(words('2020-01-01T00:00:00.000Z')).toBe('6 ans');
});
