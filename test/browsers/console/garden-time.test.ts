import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { suiteBrowser } from '../pages/browser.ts';
import { consoleServer, gardener, openAsViewer, openConsole, overflowOf, seedGarden } from './garden-page.ts';

const open = suiteBrowser();
const day = 86_400_000;

const slider = (page: Page) => page.getByRole('slider', { name: 'Date' });
const timeIn = (page: Page): number => Date.parse(new URL(page.url()).searchParams.get('at') ?? '');
/** Returns how many pixels of the canvas are drawn. */
const drawnIn = (page: Page): Promise<number> =>
  page.evaluate(`(() => {
    const canvas = document.querySelector('canvas');
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    return data.filter((value, index) => index % 4 === 3 && value > 0).length;
  })()`);

describe('the garden over time', () => {
  const server = consoleServer();

  it('is shown by a slider from the oldest change to the next autumn, and cannot be changed there', async () => {
    const ada = await gardener(server);
    await seedGarden(ada);
    const page = await openConsole(open, server, ada, '/map');
    await page.getByRole('button', { name: 'The garden over time' }).click();
    await slider(page).waitFor();
    expect(new URL(page.url()).searchParams.get('at')).toBe('now');
    await page.getByText('This is the garden of today. Close the slider to change it.').waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Add a plant' }).isDisabled()).toBe(true);
    await expect.poll(() => drawnIn(page)).toBeGreaterThan(1000);
    // By keys, with a spoken date and an address.
    await slider(page).focus();
    const now = Date.now();
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => Math.abs(timeIn(page) - now - day) < day / 2).toBe(true);
    await page.getByText('This garden cannot be changed.').waitFor();
    await page.keyboard.press('PageUp');
    await expect.poll(() => Math.abs(timeIn(page) - now - 31 * day) < day / 2).toBe(true);
    const year = new Date(now + 31 * day).getUTCFullYear();
    expect(await slider(page).getAttribute('aria-valuetext')).toContain(String(year));
    await page.keyboard.press('End');
    const end = Number(await slider(page).getAttribute('max'));
    await expect.poll(() => timeIn(page)).toBe(end);
    expect(end - now).toBeGreaterThan(59 * day);
    await page.keyboard.press('Home');
    await page.getByText('The history begins on').waitFor();
    await expect.poll(() => timeIn(page)).toBe(Number(await slider(page).getAttribute('min')));
    // Taps select nothing.
    await page.getByRole('group', { name: /^Garden bed/ }).click();
    expect(new URL(page.url()).searchParams.get('place')).toBe(null);
    await page.getByRole('button', { name: 'Today' }).click();
    await expect.poll(() => new URL(page.url()).searchParams.get('at')).toBe('now');
    await page.getByRole('button', { name: 'Close the slider' }).click();
    await expect.poll(() => page.getByRole('button', { name: 'Add a plant' }).isEnabled()).toBe(true);
    await page
      .getByRole('button', { name: /^Spinach, plant/ })
      .first()
      .waitFor();
  });

  it('plays, and a link shows the time that it has', async () => {
    const ada = await gardener(server);
    const planted_at = new Date(Date.now() - day).toISOString();
    // In the middle of the bed.
    const beet = { pointer_type: 'Plant', name: 'Beet', openfarm_slug: 'beet', x: 1450, y: 700 };
    await ada.call('POST', '/api/points', { ...beet, plant_stage: 'planted', planted_at });
    const page = await openConsole(open, server, ada, '/map?at=now');
    await page.getByText(/· 1 plant$/).waitFor();
    await page.getByRole('button', { name: 'Play' }).click();
    await page.getByText('1 plant · 1 ripe').first().waitFor();
    await page.getByText('Nothing grows.').first().waitFor();
    // What is closed while it plays stays closed; layers do not close it.
    await page.getByRole('button', { name: 'Play' }).click();
    await page.getByRole('button', { name: 'Layers' }).click();
    await page.getByRole('heading', { name: 'Layers' }).waitFor();
    await page.getByRole('button', { name: 'Layers' }).click();
    await page.getByRole('button', { name: 'Close the slider' }).click();
    await expect.poll(() => page.getByRole('button', { name: 'Add a plant' }).isEnabled()).toBe(true);
    expect(new URL(page.url()).searchParams.get('at')).toBe(null);
    const ripe = new Date(Date.now() + 65 * day).toISOString();
    const link = await openConsole(open, server, ada, `/map?at=${ripe}`);
    await link.getByText('1 plant · 1 ripe').waitFor();
    // A tap names what is there at that time; the paper has it, too.
    await link.getByRole('group', { name: /^Garden bed/ }).click();
    await link.getByText(/^Beet: ripe, \d+ mm across$/).waitFor();
    const drawn = link.getByRole('group', { name: /^Garden bed/ }).locator('image[href]');
    expect(await drawn.count()).toBe(0);
    await link.emulateMedia({ media: 'print' });
    await expect.poll(() => drawn.count()).toBe(1);
    // It is forgotten with the slider.
    await link.emulateMedia({ media: 'screen' });
    await link.getByRole('button', { name: 'Close the slider' }).click();
    await expect.poll(() => link.getByRole('slider').count()).toBe(0);
    await link.goBack();
    await link.getByText('1 plant · 1 ripe').waitFor();
    expect(await link.getByText(/mm across$/).count()).toBe(0);
    // It has no form that changes a plant.
    const selected = await openConsole(open, server, ada, `/map?at=${ripe}&panel=plant`);
    await selected.getByText('1 plant · 1 ripe').waitFor();
    expect(await selected.getByRole('combobox').count()).toBe(0);
    // What the address has and is no time is left out.
    const other = await openConsole(open, server, ada, '/map?at=soon');
    await other.getByRole('button', { name: 'Add a plant' }).waitFor();
    expect(await other.getByRole('slider').count()).toBe(0);
  });

  it('is seen by viewers, on phones and in French', async () => {
    const ada = await gardener(server);
    await ada.call('POST', '/api/points', {
      pointer_type: 'Plant',
      name: 'Beet',
      openfarm_slug: 'beet',
      x: 500,
      y: 300,
    });
    const guest = await gardener(server, 'bob');
    const viewer = await openAsViewer(open, server, ada, guest, '/map?at=now');
    await viewer.getByText('1 planned').waitFor();
    const phone = await openConsole(open, server, ada, '/map?at=now', {
      locale: 'fr-FR',
      viewport: { width: 360, height: 740 },
    });
    await phone.getByText('1 prévue').waitFor();
    await phone.getByText('C’est le jardin d’aujourd’hui.').waitFor();
    expect(await overflowOf(phone)).toBe(0);
    // All of the bed is in sight, also on a phone held across.
    const bed = phone.getByRole('group', { name: /^Planche/ });
    for (const size of [
      { width: 360, height: 740 },
      { width: 844, height: 390 },
    ]) {
      await phone.setViewportSize(size);
      await expect
        .poll(async () => {
          const { x = 0, y = 0, width = 0, height = 0 } = (await bed.boundingBox()) ?? {};
          const spots = [0.1, 0.5, 0.9].map((part) => [x + width * 0.9, y + height * part]);
          return phone.evaluate(
            `${JSON.stringify(spots)}.map((spot) => document.elementFromPoint(...spot)?.closest('svg')?.getAttribute('role'))`,
          );
        })
        .toEqual(['group', 'group', 'group']);
    }
  });
});
