import { describe, expect, it } from 'vitest';
import { monthsBefore } from './calendar.ts';

const twoMonthsBefore = (time: string) => new Date(monthsBefore(Date.parse(time), 2)).toISOString();

describe('two months before', () => {
  it.each([
    ['2026-05-15T10:11:12.013Z', '2026-03-15T10:11:12.013Z'],
    ['2026-01-31T00:00:00.000Z', '2025-11-30T00:00:00.000Z'],
    ['2026-04-30T23:59:59.999Z', '2026-02-28T23:59:59.999Z'],
    ['2028-04-30T00:00:00.000Z', '2028-02-29T00:00:00.000Z'],
  ])('%s is %s', (now, earlier) => expect(twoMonthsBefore(now)).toBe(earlier));
});
