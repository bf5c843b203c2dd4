import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { numberAt } from '../../support/json.ts';
import { solidColorPicture, uploadPhoto } from '../../support/photo-upload.ts';
import { desktop, phone, suiteBrowser } from '../pages/browser.ts';
import { gardener, openConsole, overflowOf, ownConsoleServer, seedGarden } from './garden-page.ts';

const open = suiteBrowser();

type Place = readonly [x: number, y: number];

/** Moves fingers over a touch screen, each along the places of its path. */
async function touch(page: Page, ...paths: readonly (readonly Place[])[]): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', step: number) =>
    session.send('Input.dispatchTouchEvent', {
      type,
      touchPoints: paths.flatMap((path, id) => {
        const [x, y] = path[step] ?? [];
        return x === undefined || y === undefined ? [] : [{ x, y, id }];
      }),
    });
  const steps = Math.max(...paths.map(({ length }) => length));
  for (let step = 0; step < steps; step++) await send(step === 0 ? 'touchStart' : 'touchMove', step);
  await send('touchEnd', steps);
  await session.detach();
}

/** The middle of an element, once it no longer moves. */
async function middleOf(element: Locator): Promise<Place> {
  await (await element.elementHandle())?.waitForElementState('stable');
  const box = await element.boundingBox();
  if (!box) throw new Error('it is not shown');
  return [box.x + box.width / 2, box.y + box.height / 2];
}

/** Two fingers that go away from a place. */
const spread = ([x, y]: Place): readonly (readonly Place[])[] =>
  [-1, 1].map((side) => [20, 40, 60, 80, 100].map((way): Place => [x + side * way, y]));

/** The words that do not fit into their places. */
const cutWords = (all: readonly { innerText: string; scrollWidth: number; clientWidth: number }[]): string[] =>
  all.flatMap(({ innerText, scrollWidth, clientWidth }) => (scrollWidth > clientWidth ? [innerText] : []));

/** The pressable elements, besides the points on the bed. */
const pressable = (page: Page): Promise<string[]> =>
  page
    .getByRole('button')
    .or(page.getByRole('navigation'))
    .or(page.getByRole('toolbar'))
    .evaluateAll((all: readonly { closest(selector: string): unknown; outerHTML: string }[]) =>
      all.flatMap((each) => (each.closest('svg') ? [] : [each.outerHTML.slice(0, 120)])),
    );

