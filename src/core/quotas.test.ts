import { expect, it } from 'vitest';
import { quotaNames, quotaRefusal, quotas } from './quotas.ts';

it('says limits of sizes in MiB, and others as numbers', () => {
  const full = quotaRefusal('photo_bytes', quotas.photo_bytes.limit);
  expect(full.in('en')).toBe(
    'The storage for photos is full. Delete photos, or ask the operator for more. (At most 2048 MiB.)',
  );
  expect(full.in('fr')).toContain('(2048 Mio au plus.)');
  expect(String(quotaRefusal('published_bytes', 1.5 * 1024 * 1024))).toContain('(At most 1.5 MiB.)');
  const tiny = quotaRefusal('history_bytes', 1000);
  expect(tiny.in('en')).toBe('The history is full. (At most 1000 bytes.)');
  expect(tiny.in('fr')).toContain('(1000 octets au plus.)');
  expect(quotaRefusal('photos', 3).in('en')).toBe('The account has too many photos. Delete some of them. (At most 3.)');
});

it('says where an account may have nothing what it cannot do', () => {
  for (const name of quotaNames) {
    expect(quotaRefusal(name, 0).in('en')).toMatch(/^This account cannot do this: it may have no /);
    expect(quotaRefusal(name, 0).in('en')).not.toMatch(/byte|\d/);
  }
});
