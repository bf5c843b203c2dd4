import { createCipheriv, createECDH, createHmac, createPrivateKey, randomBytes, sign } from 'node:crypto';
import type { PushKeys } from './notification-rules.ts';

/** The curve of both specifications. */
const curve = 'prime256v1';
const pointLength = 65;
const authLength = 16;

/** How long a push service keeps a message for a browser that is switched off, in seconds. */
const timeToLive = 24 * 3600;
/** How long a signature for a push service is valid, in seconds; at most a day. [RFC 8292] */
const signatureLifetime = 12 * 3600;
/** Maximum length of a record, which is the whole message. */
const recordSize = 4096;

const hmac = (key: Buffer, ...parts: readonly (Buffer | string)[]): Buffer => {
  const hash = createHmac('sha256', key);
  for (const part of parts) hash.update(part);
  return hash.digest();
};

/** Returns whether the keys are of a browser: a point of the curve, and a secret. */
export function arePushKeys({ p256dh, auth }: PushKeys): boolean {
  const point = Buffer.from(p256dh, 'base64url');
  if (point.length !== pointLength || Buffer.from(auth, 'base64url').length !== authLength) return false;
  try {
    const own = createECDH(curve);
    own.generateKeys();
    own.computeSecret(point);
    return true;
  } catch {
    return false;
  }
}

/** Encrypts a text of at most 3,800 bytes for a browser: one record of `aes128gcm`. [RFC 8291, RFC 8188] */
export function encryptPush(text: string, { p256dh, auth }: PushKeys): Buffer {
  const [receiver, secret] = [Buffer.from(p256dh, 'base64url'), Buffer.from(auth, 'base64url')];
  const own = createECDH(curve);
  const sender = own.generateKeys();
  const shared = hmac(secret, own.computeSecret(receiver));
  const input = hmac(shared, 'WebPush: info\0', receiver, sender, '\x01');
  const salt = randomBytes(16);
  const base = hmac(salt, input);
  const key = hmac(base, 'Content-Encoding: aes128gcm\0\x01').subarray(0, 16);
  const nonce = hmac(base, 'Content-Encoding: nonce\0\x01').subarray(0, 12);
  const cipher = createCipheriv('aes-128-gcm', key, nonce);
  const size = Buffer.alloc(5);
  size.writeUInt32BE(recordSize);
  size.writeUInt8(sender.length, 4);
  // The last record ends with a 2.
  const plain = Buffer.concat([Buffer.from(text), Buffer.of(2)]);
  return Buffer.concat([salt, size, sender, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** The key with which push services recognize this server. */
export interface PushIdentity {
  /** For browsers, which give it to their push service. */
  readonly publicKey: string;
  /** Returns the headers of a message to an address. `subject`: where the operator of the push service finds the server's. [RFC 8292] */
  headers(address: string, subject: string, now: number): Readonly<Record<string, string>>;
}

/** Returns the identity that follows from the key of the server: the same in all processes, and stored nowhere. */
export function pushIdentity({ privatePem }: { readonly privatePem: string }): PushIdentity {
  const own = createECDH(curve);
  own.setPrivateKey(hmac(Buffer.from(privatePem), 'web push'));
  const point = own.getPublicKey();
  const half = (from: number): string => point.subarray(from, from + 32).toString('base64url');
  const d = own.getPrivateKey().toString('base64url').padStart(43, 'A');
  const key = createPrivateKey({ key: { kty: 'EC', crv: 'P-256', d, x: half(1), y: half(33) }, format: 'jwk' });
  const publicKey = point.toString('base64url');
  const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  return {
    publicKey,
    headers(address, subject, now) {
      const exp = Math.floor(now / 1000) + signatureLifetime;
      const signed = `${encoded({ typ: 'JWT', alg: 'ES256' })}.${encoded({ aud: new URL(address).origin, exp, sub: subject })}`;
      const signature = sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url');
      return {
        authorization: `vapid t=${signed}.${signature}, k=${publicKey}`,
        'content-encoding': 'aes128gcm',
        'content-type': 'application/octet-stream',
        ttl: String(timeToLive),
        urgency: 'high',
      };
    },
  };
}
