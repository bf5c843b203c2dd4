import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { filled } from '../../scripts/document-text.mjs';
import { recordLimits } from '../upkeep/record-limits.ts';
import { limitsPage } from './limits-page.ts';

it('equals docs/limits.md (update it with: npm run docs)', () => {
  const file = resolve(import.meta.dirname, '../../docs/limits.md');
  expect(readFileSync(file, 'utf8')).toBe(filled(limitsPage() + recordLimits()));
});
