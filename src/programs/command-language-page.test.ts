import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { filled } from '../../scripts/document-text.mjs';
import { commandLanguagePage } from './command-language-page.ts';

it('equals docs/command-language.md (otherwise run `npm run docs`)', () => {
  const file = resolve(import.meta.dirname, '../../docs/command-language.md');
  expect(readFileSync(file, 'utf8')).toBe(filled(commandLanguagePage()));
});
