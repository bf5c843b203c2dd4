// Generates the pages of docs/ that are derived from declarations.
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import './build-once.mjs';
import { filled } from './document-text.mjs';

const write = (page, text) => writeFileSync(resolve(import.meta.dirname, '../docs', page), filled(text));

const { settingsPage } = await import('../dist/settings-page.js');
write('settings.md', settingsPage());

const { commandLanguagePage } = await import('../dist/command-language-page.js');
write('command-language.md', commandLanguagePage());

const { limitsPage } = await import('../dist/limits-page.js');
const { recordLimits } = await import('../dist/record-limits.js');
write('limits.md', limitsPage() + recordLimits());

const { commandLine } = await import('../dist/main.js');
const { commandsPage } = await import('../dist/commands-page.js');
write('commands.md', commandsPage(commandLine()));
