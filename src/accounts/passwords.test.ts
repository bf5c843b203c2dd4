import { parseOptions } from '@node-rs/argon2';
import { describe, expect, it } from 'vitest';
import { Failure } from '../core/errors.ts';
import { dummyHash, Passwords } from './passwords.ts';

describe('passwords', () => {
  it('are hashed with argon2id and a salt', async () => {
    const passwords = new Passwords();
    const [a, b] = [await passwords.hash('password123'), await passwords.hash('password123')];
    expect(a).toMatch(/^\$argon2id\$v=19\$m=32768,t=3,p=1\$/);
    expect(a).not.toBe(b);
    expect(await passwords.verify(a, 'password123')).toBe(true);
    expect(await passwords.verify(a, 'password124')).toBe(false);
  });

  it('of nobody cost as much as those of somebody', async () => {
    const passwords = new Passwords();
    expect(parseOptions(dummyHash)).toEqual(parseOptions(await passwords.hash('password123')));
    expect(await passwords.verify(null, 'password123')).toBe(false);
  });

  it('beyond 1024 characters are refused before any work', () => {
    const passwords = new Passwords();
    expect(() => passwords.hash('x'.repeat(1025))).toThrow(Failure);
    expect(() => passwords.verify(null, 'x'.repeat(1025))).toThrow(Failure);
  });

  it('wait for their turn, 200 at most; the event loop goes on meanwhile', async () => {
    const passwords = new Passwords();
    let ticks = 0;
    const timer = setInterval(() => ticks++, 5);
    const outcomes = await Promise.all(
      Array.from({ length: 205 }, () => passwords.verify(null, 'a password').catch((error: unknown) => error)),
    );
    clearInterval(timer);
    const refused = outcomes.filter((outcome) => outcome instanceof Failure && outcome.status === 429);
    expect(refused).toHaveLength(3);
    expect(outcomes.filter((outcome) => outcome === false)).toHaveLength(202);
    expect(ticks).toBeGreaterThan(50);
    expect(await passwords.verify(null, 'afterwards')).toBe(false);
  }, 60_000);
});