describe('on paper, touch screens and small phones', () => {
  const server = ownConsoleServer('sqlite');

  it('the whole map is printed with a legend of its colors and all names, and the schedule with all runs', async () => {
    const ada = await gardener(server);
    await seedGarden(ada);
    const place = { x: 2000, z: 0 };
    await ada.call('POST', '/api/points', { ...place, pointer_type: 'Weed', name: 'Nettle', y: 500 });
    const dock = { ...place, pointer_type: 'Weed', name: 'Dock' };
    await ada.call('POST', '/api/points', { ...dock, y: 700 });
    const removedDock = await ada.call('POST', '/api/points', { ...dock, y: 600, plant_stage: 'removed' });
    for (const [y, value] of [
      [500, 320],
      [600, 1023],
    ] as const)
      await ada.call('POST', '/api/sensor_readings', { ...place, y, pin: 59, mode: 1, value });
    const path = `/map?point=${numberAt(removedDock, 'id')}`;
    const page = await openConsole(open, server, ada, path, { colorScheme: 'dark' });
    const bed = page.getByRole('group', { name: /^Garden bed/ });
    await page
      .getByRole('button', { name: /^Spinach/ })
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Nettle, weed at 2000, 500' }).waitFor();
    // A selected point is shown and moved, though its layer is not shown.
    await page.getByRole('button', { name: 'Move with arrow keys' }).click();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    const removed = page.getByRole('button', { name: 'Dock, removed weed at 2010, 600' });
    await removed.waitFor();
    await page.getByRole('region', { name: 'Dock' }).getByRole('button', { name: 'Close' }).click();
    await removed.waitFor({ state: 'detached' });
    // Other clients change the settings of the map, too.
    const layers = { show_historic_points: true, show_moisture_interpolation_map: true };
    await ada.call('PATCH', '/api/web_app_config', layers);
    await removed.waitFor();
    // The visible part of the bed on the screen makes no difference.
    for (let times = 0; times < 4; times++) await page.getByRole('button', { name: 'Zoom in' }).click();
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    await page.getByRole('heading', { level: 1, name: / · .*20\d\d$/ }).waitFor();
    const box = await bed.boundingBox();
    expect(box?.x).toBeGreaterThan(0);
    expect(Number(box?.x) + Number(box?.width)).toBeLessThanOrEqual(desktop.width);
    expect(Number(box?.height) / Number(box?.width)).toBeCloseTo(1230 / 2900, 1);
    await page.getByRole('list', { name: 'Layers' }).getByText('Plants', { exact: true }).waitFor();
    await page.getByRole('img', { name: 'Soil moisture: 320 – 1,023 of 1,023' }).waitFor();
    for (const row of ['Dock 1 (2010, 600)', 'Dock 1 (2000, 700)'])
      await page.getByRole('row', { name: row }).waitFor();
    await page.getByRole('row', { name: /^Spinach 26 \(400, 100\) \(400, 300\)/ }).waitFor();
    expect(await pressable(page)).toEqual([]);
    expect(await page.evaluate('getComputedStyle(document.documentElement).colorScheme')).toBe('light');

    await page.emulateMedia({ media: 'screen' });
    const { id } = (await ada.call('POST', '/api/sequences', { name: 'Rinse the nozzle', body: [] })) as { id: number };
    for (let hour = 10; hour < 16; hour++)
      await ada.call('POST', '/api/farm_events', {
        executable_type: 'Sequence',
        executable_id: id,
        start_time: `2031-06-10T${hour}:00:00.000Z`,
        end_time: `2031-06-10T${hour}:01:00.000Z`,
        repeat: 1,
        time_unit: 'never',
      });
    await page.goto(`${server.base}/console/schedule?date=2031-06-01`);
    const day = page.getByRole('group', { name: 'Tuesday, June 10' });
    await day.getByRole('link', { name: '2 more' }).waitFor();
    await page.emulateMedia({ media: 'print' });
    await expect.poll(() => day.getByRole('link', { name: /Rinse the nozzle/ }).count()).toBe(6);
    // As narrow as a sheet of paper.
    await page.setViewportSize({ width: 700, height: 1000 });
    await day.getByText('Rinse the nozzle').last().waitFor();
    await page.getByRole('heading', { name: 'June 2031' }).waitFor();
    expect(await pressable(page)).toEqual([]);
  });

  it('a finger drags a plant, and two enlarge the map and a photo', async () => {
    const ada = await gardener(server, 'bea');
    await seedGarden(ada);
    const page = await openConsole(open, server, ada, '/map', { viewport: phone, hasTouch: true, isMobile: true });
    const bed = page.getByRole('group', { name: /^Garden bed/ });
    const spinach = page.getByRole('button', { name: 'Spinach, plant at 600, 100' });
    await spinach.waitFor();
    const before = await bed.boundingBox();
    await touch(page, ...spread(await middleOf(spinach)));
    const after = await bed.boundingBox();
    expect(Number(after?.width) / Number(before?.width)).toBeCloseTo(5, 0);
    expect(new URL(page.url()).search).toBe('');

    await page.touchscreen.tap(...(await middleOf(spinach)));
    await page.getByRole('heading', { name: 'Spinach' }).waitFor();
    // With its fields the panel has its height, and the bed its place.
    await page.getByLabel('Name').waitFor();
    const [x, y] = await middleOf(spinach);
    await touch(page, [
      [x, y],
      [x + 10, y + 10],
      [x + 40, y + 60],
    ]);
    await page.getByText('Spinach was moved.').waitFor();
    await spinach.waitFor({ state: 'detached' });
    const id = new URL(page.url()).searchParams.get('point');
    const placeOf = async (axis: string): Promise<number> => numberAt(await ada.call('GET', `/api/points/${id}`), axis);
    const [left, top] = [await placeOf('x'), await placeOf('y')];
    // Phones have no arrow keys, and no Enter to save with.
    await page.getByRole('button', { name: 'Move with arrow keys' }).tap();
    await page.getByText('Moved by 0, 0 mm').waitFor();
    expect(await page.getByText('Enter saves').isVisible()).toBe(false);
    for (const where of ['right', 'right', 'up']) await page.getByRole('button', { name: `Move ${where}` }).tap();
    await page.getByText('Moved by 20, -10 mm').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).tap();
    await page.getByRole('button', { name: 'Move with arrow keys' }).tap();
    await page.getByRole('button', { name: 'Move down' }).tap();
    await page.getByText('Moved by 0, 10 mm').waitFor();
    await page.getByRole('region', { name: 'Spinach' }).getByRole('button', { name: 'Save' }).first().tap();
    // The bed is turned: its x axis leads up.
    await expect.poll(() => placeOf('x')).toBe(left - 10);
    expect(await placeOf('y')).toBe(top);
    // The keyboard of the phone leaves no room for the map: the panel has all of it.
    await page.setViewportSize({ width: phone.width, height: 480 });
    const panel = page.getByRole('region', { name: 'Spinach' });
    await expect.poll(async () => (await panel.boundingBox())?.width).toBe(phone.width);
    await panel.getByRole('button', { name: 'Close' }).tap();
    await page.setViewportSize(phone);

    for (const red of [40, 200]) await uploadPhoto(server.base, ada.token, await solidColorPicture(red));
    await page.goto(`${server.base}/console/photos`);
    // The processed ones.
    const photos = page.getByRole('link', { name: /^Photo of .*[^.…]$/ });
    await photos.nth(1).waitFor();
    await photos.first().click();
    const photo = page.getByRole('dialog').getByRole('img', { name: /^Photo of/ });
    await photo.waitFor();
    const width = (await photo.boundingBox())?.width;
    await touch(page, ...spread(await middleOf(photo)));
    await expect.poll(async () => Number((await photo.boundingBox())?.width) / Number(width)).toBeCloseTo(5, 0);
    await page.getByRole('button', { name: 'Whole photo' }).click();
    const title = await page.getByRole('dialog').getByRole('heading').innerText();
    const [right, middle] = await middleOf(photo);
    await touch(page, [
      [right + 80, middle],
      [right, middle],
      [right - 80, middle],
    ]);
    await expect.poll(() => page.getByRole('dialog').getByRole('heading').innerText()).not.toBe(title);
  });

  it('no page is wider than the smallest phones in French', async () => {
    const ada = await gardener(server, 'cleo');
    await seedGarden(ada);
    const name = 'Le jardin potager partagé de la rue des Framboisiers';
    await ada.call('PATCH', '/api/device', { name });
    const layers = { show_moisture_interpolation_map: true, show_soil_interpolation_map: true };
    await ada.call('PATCH', '/api/web_app_config', layers);
    const height = { pointer_type: 'GenericPointer', name: 'Soil', y: 300, meta: { at_soil_level: 'true' } };
    // Between fewer than three heights, nothing is colored.
    for (const [i, z] of [-1234.5, -1200, -1100].entries())
      await ada.call('POST', '/api/points', { ...height, x: 200 * (i + 1), z });
    const reading = { pin: 59, mode: 1, x: 100, z: 0 };
    for (const value of [20, 1010]) await ada.call('POST', '/api/sensor_readings', { ...reading, y: value, value });
    const page = await openConsole(open, server, ada, '/map?panel=layers', { locale: 'fr-FR' });
    await page.getByRole('img', { name: 'Humidité du sol : 20 – 1 010 sur 1 023' }).waitFor();
    await page.getByText(/^-1\s234,5$/).waitFor();
    // Interpolated between these and the seeded heights, which are random.
    await page.getByRole('img', { name: /^Hauteur du sol : -1\s234,5 – -4\d\d mm$/ }).waitFor();
    const pages = page.getByRole('navigation', { name: 'Pages' }).first().getByRole('link');
    const found: string[] = [];
    const check = async (): Promise<void> => {
      await expect.poll(() => page.getByText('Chargement…').count()).toBe(0);
      await page.getByRole('heading', { level: 1 }).first().waitFor({ state: 'attached' });
      await page.setViewportSize({ width: 320, height: 640 });
      const overflow = await overflowOf(page);
      if (overflow > 0) found.push(`${page.url()}: ${overflow} pixels too wide`);
      found.push(
        ...(await page.getByRole('navigation', { name: 'Pages' }).last().locator('span').evaluateAll(cutWords)),
      );
      await page.setViewportSize(desktop);
    };
    for (const link of await pages.all()) {
      if ((await link.innerText()) === 'Se déconnecter') continue;
      const before = await page.title();
      await link.click();
      if (!page.url().endsWith('/map')) await expect.poll(() => page.title()).not.toBe(before);
      await check();
      const title = await page.getByRole('heading', { level: 1 }).first().innerText();
      for (const part of await page.getByRole('navigation', { name: title }).getByRole('link').all()) {
        await part.click();
        await check();
      }
    }
    expect(found).toEqual([]);
  });
});
