import { expect, it } from 'vitest';
import { slugOf } from './bulletin-operations.ts';

it.each([
  ['Spring sale!', 'spring-sale'],
  ['  Größere Köpfe, 2 €  ', 'gro-ere-kopfe-2'],
  ['A/B?c=1&d#e', 'a-b-c-1-d-e'],
  ['--', expect.stringMatching(/^news-[0-9a-f]{8}$/)],
  ['新しい', expect.stringMatching(/^news-[0-9a-f]{8}$/)],
  ['x'.repeat(100), 'x'.repeat(80)],
  [`${'x'.repeat(79)} y`, 'x'.repeat(79)],
])('creates a slug from the title %j', (title, slug) => {
  expect(slugOf(title)).toEqual(slug);
});
