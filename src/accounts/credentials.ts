import type { KeyObject } from 'node:crypto';
import { constants, privateDecrypt, publicEncrypt, randomBytes } from 'node:crypto';
import { cleanText } from '../engine/kinds.ts';

/** E-mail address and password that a robot stores encrypted for this server. */
export interface Credentials {
  readonly email: string;
  readonly password: string;
}

/** Characters of encrypted credentials: 344 for a 2048-bit key, with room for line breaks and longer keys. */
const maxSecretLength = 2048;
/** Bytes of padding. (PKCS#1 v1.5) */
const padding = 11;

/** Encrypts JSON as robots do. Returns null if it is too long for the key (245 bytes at 2048 bits). [rule A24] */
export function encryptedText(publicKey: KeyObject, plain: object): string | null {
  const bytes = Buffer.from(JSON.stringify(plain));
  if (bytes.length > blockSize(publicKey) - padding) return null;
  const block = publicEncrypt({ key: publicKey, padding: constants.RSA_PKCS1_PADDING }, bytes);
  return block.toString('base64').replace(/.{1,60}/g, '$&\n');
}

/**
 * Decrypts credentials; null if that fails, whatever the reason: distinguishing bad padding from bad content would make
 * the server a decryption oracle. Other keys of the JSON are ignored. [rule A24]
 */
export function decryptedCredentials(privateKey: KeyObject, secret: string): Credentials | null {
  const size = blockSize(privateKey);
  const cipher = secret.length <= maxSecretLength ? Buffer.from(secret, 'base64') : Buffer.alloc(0);
  if (cipher.length !== size) return null;
  let block: Buffer;
  try {
    // Node refuses to remove this padding, but decrypts without.
    block = privateDecrypt({ key: privateKey, padding: constants.RSA_NO_PADDING }, cipher);
  } catch {
    block = randomBytes(size);
  }
  return parsed(unpadded(block));
}

/** Returns the content after `00 02 <at least 8 bytes> 00`, or random bytes if the padding is invalid, in constant time. */
export function unpadded(block: Buffer): Buffer {
  const fallback = randomBytes(block.length - padding);
  let isBad = (block[0] ?? 1) | ((block[1] ?? 0) ^ 2);
  let isFound = 0;
  let end = 0;
  for (let i = 2; i < block.length; i++) {
    // 1 if the byte is zero, otherwise 0.
    const isZero = (((block[i] ?? 0) - 1) >>> 31) & 1;
    end |= i & -(isZero & ~isFound & 1);
    isFound |= isZero;
  }
  isBad |= isFound ^ 1;
  // 1 if the zero is before index 10.
  isBad |= ((end - 10) >>> 31) & 1;
  return isBad === 0 ? block.subarray(end + 1) : fallback;
}

function parsed(bytes: Buffer): Credentials | null {
  let content: unknown;
  try {
    content = JSON.parse(bytes.toString('utf8'));
  } catch {
    return null;
  }
  if (typeof content !== 'object' || content === null) return null;
  const email = 'email' in content ? content.email : undefined;
  const password = 'password' in content ? content.password : undefined;
  if (typeof email !== 'string' || typeof password !== 'string') return null;
  return { email: cleanText(email).toLowerCase(), password: cleanText(password) };
}

const blockSize = (key: KeyObject): number => (key.asymmetricKeyDetails?.modulusLength ?? 0) / 8;
