import { parseOptions } from '@node-rs/argon2';
import { describe, expect, it } from 'vitest';
import { testPasswordCost } from '../../test/support/password-cost.ts';
import { Failure } from '../core/errors.ts';
import { loadArgon2 } from '../core/native-module.ts';
import { dummyHash, Passwords } from './passwords.ts';

describe('passwords', () => {
  it('are hashed with argon2id and a salt, at the default cost', async () => {
    const passwords = new Passwords();
    const [a, b] = [await passwords.hash('password123'), await passwords.hash('password123')];
    expect(a).toMatch(/^\$argon2id\$v=19\$m=32768,t=3,p=1\$/);
    expect(a).not.toBe(b);
    expect(await passwords.verify(a, 'password123')).toBe(true);
    expect(await passwords.verify(a, 'password124')).toBe(false);
  });

  it.each([
    ['the default cost', undefined],
    ['another cost', testPasswordCost],
  ])('take as long to verify for unknown accounts as for others, at %s', async (_name, cost) => {
    const passwords = new Passwords(cost);
    expect(parseOptions(dummyHash(cost))).toEqual(parseOptions(await passwords.hash('password123')));
    expect(await passwords.verify(null, 'password123')).toBe(false);
  });

  it('match in each normal form of Unicode, also if they were stored before', async () => {
    const passwords = new Passwords(testPasswordCost);
    const composed = 'Möhrenbeet\u00e9';
    const stored = [await passwords.hash(composed), await passwords.hash(composed.normalize('NFD'))];
    const { hash } = await loadArgon2();
    for (const form of ['NFC', 'NFD'] as const) stored.push(await hash(composed.normalize(form)));
    for (const each of stored)
      for (const form of ['NFC', 'NFD'] as const)
        expect(await passwords.verify(each, composed.normalize(form))).toBe(true);
    expect(await passwords.verify(stored[0] ?? null, 'Mohrenbeete')).toBe(false);
  });

  it('are verified at the cost of their own hash', async () => {
    const hash = await new Passwords(testPasswordCost).hash('password123');
    expect(hash).toMatch(/^\$argon2id\$v=19\$m=8,t=1,p=1\$/);
    expect(await new Passwords().verify(hash, 'password123')).toBe(true);
    expect(await new Passwords().verify(hash, 'password124')).toBe(false);
  });

  it('are rejected without hashing if they have more than 1024 characters', () => {
    const passwords = new Passwords();
    expect(() => passwords.hash('x'.repeat(1025))).toThrow(Failure);
    expect(() => passwords.verify(null, 'x'.repeat(1025))).toThrow(Failure);
  });

  it('queue up to 200 requests, without blocking the event loop', async () => {
    // All take half a second of computing.
    const passwords = new Passwords({ memoryCost: 4096, timeCost: 1, parallelism: 1 });
    let ticks = 0;
    const timer = setInterval(() => ticks++, 1);
    const outcomes = await Promise.all(
      Array.from({ length: 205 }, () => passwords.verify(null, 'a password').catch((error: unknown) => error)),
    );
    clearInterval(timer);
    const rejected = outcomes.filter((outcome) => outcome instanceof Failure && outcome.status === 429);
    expect(rejected).toHaveLength(3);
    expect(outcomes.filter((outcome) => outcome === false)).toHaveLength(202);
    // A blocked loop would not run the timer between the hashes.
    expect(ticks).toBeGreaterThan(20);
    expect(await passwords.verify(null, 'afterwards')).toBe(false);
  });

  it('of one network do not make another’s wait', async () => {
    const passwords = new Passwords(testPasswordCost);
    let guesses = 0;
    const all = Array.from({ length: 150 }, async () => {
      await passwords.verify(null, 'a guess', '203.0.113.1');
      guesses++;
    });
    await passwords.verify(null, 'another network', '203.0.113.2');
    expect(guesses).toBeLessThan(10);
    await Promise.all(all);
  });
});
