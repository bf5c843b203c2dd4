import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Locator, Page, ViewportSize } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import { numberAt } from '../../support/json.ts';
import { desktop, suiteBrowser } from '../pages/browser.ts';
import type { Gardener } from './garden-page.ts';
import { gardener, openConsole, overflowOf, ownConsoleServer, seedGarden, startRobot } from './garden-page.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const open = suiteBrowser();

const phone = { width: 360, height: 740 };
const large = { width: 1440, height: 900 };

/** axe leaves out the size of touch targets unless it is asked for. */
const allRules = { resultTypes: ['violations'], selectors: false, rules: { 'target-size': { enabled: true } } };

/** Rules that the mark of a point breaks by its nature: initials that are drawn in it are no spoken label, and it is as large as its plant in the bed. */
const notOfMarks = ['label-content-name-mismatch', 'target-size'];

/** Violations of WCAG and of good practice, with the elements. */
const violationsIn = (page: Page): Promise<string[]> =>
  page.evaluate(`axe.run(${JSON.stringify(allRules)}).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) =>
      nodes
        .filter(({ html }) => !${JSON.stringify(notOfMarks)}.includes(id) || !html.startsWith('<g role="button"'))
        .map(({ html, any }) => id + ': ' + html.slice(0, 200) + ' ' + (any[0]?.message ?? '')),
    ),
  )`);

/** The violations once charts and others have followed a change of the size or theme. */
async function settledViolationsIn(page: Page): Promise<string[]> {
  let found: string[] = [];
  await expect
    .poll(
      async () => {
        found = await violationsIn(page);
        return found;
      },
      { timeout: 20_000, interval: 250 },
    )
    .toEqual([])
    .catch(() => undefined);
  return found;
}

/** Returns the pixels by which the document scrolls down, which takes the emergency stop off the screen. */
const scrollOf = (page: Page): Promise<number> =>
  page.evaluate('document.scrollingElement.scrollHeight - document.scrollingElement.clientHeight');

/** Describes the page's main part, and elements that lie outside of it, which may make the document scroll. */
const layoutOf = (page: Page): Promise<string> =>
  page.evaluate(`{
    const { position, overflow } = getComputedStyle(document.querySelector('main'));
    const isOutside = (element) =>
      getComputedStyle(element).position === 'absolute' && [null, document.body].includes(element.offsetParent);
    const outside = [...document.querySelectorAll('*')].filter(isOutside).map(({ outerHTML }) => outerHTML.slice(0, 120));
    \`main is \${position}, \${overflow}; outside: \${outside.join(' ')}\`;
  }`);

/** A window and a theme. */
interface Check {
  readonly viewport: ViewportSize;
  readonly colorScheme: 'light' | 'dark';
}

/** Pages and their parts are the other way round: each theme is seen in each window. */
const ofPages: readonly Check[] = [
  { viewport: large, colorScheme: 'light' },
  { viewport: phone, colorScheme: 'dark' },
];

const ofParts: readonly Check[] = [
  { viewport: phone, colorScheme: 'light' },
  { viewport: large, colorScheme: 'dark' },
];

/** The problems of a page. */
async function faultsIn(page: Page, place: string, checks: readonly Check[]): Promise<string[]> {
  const found: string[] = [];
  // No tooltip at the pointer.
  await page.mouse.move(0, 0);
  await page.getByRole('heading', { level: 1 }).first().waitFor({ state: 'attached' });
  await expect.poll(() => page.getByText('Loading…').count()).toBe(0);
  for (const { viewport, colorScheme } of checks) {
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    const at = `${place} ${viewport.width} ${colorScheme}`;
    for (const violation of await settledViolationsIn(page)) found.push(`${at}: ${violation}`);
    const overflow = await overflowOf(page);
    if (overflow > 0) found.push(`${at}: ${overflow} pixels too wide`);
    const scroll = await scrollOf(page);
    if (scroll > 0) found.push(`${at}: the document scrolls by ${scroll} pixels, ${await layoutOf(page)}`);
  }
  await page.setViewportSize(desktop);
  return found;
}

/** Goes to an address without loading the console again. */
async function goTo(page: Page, path: string): Promise<void> {
  await page.evaluate(`history.pushState(null, '', ${JSON.stringify(`/console${path}`)})`);
  await page.waitForURL(`**/console${path}`);
}

/** A page or a part of one: its address below `/console`, and its name in the link that leads to it. */
interface Place {
  readonly path: string;
  readonly name: string;
}

/** Returns the targets of links, once there are some. */
async function placesOf(links: Locator): Promise<Place[]> {
  await links.first().waitFor();
  return Promise.all(
    (await links.all()).map(async (link) => ({
      path: ((await link.getAttribute('href')) ?? '').replace('/console', ''),
      name: (await link.innerText()).split('\n')[0] ?? '',
    })),
  );
}

