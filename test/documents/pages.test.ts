import { expect, it } from 'vitest';
import { filled } from '../../scripts/document-text.mjs';
import { commandLine } from '../../src/main.ts';
import { commandLanguagePage } from './command-language-page.ts';
import { commandsPage } from './commands-page.ts';
import { limitsPage } from './limits-page.ts';
import { luaFunctionsPage } from './lua-functions-page.ts';
import { settingsPage } from './settings-page.ts';

it.each([
  ['settings.md', settingsPage()],
  ['command-language.md', commandLanguagePage()],
  ['lua-functions.md', luaFunctionsPage()],
  ['limits.md', limitsPage()],
  ['commands.md', commandsPage(commandLine())],
])('docs/%s says what the program does (update it with: npm run docs)', async (name, page) => {
  await expect(filled(page)).toMatchFileSnapshot(`../../docs/${name}`);
});
