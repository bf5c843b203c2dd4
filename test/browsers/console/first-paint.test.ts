import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { desktop, phone, suiteBrowser } from '../pages/browser.ts';
import { consoleServer, gardener, openConsole } from './garden-page.ts';

const open = suiteBrowser();

/** The place of an element, in pixels. */
async function placeOf(shown: Locator): Promise<readonly number[]> {
  const box = await shown.boundingBox();
  if (!box) throw new Error('it is not shown');
  return [box.x, box.y, box.width, box.height];
}

/** Whether an element is at a place, but for a pixel. */
async function isNear(shown: Locator, place: readonly number[] = []): Promise<boolean> {
  const now = await placeOf(shown);
  return now.every((length, index) => Math.abs(length - (place[index] ?? Number.NaN)) <= 1);
}

function later<T>(): readonly [promise: Promise<T>, resolve: (value: T) => void] {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return [promise, resolve];
}

describe('the first picture of the console', () => {
  const server = consoleServer();

  /** Opens a page whose requests for some files wait until they are released; until then it is not loaded. */
  function held(files: string) {
    const [released, release] = later<void>();
    const [page, setPage] = later<Page>();
    const openHeld = async (options?: BrowserContextOptions) => {
      const opened = await open(options);
      await opened.route(files, async (route) => {
        await released;
        await route.continue();
      });
      setPage(opened);
      return opened;
    };
    return { openHeld, page, release: () => release() };
  }

  it.each([
    ['a desktop', desktop, '.first-wide'],
    ['a phone', phone, '.first-upright'],
  ])(
    'has the frame and the bed of %s where they are later, without scripts and styles',
    async (_name, viewport, bed) => {
      const ada = await gardener(server);
      const { openHeld, release, ...opening } = held('**/assets/**');
      const opened = openConsole(openHeld, server, ada, '/map', { viewport });
      const page = await opening.page;
      const outline = page.locator(`${bed} rect`);
      await outline.waitFor();
      const isPhone = viewport === phone;
      const parts = [outline, page.locator('.first-top'), page.locator(isPhone ? '.first-bottom' : '.first-rail')];
      const places = await Promise.all(parts.map(placeOf));
      release();
      await opened;
      const map = page.getByRole('group', { name: /^Garden bed/ });
      await map.waitFor();
      const navigation = page.getByRole('navigation').filter({ visible: true });
      for (const [index, shown] of [map, page.getByRole('banner'), navigation].entries())
        await expect.poll(() => isNear(shown, places[index])).toBe(true);
      expect(await outline.count()).toBe(0);
    },
  );

  it('keeps the frame and the outline of the bed while the map waits for its points', async () => {
    const ada = await gardener(server);
    const { openHeld, release } = held('**/api/points');
    const page = await openConsole(openHeld, server, ada, '/map');
    await page.getByRole('button', { name: 'Emergency stop' }).waitFor();
    await page.getByText('Loading…').waitFor();
    expect(await page.locator('.first-wide rect').isVisible()).toBe(true);
    expect(await page.getByText('Potager', { exact: true }).filter({ visible: true }).count()).toBeLessThanOrEqual(1);
    release();
    await page.getByRole('group', { name: /^Garden bed/ }).waitFor();
    await expect.poll(() => page.locator('.first').count()).toBe(0);
  });

  it('has no frame of a garden on pages without a session, and the colors of the system', async () => {
    const { openHeld, release } = held('**/assets/**');
    const page = await openHeld({ locale: 'en-US', colorScheme: 'dark' });
    const opened = page.goto(`${server.base}/console/sign-in`);
    const first = page.locator('.first');
    await first.waitFor();
    expect(await page.locator('.first-rail').isVisible()).toBe(false);
    expect(await page.locator('.first-wide').isVisible()).toBe(false);
    const color = `getComputedStyle(document.querySelector('.first')).backgroundColor`;
    expect(await page.evaluate(color)).toBe('rgb(21, 24, 20)');
    release();
    await opened;
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });
});
