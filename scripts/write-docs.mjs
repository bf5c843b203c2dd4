// Generates the pages of docs/ that are derived from declarations.
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import './build-once.mjs';

const { settingsPage } = await import('../dist/settings/settings-page.js');
writeFileSync(resolve(import.meta.dirname, '../docs/settings.md'), settingsPage());

const { commandLanguagePage } = await import('../dist/programs/command-language-page.js');
writeFileSync(resolve(import.meta.dirname, '../docs/command-language.md'), commandLanguagePage());

const { limitsPage } = await import('../dist/http/limits-page.js');
writeFileSync(resolve(import.meta.dirname, '../docs/limits.md'), limitsPage());
