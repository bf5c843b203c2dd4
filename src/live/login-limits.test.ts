import { describe, expect, it } from 'vitest';
import { AdminPassword, LoginLimiter } from './login-limits.ts';

const noon = Date.UTC(2026, 10, 21, 12, 0, 7);
const minute = 60_000;

describe('LoginLimiter', () => {
  it('counts five minutes from the first sign-in, without rejected ones', () => {
    const limiter = new LoginLimiter();
    for (let i = 0; i < 3; i++) expect(limiter.consume('a', 3, noon + i * minute)).toBe(true);
    expect(limiter.consume('a', 3, noon + 3 * minute)).toBe(false);
    expect(limiter.consume('b', 3, noon + 3 * minute)).toBe(true);
    expect(limiter.consume('a', 3, noon + 5 * minute - 1)).toBe(false);
    expect(limiter.consume('a', 3, noon + 5 * minute)).toBe(true);
    expect(limiter.consume('a', 3, noon + 5 * minute)).toBe(true);
  });
});

describe('AdminPassword', () => {
  it('accepts the password only', () => {
    const admin = new AdminPassword('geheim');
    expect(admin.check('geheim', '10.0.0.1', noon)).toBe('correct');
    for (const wrong of ['', 'geheim ', 'Geheim', 'x'.repeat(60_000)])
      expect(admin.check(wrong, '10.0.0.1', noon)).toBe('wrong');
  });

  it.each([null, '', 'vier', '🌱🌱🌱🌱'])('accepts no password where %j is set', (password) => {
    const admin = new AdminPassword(password);
    expect(admin.check(password ?? '', '10.0.0.1', noon)).toBe('wrong');
  });

  it('blocks an address after ten wrong passwords, for the rest of the minute', () => {
    const admin = new AdminPassword('geheim');
    for (let i = 0; i < 10; i++) expect(admin.check('falsch', '10.0.0.1', noon)).toBe('wrong');
    expect(admin.check('geheim', '10.0.0.1', noon + 52_999)).toBe('blocked');
    expect(admin.check('geheim', '10.0.0.2', noon)).toBe('correct');
    expect(admin.check('geheim', '10.0.0.1', noon + 53_000)).toBe('correct');
  });

  it('counts MQTT clients separately: behind RabbitMQ all of them have its address', () => {
    const admin = new AdminPassword('geheim');
    for (let i = 0; i < 10; i++) admin.check('falsch', '10.0.0.1', noon, true);
    expect(admin.check('geheim', '10.0.0.1', noon, true)).toBe('blocked');
    expect(admin.check('geheim', '10.0.0.1', noon)).toBe('correct');
  });

  it('counts an IPv6 network as one address', () => {
    const admin = new AdminPassword('geheim');
    for (let i = 0; i < 10; i++) admin.check('falsch', `2001:db8:1:2::${i}`, noon);
    expect(admin.check('geheim', '2001:db8:1:2:ffff::1', noon)).toBe('blocked');
    expect(admin.check('geheim', '2001:db8:1:3::1', noon)).toBe('correct');
  });

  it('does not count correct passwords', () => {
    const admin = new AdminPassword('geheim');
    for (let i = 0; i < 50; i++) expect(admin.check('geheim', '10.0.0.1', noon)).toBe('correct');
  });
});