/** Goes to a place, and waits until the title of the page names it, or the open one of its tabs. */
async function visit(page: Page, { path, name }: Place): Promise<void> {
  await goTo(page, path);
  const tab = page.getByRole('main').locator('nav [aria-current=page]');
  await expect.poll(async () => [...(await page.title()).split(' · '), ...(await tab.allInnerTexts())]).toContain(name);
}

describe('all pages of the console', () => {
  const server = ownConsoleServer('sqlite');
  let ada: Gardener;
  let page: Page;
  beforeEach(async () => {
    // The first account, which administers the server, too.
    if (ada === undefined) {
      ada = await gardener(server);
      await seedGarden(ada);
    }
    await startRobot(ada);
    page = await openConsole(open, server, ada, '/map', { reducedMotion: 'reduce' });
    await page.getByRole('navigation', { name: 'Pages' }).first().waitFor();
    await page.evaluate(axe);
  });

  it('have no violations of axe, and fit into phones and large windows, in light and dark', async () => {
    const links = page.getByRole('navigation', { name: 'Pages' }).first().getByRole('link');
    // The link that signs out leaves the pages of the garden.
    const places = (await placesOf(links)).filter(({ path }) => path !== '/sign-out');
    expect(places.length).toBeGreaterThan(10);
    const found: string[] = [];
    for (const place of places) {
      await visit(page, place);
      found.push(...(await faultsIn(page, place.path, ofPages)));
    }
    expect(found).toEqual([]);
  });

  it.each([
    { path: '/schedule', name: 'Schedule', parts: 3 },
    { path: '/settings', name: 'Settings', parts: 4 },
    { path: '/account', name: 'Account', parts: 11 },
    { path: '/server', name: 'Server', parts: 5 },
    { path: '/places', name: 'In the bed', parts: 4 },
    { path: '/things', name: 'Garden things', parts: 11 },
  ])('have none in the parts of $name either', async ({ parts, ...place }) => {
    await visit(page, place);
    const main = page.getByRole('main');
    const links = place.path === '/things' ? main : main.getByRole('navigation');
    const found = await placesOf(links.getByRole('link'));
    expect(found).toHaveLength(parts);
    const faults: string[] = [];
    for (const part of found) {
      await visit(page, part);
      faults.push(...(await faultsIn(page, part.path, ofParts)));
    }
    expect(faults).toEqual([]);
  });

  it('have none in records, forms and dialogs', async () => {
    const firstOf = async (path: string): Promise<number> => numberAt(await ada.call('GET', path), '0.id');
    const [program, curve] = [await firstOf('/api/sequences'), await firstOf('/api/curves')];
    const found: string[] = [];
    for (const path of [
      '/map?at=now',
      '/map?panel=plant',
      `/map?point=${await firstOf('/api/points')}`,
      `/plants/${await firstOf('/api/points?pointer_type=Plant')}`,
      `/groups/${await firstOf('/api/point_groups')}`,
      `/programs/${program}`,
      `/programs/${program}?step=1`,
      '/robot/setup',
      '/schedule?new=2030-05-01',
      '/things/tools?new=true',
      '/things/point_groups?new=true',
      `/things/curves?id=${curve}`,
    ]) {
      await goTo(page, path);
      await page.getByRole('main').getByRole('heading', { level: 2 }).last().waitFor();
      found.push(...(await faultsIn(page, path, ofParts)));
    }
    await page.setViewportSize(phone);
    for (const [path, opener] of [
      ['/programs', 'New folder'],
      ['/account?part=end', 'Delete my account'],
    ] as const) {
      await goTo(page, path);
      await page.getByRole('button', { name: opener }).click();
      await page.locator('[role=dialog], [role=alertdialog]').waitFor();
      for (const violation of await settledViolationsIn(page)) found.push(`${opener}: ${violation}`);
      await page.keyboard.press('Escape');
    }
    await page.keyboard.press('?');
    await page.getByRole('dialog').waitFor();
    for (const violation of await settledViolationsIn(page)) found.push(`shortcuts: ${violation}`);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    const search = page.getByRole('dialog', { name: 'Search and commands' });
    await search.getByRole('menuitem').first().waitFor();
    for (const violation of await settledViolationsIn(page)) found.push(`search: ${violation}`);
    expect(found).toEqual([]);
    // An element reached by keys is visible.
    await page.keyboard.press('ArrowUp');
    // It scrolls there a moment later.
    const end = async () => {
      const box = await search.getByRole('menuitem').last().boundingBox();
      return box ? box.y + box.height : null;
    };
    await expect.poll(end).toBeLessThanOrEqual(phone.height);
  });
});
