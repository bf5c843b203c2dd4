import { expect, it } from 'vitest';
import { matchesSecret, secretDigest } from './secret.ts';

it('matches only the exact secret', () => {
  const digest = secretDigest('grow');
  expect(matchesSecret('grow', digest)).toBe(true);
  for (const sent of ['', 'gro', 'grow ', 'Grow', 'grow\0']) expect(matchesSecret(sent, digest)).toBe(false);
});
