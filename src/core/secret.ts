import { createHash, timingSafeEqual } from 'node:crypto';

/** Returns the SHA-256 digest of a secret, for {@link matchesSecret}. */
export const secretDigest = (secret: string): Buffer => createHash('sha256').update(secret).digest();

/** Compares a text with a secret's digest in constant time, whatever the text's length. */
export const matchesSecret = (sent: string, digest: Buffer): boolean => timingSafeEqual(secretDigest(sent), digest);
