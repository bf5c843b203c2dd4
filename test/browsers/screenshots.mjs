// Writes pictures of all pages of the console to docs/images/console, in light and dark colors and on a phone:
//   npm run screenshots
//   npm run screenshots -- map    only the pages whose name contains it; the others' pictures stay
// It follows the console's own links to the pages, so that it has no list of them.
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import sharp from 'sharp';
import { openBrowser, openGarden, openWindow, plantDemo } from './console-garden.mjs';

const [only = ''] = process.argv.slice(2);
const folder = resolve(import.meta.dirname, '../../docs/images/console');
const looks = {
  light: { viewport: { width: 1280, height: 800 }, colorScheme: 'light' },
  dark: { viewport: { width: 1280, height: 800 }, colorScheme: 'dark' },
  phone: { viewport: { width: 360, height: 740 }, colorScheme: 'light', hasTouch: true },
};
/** Of all pictures together, in bytes. */
const maxSize = 3_000_000;
/** Opening it ends the session. */
const signOut = '/sign-out';

/** Pages of records differ only by the id. */
const nameOfPath = (path) => path.slice(1).replace(/\d+/g, 'one').replace(/\W+/g, '-');
const nameOf = (page) => nameOfPath(new URL(page.url()).pathname.slice('/console'.length));

/** An expression: whether a page shows that something is being loaded. */
const isLoading = `!document.querySelector('main')?.textContent.trim()
  || [...document.querySelectorAll('[role="status"]')].some((status) => status.textContent === 'Loading…')
  || [...document.images].some((image) => !image.complete)`;

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

async function picture(page, name, look) {
  const png = await page.screenshot({ animations: 'disabled' });
  await sharp(png)
    .png({ palette: true, colors: 64, dither: 0, effort: 10 })
    .toFile(join(folder, `${name}-${look}.png`));
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
    if (name.includes(only)) await picture(page, name, look);
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
    if (record.includes(only)) await picture(page, record, look);
  }
  return names;
}

const garden = await openGarden();
const browser = await openBrowser();
try {
  await plantDemo(garden);
  if (!only) rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [look, options] of Object.entries(looks)) {
    const visitor = await walk(garden.base, await openWindow(browser, options), '/sign-in', look);
    const owner = await walk(garden.base, await openWindow(browser, options, garden), '/map', look);
    console.info(`${look}: ${[...visitor, ...owner].join(' ')}`);
  }
} finally {
  await browser.close();
  await garden.close();
}
const files = readdirSync(folder);
const size = files.reduce((sum, file) => sum + statSync(join(folder, file)).size, 0);
console.info(`${files.length} pictures, ${(size / 1e6).toFixed(2)} MB`);
if (size > maxSize) {
  console.error(`They have more than ${maxSize / 1e6} MB together.`);
  process.exitCode = 1;
}
