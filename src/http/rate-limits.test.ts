import { describe, expect, it } from 'vitest';
import { FixedWindow, limitKind, RateLimits } from './rate-limits.ts';

const noon = Date.UTC(2026, 10, 21, 12, 0, 0);

/** How many of `tries` requests are let through. */
const admitted = (tries: number, admits: () => boolean): number => {
  let count = 0;
  for (let i = 0; i < tries; i++) if (admits()) count++;
  return count;
};

describe('FixedWindow', () => {
  it('begins anew with the clock, not with the first hit', () => {
    const window = new FixedWindow(2, 60_000);
    expect(admitted(3, () => window.admits('a', noon + 59_000))).toBe(2);
    expect(window.admits('b', noon + 59_000)).toBe(true);
    expect(window.admits('a', noon + 60_000)).toBe(true);
    expect(window.size).toBe(1);
  });
  it('forgets the oldest keys rather than grow without end', () => {
    const window = new FixedWindow(1, 60_000);
    for (let i = 0; i < 100_050; i++) window.admits(String(i), noon);
    expect(window.size).toBe(100_000);
  });
});

describe('RateLimits', () => {
  it('has the limits of the reference', () => {
    const limits = new RateLimits();
    expect(admitted(1001, () => limits.admits('10.0.0.1', 'general', noon))).toBe(1000);
    expect(limits.admits('10.0.0.1', 'none', noon)).toBe(true);
    expect(admitted(16, () => limits.admits('10.0.0.2', 'sync', noon))).toBe(15);
    expect(limits.admits('10.0.0.2', 'general', noon)).toBe(true);
    expect(admitted(31, () => limits.admits('10.0.0.3', 'reset', noon))).toBe(30);
    expect(limits.admits('10.0.0.3', 'reset', noon + 59 * 60_000)).toBe(false);
    expect(limits.admits('10.0.0.3', 'reset', noon + 60 * 60_000)).toBe(true);
  });
  it('counts e-mail addresses across clients, trimmed and without case', () => {
    const limits = new RateLimits();
    expect(limits.admitsReset('10.0.0.1', 'a@b.c', noon)).toBe(true);
    expect(limits.admitsReset('10.0.0.2', ' A@b.c ', noon)).toBe(true);
    expect(limits.admitsReset('10.0.0.3', 'a@B.c', noon)).toBe(true);
    expect(limits.admitsReset('10.0.0.4', 'a@b.c', noon)).toBe(false);
    expect(limits.admitsReset('127.0.0.1', 'a@b.c', noon)).toBe(true);
  });
  it('never limits the machine itself', () => {
    const limits = new RateLimits();
    for (const address of ['127.0.0.1', '::1'])
      expect(admitted(2000, () => limits.admits(address, 'sync', noon))).toBe(2000);
  });
});

it.each([
  ['/api/tools', 'general'],
  ['/', 'general'],
  ['/api/rmq/user', 'none'],
  ['/api/device/sync', 'sync'],
  ['/api/password_resets', 'reset'],
  ['/api/password_resets/:token', 'reset'],
  ['/api/password_resets_x', 'general'],
])('%s falls under %s', (path, kind) => expect(limitKind(path)).toBe(kind));
