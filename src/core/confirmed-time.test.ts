import { expect, it } from 'vitest';
import { beginConfirmedTime, confirmedNow, latestNow } from './confirmed-time.ts';

const minute = 60_000;
const hour = 60 * minute;
const year = 365 * 24 * hour;
const start = Date.UTC(2026, 3, 1);

/** A clock that can be wrong. */
function wrongClock() {
  const state = { elapsed: 0, error: 0 };
  return { state, now: () => start + state.elapsed + state.error, elapsed: () => state.elapsed };
}

it('is the clock as long as it does not jump ahead', () => {
  const clock = wrongClock();
  expect(confirmedNow(clock)).toBe(start);
  clock.state.elapsed = 3 * hour;
  expect(confirmedNow(clock)).toBe(start + 3 * hour);
  clock.state.error = -year;
  expect(confirmedNow(clock)).toBe(start + 3 * hour - year);
});

it('ignores a jump ahead of less than an hour', () => {
  const clock = wrongClock();
  confirmedNow(clock);
  clock.state.error = year;
  for (const elapsed of [1, minute, 59 * minute]) {
    clock.state.elapsed = elapsed;
    expect(confirmedNow(clock)).toBe(start + elapsed);
  }
  clock.state.error = 0;
  clock.state.elapsed = 2 * hour;
  expect(confirmedNow(clock)).toBe(start + 2 * hour);
  clock.state.error = year;
  expect(confirmedNow(clock)).toBe(start + 2 * hour);
});

it('follows a clock that stays ahead', () => {
  const clock = wrongClock();
  confirmedNow(clock);
  clock.state.error = year;
  confirmedNow(clock);
  clock.state.elapsed = hour;
  expect(confirmedNow(clock)).toBe(start + year + hour);
});

it('begins with the newest time of the data, for an hour', () => {
  const clock = wrongClock();
  const newest = start - year;
  beginConfirmedTime(clock, newest);
  expect(confirmedNow(clock)).toBe(newest);
  clock.state.elapsed = 59 * minute;
  expect(confirmedNow(clock)).toBe(newest + 59 * minute);
  clock.state.elapsed = hour;
  expect(confirmedNow(clock)).toBe(start + hour);
});

it('begins with the clock where there are no data, or only newer ones', () => {
  for (const newest of [null, start + year]) {
    const clock = wrongClock();
    beginConfirmedTime(clock, newest);
    expect(confirmedNow(clock)).toBe(start);
  }
});

it('knows that a clock behind the data has lost time', () => {
  const clock = wrongClock();
  clock.state.error = -year;
  beginConfirmedTime(clock, start);
  clock.state.elapsed = hour;
  expect(latestNow(clock)).toBe(start + hour);
  clock.state.error = minute;
  expect(latestNow(clock)).toBe(start + hour + minute);
});
