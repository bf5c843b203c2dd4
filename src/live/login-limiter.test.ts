import { describe, expect, it } from 'vitest';
import { AdminPassword, LoginLimit } from './login-limiter.ts';

const noon = Date.UTC(2026, 10, 21, 12, 0, 7);
const minute = 60_000;

describe('LoginLimit', () => {
  it('counts five minutes from the first login, and refused ones not', () => {
    const limit = new LoginLimit();
    for (let i = 0; i < 3; i++) expect(limit.admits('a', 3, noon + i * minute)).toBe(true);
    expect(limit.admits('a', 3, noon + 3 * minute)).toBe(false);
    expect(limit.admits('b', 3, noon + 3 * minute)).toBe(true);
    expect(limit.admits('a', 3, noon + 5 * minute - 1)).toBe(false);
    expect(limit.admits('a', 3, noon + 5 * minute)).toBe(true);
    expect(limit.admits('a', 3, noon + 5 * minute)).toBe(true);
  });
});

describe('AdminPassword', () => {
  it('takes the one password', () => {
    const admin = new AdminPassword('geheim');
    expect(admin.check('geheim', '10.0.0.1', noon)).toBe('right');
    for (const wrong of ['', 'geheim ', 'Geheim', 'x'.repeat(60_000)])
      expect(admin.check(wrong, '10.0.0.1', noon)).toBe('wrong');
  });

  it.each([null, '', 'vier', '🌱🌱🌱🌱'])('takes none where %j is set', (password) => {
    const admin = new AdminPassword(password);
    expect(admin.check(password ?? '', '10.0.0.1', noon)).toBe('wrong');
  });

  it('makes an address wait after ten wrong ones, for the rest of the minute', () => {
    const admin = new AdminPassword('geheim');
    for (let i = 0; i < 10; i++) expect(admin.check('falsch', '10.0.0.1', noon)).toBe('wrong');
    expect(admin.check('geheim', '10.0.0.1', noon + 52_999)).toBe('blocked');
    expect(admin.check('geheim', '10.0.0.2', noon)).toBe('right');
    expect(admin.check('geheim', '10.0.0.1', noon + 53_000)).toBe('right');
  });

  it('counts MQTT clients apart: through RabbitMQ all of them come from its address', () => {
    const admin = new AdminPassword('geheim');
    for (let i = 0; i < 10; i++) admin.check('falsch', '10.0.0.1', noon, true);
    expect(admin.check('geheim', '10.0.0.1', noon, true)).toBe('blocked');
    expect(admin.check('geheim', '10.0.0.1', noon)).toBe('right');
  });

  it('counts a whole IPv6 network as one', () => {
    const admin = new AdminPassword('geheim');
    for (let i = 0; i < 10; i++) admin.check('falsch', `2001:db8:1:2::${i}`, noon);
    expect(admin.check('geheim', '2001:db8:1:2:ffff::1', noon)).toBe('blocked');
    expect(admin.check('geheim', '2001:db8:1:3::1', noon)).toBe('right');
  });

  it('lets right ones count nothing', () => {
    const admin = new AdminPassword('geheim');
    for (let i = 0; i < 50; i++) expect(admin.check('geheim', '10.0.0.1', noon)).toBe('right');
  });
});
