import { expect, it } from 'vitest';
import { isSecret, secretDigest } from './secret.ts';

it('tells a secret from everything else', () => {
  const digest = secretDigest('grow');
  expect(isSecret('grow', digest)).toBe(true);
  for (const sent of ['', 'gro', 'grow ', 'Grow', 'grow\0']) expect(isSecret(sent, digest)).toBe(false);
});
