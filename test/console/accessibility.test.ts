import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { desktop, suiteBrowser } from '../pages/browser.ts';
import { numberAt } from '../support/json.ts';
import { gardener, openConsole, overflowOf, ownConsoleServer, seedGarden, startRobot } from './garden-page.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const open = suiteBrowser();

const sizes = [
  { width: 360, height: 740 },
  { width: 1440, height: 900 },
] as const;

/** Violations of WCAG and of good practice, with the elements. Initials that are drawn in the mark of a point are no spoken label. */
const violationsIn = (page: Page): Promise<string[]> =>
  page.evaluate(`axe.run({ resultTypes: ['violations'], selectors: false }).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) =>
      nodes
        .filter(({ html }) => id !== 'label-content-name-mismatch' || !html.startsWith('<g role="button"'))
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
      { timeout: 5000, interval: 250 },
    )
    .toEqual([])
    .catch(() => undefined);
  return found;
}

/** How many pixels the document scrolls down, which takes the emergency stop off the screen. */
const scrollOf = (page: Page): Promise<number> =>
  page.evaluate('document.scrollingElement.scrollHeight - document.scrollingElement.clientHeight');

/** Pages behind tabs and records, of a garden with a program and a curve. */
const partsOf = (program: number, curve: number): readonly string[] => [
  '/settings?part=os',
  '/settings?part=map',
  '/account?part=tokens',
  '/account?part=webhooks',
  '/account?part=people',
  '/account?part=data',
  '/server?part=users',
  '/map?panel=plant',
  `/programs/${program}`,
  `/programs/${program}?step=1`,
  '/schedule?new=2030-05-01',
  '/things/tools?new=true',
  '/things/point_groups?new=true',
  `/things/curves?id=${curve}`,
];

describe('all pages of the console', () => {
  const server = ownConsoleServer('sqlite');

  it('have no violations of axe, and fit into phones and large windows, in light and dark', {
    timeout: 600_000,
  }, async () => {
    const ada = await gardener(server);
    await seedGarden(ada);
    await startRobot(ada);
    const page = await openConsole(open, server, ada, '/map', { reducedMotion: 'reduce' });
    const links = page.getByRole('navigation', { name: 'Pages' }).first().getByRole('link');
    await links.first().waitFor();
    // The link that signs out leaves the pages of the garden.
    const names = (await links.allTextContents()).filter((name) => name !== 'Sign out');
    expect(names.length).toBeGreaterThan(3);
    await page.evaluate(axe);
    const found: string[] = [];
    for (const name of names) {
      await page.setViewportSize(desktop);
      await links.filter({ hasText: name }).first().click();
      // No tooltip of what it points at.
      await page.mouse.move(0, 0);
      await page.getByRole('heading', { level: 1 }).first().waitFor({ state: 'attached' });
      await expect.poll(() => page.getByText('Loading…').count()).toBe(0);
      for (const viewport of sizes)
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.setViewportSize(viewport);
          await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
          const place = `${name} ${viewport.width} ${colorScheme}`;
          for (const violation of await settledViolationsIn(page)) found.push(`${place}: ${violation}`);
          const overflow = await overflowOf(page);
          if (overflow > 0) found.push(`${place}: ${overflow} pixels too wide`);
          const scroll = await scrollOf(page);
          if (scroll > 0) found.push(`${place}: the document scrolls by ${scroll} pixels`);
        }
    }
    const firstOf = async (path: string): Promise<number> => numberAt(await ada.call('GET', path), '0.id');
    for (const path of partsOf(await firstOf('/api/sequences'), await firstOf('/api/curves'))) {
      await page.goto(`${server.base}/console${path}`);
      await page.getByRole('main').getByRole('heading', { level: 2 }).last().waitFor();
      await expect.poll(() => page.getByText('Loading…').count()).toBe(0);
      const scroll = await scrollOf(page);
      if (scroll > 0) found.push(`${path}: the document scrolls by ${scroll} pixels`);
      await page.evaluate(axe);
      for (const [index, colorScheme] of (['light', 'dark'] as const).entries()) {
        await page.setViewportSize(sizes[index] ?? desktop);
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        for (const violation of await settledViolationsIn(page)) found.push(`${path} ${colorScheme}: ${violation}`);
      }
    }
    await page.setViewportSize(sizes[0]);
    await page.keyboard.press('Control+k');
    const search = page.getByRole('dialog', { name: 'Search and commands' });
    await search.getByRole('menuitem').first().waitFor();
    for (const violation of await settledViolationsIn(page)) found.push(`search: ${violation}`);
    // What is reached by keys is seen.
    await page.keyboard.press('ArrowUp');
    // It scrolls there a moment later.
    const end = async () => {
      const box = await search.getByRole('menuitem').last().boundingBox();
      return box ? box.y + box.height : null;
    };
    await expect.poll(end).toBeLessThanOrEqual(sizes[0].height);
    expect(found).toEqual([]);
  });
});
