import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { suiteBrowser } from '../pages/browser.ts';
import { consoleServer, gardener, openAsViewer, seedGarden, startRobot } from './garden-page.ts';

const open = suiteBrowser();

/** Elements that change only the view: points of the map, filters, spans, views, downloads. */
const harmless = [
  /^button ".*, (plant|weed|point|tool slot) at /,
  /^button "(Layers|The garden over time|Select by drawing a box|Zoom|Show |Print|Earlier|Later|Today|Download|Export settings|Full screen)/,
  /^button ".* (Order|Span|Sensor|What|Who|Detail|Time)"/,
  /^button "(Filters|All|Error|Warning|Test|Success|Busy|Information|Fun|Debugging)"/,
  /^(textbox|searchbox) "(Search|Find|From|Until)/,
  /^checkbox "(Only changed ones|Show password)"/,
];

/** The elements to press, to type into or to switch, besides the elements for the view. */
async function offered(page: Page): Promise<string[]> {
  const lines = (await page.getByRole('main').ariaSnapshot()).split('\n');
  return lines
    .map((line) => line.trim().replace(/^- /, ''))
    .filter((line) => /^(button|textbox|searchbox|combobox|checkbox|radio|switch|slider|spinbutton)\b/.test(line))
    .filter((line) => !line.includes('[disabled]') && !harmless.some((each) => each.test(line)));
}

/** Buttons of the garden's pages that cannot be pressed; buttons of fields show a value, and empty lists cannot be downloaded. */
async function dead(page: Page): Promise<string[]> {
  if (page.url().includes('/account')) return [];
  const names = await page.getByRole('main').locator('button:disabled:not([aria-haspopup])').allInnerTexts();
  return names.filter((name) => name !== 'Download CSV');
}

describe('a viewer', () => {
  const server = consoleServer();

  it('sees all pages, which say that they can only be looked at, and is offered nothing that changes the garden', async () => {
    const ada = await gardener(server);
    await seedGarden(ada);
    await startRobot(ada);
    const page = await openAsViewer(open, server, ada, await gardener(server, 'eve'), '/map');
    const pages = page.getByRole('navigation', { name: 'Pages' }).first().getByRole('link');
    await pages.first().waitFor();
    const found: string[] = [];
    const check = async (): Promise<void> => {
      await expect.poll(() => page.getByText('Loading…').count()).toBe(0);
      await page.getByRole('heading', { level: 1 }).first().waitFor({ state: 'attached' });
      await page.getByText(/^View only: /).waitFor();
      for (const control of [...(await offered(page)), ...(await dead(page))]) found.push(`${page.url()}: ${control}`);
    };
    for (const link of await pages.all()) {
      // The link that signs out leaves the pages of the garden.
      if ((await link.innerText()) === 'Sign out') continue;
      const before = await page.title();
      await link.click();
      if (!page.url().endsWith('/map')) await expect.poll(() => page.title()).not.toBe(before);
      await check();
    }
    // Notices ask for actions.
    expect(await page.getByRole('button', { name: /notice/ }).count()).toBe(0);
    await page.getByRole('link', { name: 'To your gardens' }).waitFor();
    await page.getByRole('link', { name: 'Programs' }).first().click();
    await page.getByRole('row', { name: 'Water plant' }).click();
    await page.getByRole('grid', { name: 'Steps' }).getByRole('row').first().click();
    await page.getByRole('heading', { name: '1. Move' }).waitFor();
    await page
      .getByText('Place: the variable “Place”, X + Lua, Y + Lua, Z: Safe height, Travel at the safe height')
      .waitFor();
    await page.getByText('Water: on').waitFor();
    await check();
    expect(found).toEqual([]);
  });
});
