import { createHash, timingSafeEqual } from 'node:crypto';

/** The digest of a secret, to compare others with. All have one length. */
export const secretDigest = (secret: string): Buffer => createHash('sha256').update(secret).digest();

/** Whether a text is the secret with that digest. Takes the same time whatever was sent, and whatever its length. */
export const matchesSecret = (sent: string, digest: Buffer): boolean => timingSafeEqual(secretDigest(sent), digest);
