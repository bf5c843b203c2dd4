import { expect, it } from 'vitest';
import { matchesSecret, secretDigest } from './secret.ts';

it('tells a secret from everything else', () => {
  const digest = secretDigest('grow');
  expect(matchesSecret('grow', digest)).toBe(true);
  for (const sent of ['', 'gro', 'grow ', 'Grow', 'grow\0']) expect(matchesSecret(sent, digest)).toBe(false);
});
