import { constants, createPublicKey, publicEncrypt } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { decryptedCredentials, encryptedText, unpadded } from './credentials.ts';
import type { KeyPair } from './key-pair.ts';
import { loadKeyPair } from './key-pair.ts';

let keyPair: KeyPair;
beforeAll(async () => {
  keyPair = await loadKeyPair({ read: async () => null, write: async (pem) => pem });
});

const asRobots = (text: string): string =>
  publicEncrypt(
    { key: createPublicKey(keyPair.publicPem), padding: constants.RSA_PKCS1_PADDING },
    Buffer.from(text),
  ).toString('base64');

describe('encrypted credentials', () => {
  it('are decrypted if a robot sent them; other keys are ignored', () => {
    const secret = asRobots('{"email":"Ada@Example.com ","password":"password123","id":"0f3c","version":1}');
    expect(decryptedCredentials(keyPair.privateKey, secret)).toEqual({
      email: 'ada@example.com',
      password: 'password123',
    });
  });

  it('are decrypted repeatedly, with line breaks', () => {
    const secret = encryptedText(keyPair.publicKey, { email: 'ada@example.com', password: 'password123' });
    expect(secret?.split('\n').map((line) => line.length)).toEqual([60, 60, 60, 60, 60, 44, 0]);
    for (let i = 0; i < 3; i++)
      expect(decryptedCredentials(keyPair.privateKey, secret ?? '')).toEqual({
        email: 'ada@example.com',
        password: 'password123',
      });
  });

  it('are null if they cannot be decrypted', () => {
    for (const secret of [
      '',
      'x',
      'QUJD',
      'A'.repeat(344),
      '/'.repeat(344),
      'A'.repeat(100_000),
      asRobots('not JSON'),
      asRobots('null'),
      asRobots('{"email":"ada@example.com"}'),
      asRobots('{"email":1,"password":"x"}'),
    ])
      expect(decryptedCredentials(keyPair.privateKey, secret)).toBeNull();
  });

  it('have at most 245 bytes', () => {
    const json = (length: number) => ({ a: 'x'.repeat(length - '{"a":""}'.length) });
    expect(encryptedText(keyPair.publicKey, json(245))).not.toBeNull();
    expect(encryptedText(keyPair.publicKey, json(246))).toBeNull();
  });
});

describe('the padding', () => {
  const block = (...head: number[]): Buffer =>
    Buffer.concat([Buffer.from(head), Buffer.from('message')], head.length + 7);

  it('is removed if it is valid', () => {
    expect(unpadded(block(0, 2, 1, 2, 3, 4, 5, 6, 7, 8, 0)).toString()).toBe('message');
    expect(unpadded(block(0, 2, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0)).toString()).toBe('message');
    expect(unpadded(block(0, 2, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0)).toString()).toBe('\0message');
  });

  it('returns random bytes if it is invalid', () => {
    for (const wrong of [
      block(1, 2, 1, 2, 3, 4, 5, 6, 7, 8, 0),
      block(0, 1, 1, 2, 3, 4, 5, 6, 7, 8, 0),
      block(0, 2, 1, 2, 3, 4, 5, 6, 7, 0),
      block(0, 2, 0, 2, 3, 4, 5, 6, 7, 8, 0),
      block(0, 2, 1, 2, 3, 4, 5, 6, 7, 8, 9),
    ]) {
      const first = unpadded(wrong);
      expect(first).toHaveLength(wrong.length - 11);
      expect(first.equals(unpadded(wrong))).toBe(false);
    }
  });
});
