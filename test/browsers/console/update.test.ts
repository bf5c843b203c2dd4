import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTempFolder, prepareServer, program, type ServerProcess } from '../../support/servers.ts';
import { expectConsoleError, suiteBrowser } from '../pages/browser.ts';
import { gardener, openConsole } from './garden-page.ts';

const repository = resolve(import.meta.dirname, '../../..');
const hash = /-([0-9a-f]{8})(?=\.\w)/g;
/** Returns a text with other hashes in the names of files. */
const renamed = (text: string): string =>
  text.replace(hash, (_name, digits: string) => `-${[...digits].reverse().join('')}`);

/** Replaces the built server in a folder, as an update does. `isNew`: the files of its console have other names, as after any change. */
function install(folder: string, isNew: boolean): void {
  const dist = join(folder, 'dist');
  rmSync(dist, { recursive: true, force: true });
  // A copied file may be newer than its compressed one.
  cpSync(dirname(program), dist, { recursive: true, filter: (path) => !path.endsWith('.br') });
  if (!isNew) return;
  const pages = join(dist, 'console');
  for (const name of readdirSync(pages, { recursive: true, encoding: 'utf8' })) {
    if (!/\.(js|css|html|webmanifest)$/.test(name)) continue;
    const path = join(pages, name);
    writeFileSync(path, renamed(readFileSync(path, 'utf8')));
  }
  for (const name of readdirSync(join(pages, 'assets')))
    renameSync(join(pages, 'assets', name), join(pages, 'assets', renamed(name)));
}

const open = suiteBrowser();
let folder: string;
let server: ServerProcess;
beforeAll(async () => {
  folder = await createTempFolder();
  mkdirSync(join(folder, 'data'));
  symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'));
  cpSync(join(repository, 'package.json'), join(folder, 'package.json'));
  install(folder, false);
  server = await prepareServer('sqlite');
  server.program = join(folder, 'dist/main.js');
  await server.start();
});
afterAll(async () => {
  await server.remove();
  rmSync(folder, { recursive: true });
});

it('an open page of the console goes on after an update, which has other files', async () => {
  const page = await openConsole(open, server, await gardener(server), '/map');
  await page.getByText('No robot yet').waitFor();
  await page.getByRole('button', { name: 'Add a weed' }).click();
  await page.getByLabel('Name').fill('Nettle');
  const ownScript = () => page.locator('script[type=module][src]').first().getAttribute('src');
  const before = String(await ownScript());

  // The order in docs/updating.md: no server is running while its files are replaced.
  await server.stop();
  // It would report that a server listens for requests before its broker does.
  await page.context().setOffline(true);
  install(folder, true);
  await server.start();
  const isBack = page.waitForResponse((response) => response.url().includes('/api/events') && response.ok());
  await page.context().setOffline(false);
  expect((await server.client.get(before)).status).toBe(404);
  await isBack;

  // The dialog that was open works on.
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByText('Nettle stands at this place').waitFor();
  expectConsoleError(/Refused to apply style/);
  await page.getByRole('link', { name: 'Logs' }).first().click();
  await page.getByRole('heading', { name: 'Logs', exact: true }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/console/logs');
  expect(await ownScript()).not.toBe(before);
  expect(basename(String(await ownScript()))).toBe(renamed(basename(before)));
});

it('an open page is reloaded once, while answers come from two versions', async () => {
  const page = await openConsole(open, server, await gardener(server), '/map');
  await page.getByText('No robot yet').waitFor();
  let checks = 0;
  let loads = 0;
  page.on('load', () => {
    loads++;
  });
  await page.route('**/console/', async (route) => {
    checks++;
    await route.fulfill({ contentType: 'text/html', body: '<p>Another version' });
  });
  await page.route('**/assets/logs-page-*.js', (route) => route.fulfill({ status: 404 }));
  await page.goto(`${server.base}/console/logs`);
  await expect.poll(() => checks).toBeGreaterThanOrEqual(2);
  await page.getByRole('button', { name: 'Try again' }).waitFor();
  // A third load would come meanwhile; how often an error is shown, and the server asked, depends on React.
  await page.evaluate('new Promise((resolve) => setTimeout(resolve, 1000))').catch(() => undefined);
  expect(loads).toBe(2);
});
