import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { suiteBrowser } from '../pages/browser.ts';
import { consoleServer } from './garden-page.ts';

const open = suiteBrowser();
const server = consoleServer();

it.each([
  { locale: 'en-US', title: 'Sign in', sentence: /^This browser is too old for Potager/ },
  { locale: 'fr-FR', title: 'Se connecter', sentence: /^Ce navigateur est trop ancien pour Potager/ },
])('a browser that is too old is told in the language $locale', async ({ locale, title, sentence }) => {
  const page = await open({ locale });
  const isThere = page.getByRole('heading', { name: title, level: 1 });
  const notice = page.getByRole('alert').getByText(sentence);
  await page.goto(`${server.base}/console/sign-in`);
  await isThere.waitFor();
  expect(await notice.count()).toBe(0);
  await page.addInitScript('delete globalThis.CompressionStream');
  await page.reload();
  await notice.waitFor();
  await isThere.waitFor();
});

it('is told by a script without new syntax', () => {
  const script = readFileSync(join(resolve(import.meta.dirname, '../../..'), 'console/public/old-browser.js'), 'utf8');
  expect(script.replace(/\/\/.*|'[^']*'/g, '')).not.toMatch(/=>|`|\?\.|\?\?|\.\.\.|\b(const|let|class|async|import)\b/);
});

it('shows charts in a browser whose language is no language tag', async () => {
  const page = await open({ locale: 'en-US' });
  await page.addInitScript(`for (const [name, value] of [['language', 'C'], ['languages', ['C']]])
    Object.defineProperty(Navigator.prototype, name, { get: () => value, configurable: true })`);
  await page.goto(`${server.base}/console/sign-in`);
  await page.getByRole('heading', { name: 'Sign in', level: 1 }).waitFor();
  // As libraries do when they are loaded.
  expect(await page.evaluate('new Intl.NumberFormat(navigator.language).format(1.5)')).toBe('1.5');
});
