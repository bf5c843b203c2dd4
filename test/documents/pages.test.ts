import { expect, it } from 'vitest';
import { filled } from '../../scripts/document-text.mjs';
import { commandLine } from '../../src/main.ts';
import { suiteApp } from '../support/app.ts';
import { commandLanguagePage } from './command-language-page.ts';
import { commandsPage } from './commands-page.ts';
import { limitsPage } from './limits-page.ts';
import { luaFunctionsPage } from './lua-functions-page.ts';
import { type Description, operationsPage } from './operations-page.ts';
import { settingsPage } from './settings-page.ts';

const server = suiteApp('sqlite');

it.each([
  ['settings.md', settingsPage],
  ['command-language.md', commandLanguagePage],
  ['lua-functions.md', luaFunctionsPage],
  ['limits.md', limitsPage],
  ['commands.md', () => commandsPage(commandLine())],
  ['api-operations.md', () => operationsPage(server.app.openapi() as Description)],
])('docs/%s says what the program does (update it with: npm run docs)', async (name, page) => {
  await expect(filled(page())).toMatchFileSnapshot(`../../docs/${name}`);
});
