import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { filled } from '../../scripts/document-text.mjs';
import { settingsPage } from './settings-page.ts';

it('equals docs/settings.md (update it with: npm run docs)', () => {
  const file = resolve(import.meta.dirname, '../../docs/settings.md');
  expect(readFileSync(file, 'utf8')).toBe(filled(settingsPage()));
});
