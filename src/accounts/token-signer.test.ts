import { createHmac, createPublicKey, verify as verifySignature } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import type { KeyPair } from './key-pair.ts';
import { loadKeyPair } from './key-pair.ts';
import { claimedDeviceId, resetLifetime, TokenSigner } from './token-signer.ts';

const clock = { time: Date.UTC(2026, 3, 1), now: () => clock.time };
const addresses = { iss: '//192.168.1.20:3000', mqtt: '192.168.1.20', mqttWs: 'ws://192.168.1.20:3000/ws' };
const request = { userId: 5, deviceId: 17, aud: 'human', addresses };
const memory = { read: async () => null, write: async (pem: string) => pem };

let keyPair: KeyPair;
let otherKeyPair: KeyPair;
let signer: TokenSigner;
beforeAll(async () => {
  [keyPair, otherKeyPair] = await Promise.all([loadKeyPair(memory), loadKeyPair(memory)]);
  signer = new TokenSigner(keyPair, clock);
});

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const segments = (token: string): string[] => token.split('.');
const header = (token: string): unknown => JSON.parse(Buffer.from(segments(token)[0] ?? '', 'base64url').toString());

const resetOf = (sub: string) =>
  ({ aud: 'PASSWORD_RESETER', sub, iss: '//a:1', pwd: 'digest', expires: clock.time + resetLifetime }) as const;

describe('session tokens', () => {
  it('have the claims that clients read, in order, for 60 days', () => {
    const { unencoded, encoded } = signer.signSession(request);
    expect(JSON.stringify({ ...unencoded, jti: '-' })).toBe(
      '{"aud":"human","sub":5,"iat":1775001600,"jti":"-","iss":"//192.168.1.20:3000","exp":1780185600,' +
        '"mqtt":"192.168.1.20","bot":"device_17","vhost":"/","mqtt_ws":"ws://192.168.1.20:3000/ws"}',
    );
    expect(header(encoded)).toEqual({ typ: 'JWT', alg: 'RS256' });
    // As browsers do: atob does not decode base64url.
    expect(JSON.parse(atob(segments(encoded)[1] ?? ''))).toEqual(unencoded);
    expect(claimedDeviceId(unencoded)).toBe(17);
  });

  it('are signed with the published key', () => {
    const [head, payload, signature] = segments(signer.signSession(request).encoded);
    const isValid = verifySignature(
      'sha256',
      Buffer.from(`${head}.${payload}`),
      createPublicKey(keyPair.publicPem),
      Buffer.from(signature ?? '', 'base64url'),
    );
    expect(isValid).toBe(true);
  });

  it('keep a given expiry', () => {
    expect(signer.signSession({ ...request, exp: 1775001700 }).unencoded.exp).toBe(1775001700);
  });

  it('never contain characters that plain Base64 cannot decode', () => {
    for (const mqttWs of ['ws://a/ws?b', 'ws://a/~b', 'ws://gärten/ws', 'ws://a>b'])
      expect(() => signer.signSession({ ...request, addresses: { ...addresses, mqttWs } })).toThrow(/mqtt_ws/);
  });

  it('are verified, also from the cache, whatever the time', () => {
    const { encoded, unencoded } = signer.signSession({ ...request, exp: 1775001660 });
    expect(signer.verifySession(encoded)).toEqual(unencoded);
    expect(signer.verifySession(encoded)).toEqual(unencoded);
    clock.time += 60_000;
    expect(new TokenSigner(keyPair, clock).verifySession(encoded)).toEqual(unencoded);
    clock.time -= 60_000;
  });

  it('are rejected with another key, without a signature or with an HMAC', () => {
    const { encoded, unencoded } = signer.signSession(request);
    const [head, payload, signature] = segments(encoded);
    const none = part({ alg: 'none', typ: 'JWT' });
    const hmac = part({ alg: 'HS256', typ: 'JWT' });
    const keyed = createHmac('sha256', keyPair.publicPem).update(`${hmac}.${payload}`).digest('base64url');
    const changed = part({ ...unencoded, sub: 6 });
    for (const forged of [
      new TokenSigner(otherKeyPair, clock).signSession(request).encoded,
      `${none}.${payload}.`,
      `${none}.${payload}.${signature}`,
      `${hmac}.${payload}.${keyed}`,
      `${head}.${changed}.${signature}`,
      `${head}.${payload}.`,
      `${head}.${payload}`,
      'x',
      'x.y.z',
      '',
      '..',
    ])
      expect(signer.verifySession(forged)).toBeNull();
  });

  it('are rejected if they are tokens of links', () => {
    expect(signer.verifySession(signer.signLink(resetOf('ada@example.com')))).toBeNull();
  });
});

describe('tokens of links', () => {
  it('contain the address and the digest of the password hash, until they expire', () => {
    const claims = signer.verifyLink(signer.signLink(resetOf('o?~>@example.com')));
    expect(claims).toMatchObject({
      aud: 'PASSWORD_RESETER',
      sub: 'o?~>@example.com',
      iat: 1775001600,
      exp: 1775088000,
      iss: '//a:1',
      pwd: 'digest',
    });
  });

  it('are unusable if expired, malformed or of the other kind, and forged if signed with another key', () => {
    const token = signer.signLink(resetOf('ada@example.com'));
    clock.time += 24 * 3600_000;
    expect(signer.verifyLink(token)).toBe('unusable');
    clock.time -= 24 * 3600_000;
    expect(signer.verifyLink('x')).toBe('unusable');
    expect(signer.verifyLink(signer.signSession(request).encoded)).toBe('unusable');
    expect(signer.verifyLink(new TokenSigner(otherKeyPair, clock).signLink(resetOf('ada@example.com')))).toBe('forged');
  });
});
