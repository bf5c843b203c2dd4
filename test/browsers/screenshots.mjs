// Takes pictures of pages of the console, in light and dark colors and on a phone:
//   npm run screenshots           those that documents show, which are in docs/images/console
//   npm run screenshots -- map    all of the pages whose name contains it, into the folder screenshots, to look at them
// It follows the console's own links to the pages, so that it has no list of them.
import { mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import sharp from 'sharp';
import { linkedPaths } from '../../scripts/document-text.mjs';
import { sourceFiles } from '../../scripts/source-files.mjs';
import { openBrowser, openGarden, openWindow, plantDemo } from './console-garden.mjs';

const [only] = process.argv.slice(2);
const root = resolve(import.meta.dirname, '../..');
const folder = only === undefined ? 'docs/images/console' : 'screenshots';
const { filesIn, read } = sourceFiles(root);
const documents = ['README.md', ...filesIn('docs').filter((file) => file.endsWith('.md'))];
/** Files that documents show and that are not taken yet. */
const missing = new Set([...linkedPaths(documents, read)].filter((file) => file.startsWith(`${folder}/`)));
const looks = {
  light: { viewport: { width: 1280, height: 800 }, colorScheme: 'light' },
  dark: { viewport: { width: 1280, height: 800 }, colorScheme: 'dark' },
  phone: { viewport: { width: 360, height: 740 }, colorScheme: 'light', hasTouch: true },
};
/** Opening it ends the session. */
const signOut = '/sign-out';

/** Pages of records differ only by the id. */
const nameOfPath = (path) => path.slice(1).replace(/\d+/g, 'one').replace(/\W+/g, '-');
const nameOf = (page) => nameOfPath(new URL(page.url()).pathname.slice('/console'.length));

/** An expression: whether a page shows that something is being loaded. */
const isLoading = `!document.querySelector('main')?.textContent.trim()
  || [...document.querySelectorAll('[role="status"]')].some((status) => status.textContent === 'Loading…')
  || [...document.images].some((image) => !image.complete)
  || [...document.querySelectorAll('svg image')].some(
    ({ href }) => performance.getEntriesByName(new URL(href.baseVal, location.href).href).length === 0,
  )`;

/** Waits until nothing is being loaded; the stream of changes stays open, so the network never becomes idle. */
async function settle(page) {
  await page.getByRole('heading', { level: 1 }).or(page.getByRole('main')).first().waitFor();
  // Charts and pictures appear a moment after their data, which may be read in several steps.
  do await sleep(500);
  while (await page.evaluate(isLoading));
  // The notices of the demo garden are read last.
  if (await page.getByRole('button', { name: 'Emergency stop', exact: true }).isVisible())
    await page.getByRole('button', { name: /notices$/ }).waitFor();
}

/** Takes a picture of a page, if it is asked for. */
async function picture(page, name, look) {
  const file = `${folder}/${name}-${look}.png`;
  if (only === undefined ? !missing.delete(file) : !name.includes(only)) return;
  const png = await page.screenshot({ animations: 'disabled' });
  await sharp(png).png({ palette: true, colors: 64, dither: 0, effort: 10 }).toFile(join(root, file));
}

/** Takes a picture of each page of a window that links lead to, and of the first record of each list, from `first` on. Returns the names. */
async function walk(base, page, first, look) {
  const seen = new Set();
  const names = new Set();
  const waiting = [first];
  for (let path = waiting.shift(); path; path = waiting.shift()) {
    if (seen.has(nameOfPath(path))) continue;
    seen.add(nameOfPath(path));
    await page.goto(`${base}/console${path}`);
    await settle(page);
    // Some addresses lead to another.
    const address = page.url();
    const name = nameOf(page);
    if (names.has(name)) continue;
    seen.add(name);
    names.add(name);
    const links = await page.evaluate(
      `[...document.links].filter((link) => link.origin === location.origin).map((link) => link.pathname)`,
    );
    for (const link of links)
      if (link.startsWith('/console/') && !link.endsWith(signOut)) waiting.push(link.slice('/console'.length));
    await picture(page, name, look);
    // A list is followed by its first record.
    const row = page.getByRole('main').locator('[role="row"], a[href*="?id="]').first();
    if ((await row.count()) === 0) continue;
    await row.click();
    await settle(page);
    const opened = nameOf(page);
    const record = opened === name ? `${name}-one` : opened;
    if (page.url() === address || names.has(record)) continue;
    seen.add(record);
    names.add(record);
    await picture(page, record, look);
  }
  return names;
}

const garden = await openGarden();
const browser = await openBrowser();
try {
  await plantDemo(garden);
  rmSync(join(root, folder), { recursive: true, force: true });
  mkdirSync(join(root, folder));
  for (const [look, options] of Object.entries(looks)) {
    if (only === undefined && ![...missing].some((file) => file.endsWith(`-${look}.png`))) continue;
    const visitor = await walk(garden.base, await openWindow(browser, options), '/sign-in', look);
    const owner = await walk(garden.base, await openWindow(browser, options, garden), '/map', look);
    console.info(`${look}: ${[...visitor, ...owner].join(' ')}`);
  }
} finally {
  await browser.close();
  await garden.close();
}
console.info(`The pictures are in ${folder}.`);
if (only === undefined && missing.size > 0) {
  console.error(`No page of the console has these names: ${[...missing].join(' ')}`);
  process.exitCode = 1;
}
