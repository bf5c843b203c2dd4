import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { numberAt } from '../../support/json.ts';
import { phone, suiteBrowser } from '../pages/browser.ts';
import { consoleServer, type Gardener, gardener, openAsViewer, openConsole, startRobot } from './garden-page.ts';

const open = suiteBrowser();

/** Plants named after their letters, in a row. */
async function plantRow({ call }: Gardener, names: string, more: object = {}): Promise<void> {
  const plants = [...names].map((name, index) => ({
    pointer_type: 'Plant',
    name,
    openfarm_slug: 'beet',
    x: 300 + 300 * index,
    y: 400,
    z: 0,
    ...more,
  }));
  for (const plant of plants) await call('POST', '/api/points', plant);
}

const plant = (page: Page, name: string): Locator =>
  page.getByRole('button', { name: new RegExp(`^${name}, plant at`) });

async function middleOf(shown: Locator): Promise<{ readonly x: number; readonly y: number }> {
  const box = await shown.boundingBox();
  if (!box) throw new Error('it is not shown');
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

async function drag(page: Page, from: { readonly x: number; readonly y: number }, across: number, down: number) {
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(from.x + across, from.y + down, { steps: 4 });
  await page.mouse.up();
}

describe('the map of the console', () => {
  const server = consoleServer();

  it('moves all of a selection that is dragged in select mode, in one change', async () => {
    const ada = await gardener(server);
    await plantRow(ada, 'ABC');
    const page = await openConsole(open, server, ada, '/map');
    await plant(page, 'A').waitFor();
    await page.getByRole('button', { name: 'Select by drawing a box' }).click();
    const [first, second] = [await middleOf(plant(page, 'A')), await middleOf(plant(page, 'B'))];
    await drag(page, { x: first.x - 30, y: first.y - 30 }, second.x - first.x + 60, 60);
    await page.getByRole('heading', { name: '2 selected' }).waitFor();
    const requests: string[] = [];
    page.on('request', (request) => {
      if (request.method() !== 'GET') requests.push(new URL(request.url()).pathname);
    });
    await drag(page, await middleOf(plant(page, 'B')), 0, 60);
    await page.getByText('2 were moved.').waitFor();
    expect(requests).toEqual(['/api/points/bulk']);
    await page.getByRole('heading', { name: '2 selected' }).waitFor();
    const rows = async (): Promise<readonly number[]> => {
      const points = await ada.call('GET', '/api/points');
      return [0, 1, 2].map((index) => numberAt(points, `${index}.y`));
    };
    const [a, b, c] = await rows();
    expect([a, c]).toEqual([b, 400]);
    expect(a).toBeGreaterThan(450);
    // A drag beside the selection draws the next box.
    await drag(page, { x: first.x - 30, y: first.y + 30 }, 60, 60);
    await page.getByRole('heading', { name: 'A', exact: true }).waitFor();
    await page
      .getByRole('alertdialog', { name: /were moved/ })
      .getByRole('button', { name: 'Undo' })
      .click();
    await expect.poll(rows).toEqual([400, 400, 400]);
  });

  it.each([
    ['a desktop', undefined],
    ['a phone', phone],
  ])('keeps the bed in the window of %s', async (_name, viewport) => {
    const ada = await gardener(server);
    await plantRow(ada, 'A');
    const page = await openConsole(open, server, ada, '/map', viewport ? { viewport, hasTouch: true } : {});
    await plant(page, 'A').waitFor();
    const map = page.getByRole('group', { name: /^Map: arrow keys/ });
    const bed = page.getByRole('group', { name: /^Garden bed/ });
    await map.focus();
    const press = async (key: string): Promise<void> => {
      for (let count = 0; count < 30; count++) await page.keyboard.press(key);
    };
    /** How much of the bed is seen, of what there is room for, across and down. */
    const seen = async (): Promise<readonly number[]> => {
      const [frame, shown] = [await map.boundingBox(), await bed.boundingBox()];
      if (!frame || !shown) throw new Error('the map is not shown');
      const part = (start: number, length: number, from: number, room: number): number =>
        (Math.min(start + length, from + room) - Math.max(start, from)) / Math.min(length, room);
      return [part(shown.x, shown.width, frame.x, frame.width), part(shown.y, shown.height, frame.y, frame.height)];
    };
    for (const key of ['ArrowLeft', 'ArrowUp', 'ArrowRight', 'ArrowDown']) {
      await press(key);
      for (const part of await seen()) expect(part, key).toBeCloseTo(1, 2);
    }
    // Zoomed in, its edges come to the middle.
    for (let count = 0; count < 4; count++) await page.keyboard.press('+');
    for (const key of ['ArrowLeft', 'ArrowUp', 'ArrowRight', 'ArrowDown']) {
      await press(key);
      for (const part of await seen()) expect(part, key).toBeGreaterThan(0.45);
    }
    await press('-');
    for (const part of await seen()) expect(part).toBeCloseTo(1, 2);
    expect((await bed.boundingBox())?.width).toBeGreaterThan(100);
  });

  it('offers what it knows of any spot: the way there, readings, photos and the height of the soil', async () => {
    const ada = await gardener(server);
    await startRobot(ada);
    const soil = (x: number, y: number, z: number) =>
      ada.call('POST', '/api/points', {
        pointer_type: 'GenericPointer',
        name: 'Soil',
        x,
        y,
        z,
        meta: { at_soil_level: 'true' },
      });
    await soil(100, 100, -400);
    await soil(800, 100, -500);
    await soil(100, 800, -500);
    await ada.call('POST', '/api/sensors', { label: 'Moisture', pin: 59, mode: 1 });
    await ada.call('POST', '/api/sensor_readings', { pin: 59, value: 512, x: 100, y: 140, z: 0, mode: 1 });
    const program = { kind: 'take_photo', args: {} };
    await ada.call('POST', '/api/commands', { program, wait: 60 });
    await expect.poll(async () => JSON.stringify(await ada.call('GET', '/api/images'))).toContain('.jpg');
    const page = await openConsole(open, server, ada, '/map?place=20,30');
    const panel = page.getByRole('region', { name: 'Place 20, 30' });
    const photo = panel.getByRole('link', { name: /^Photo of / });
    await photo.waitFor();
    await panel.getByText('1 photo of this spot').waitFor();
    await panel.getByText(/^Moisture: 512 of 1,023 · .* · 136 mm away$/).waitFor();
    await panel.getByText(/^Soil height: -40\d(\.\d)? mm$/).waitFor();
    await photo.click();
    await expect.poll(() => new URL(page.url()).search).toMatch(/^\?photo=\d+$/);
    await page.goBack();
    // Another spot, by a tap.
    const bed = await page.getByRole('group', { name: /^Garden bed/ }).boundingBox();
    if (!bed) throw new Error('the bed is not shown');
    await page.mouse.click(bed.x + bed.width / 3, bed.y + bed.height * 0.8);
    const other = page.getByRole('region', { name: /^Place \d{3}/ });
    await other.getByText('No photo shows this spot yet.').waitFor();
    await other.getByText('No sensor was read within 150 mm.').waitFor();
    await other.getByRole('button', { name: 'Move the robot here' }).click();
    await page.getByText(/^The robot is at \d{3,4}, \d{3,4}\.$/).waitFor();
    const viewer = await openAsViewer(open, server, ada, await gardener(server, 'eve'), '/map?place=20,30');
    await viewer.getByText('1 photo of this spot').waitFor();
  });

  it('shows the photos of a plant over time, by a slider and as a film', async () => {
    const ada = await gardener(server);
    await startRobot(ada);
    await plantRow(ada, 'A', { x: 20, y: 30 });
    const photos = async () => JSON.stringify(await ada.call('GET', '/api/images')).split('.jpg"').length - 1;
    for (const count of [1, 2, 3]) {
      await ada.call('POST', '/api/commands', { program: { kind: 'take_photo', args: {} }, wait: 60 });
      await expect.poll(photos).toBe(count);
    }
    const id = numberAt(await ada.call('GET', '/api/points'), '0.id');
    const page = await openConsole(open, server, ada, `/map?point=${id}`);
    await page.getByText('3 photos of this spot').waitFor();
    const film = page.getByRole('region', { name: 'Photos over time' });
    const slider = film.getByRole('slider');
    const shown = () => film.getByRole('img').getAttribute('src');
    const newest = await shown();
    expect(await slider.inputValue()).toBe('2');
    await slider.press('Home');
    await expect.poll(shown).not.toBe(newest);
    expect(await slider.getAttribute('aria-valuetext')).toMatch(/\d{4}/);
    await film.getByRole('button', { name: 'Play the photos' }).click();
    await expect.poll(shown).toBe(newest);
    await film.getByRole('button', { name: 'Play the photos' }).waitFor();
  });

  it('says of a planted plant without a date that it is planted, and shows the day that many share', async () => {
    const ada = await gardener(server);
    await plantRow(ada, 'A', { plant_stage: 'planted', planted_at: null });
    await ada.call('POST', '/api/points', {
      pointer_type: 'Plant',
      name: 'P',
      x: 900,
      y: 700,
      z: 0,
      plant_stage: 'planned',
    });
    for (const milliseconds of ['001', '002'])
      await plantRow(ada, milliseconds.slice(-1), {
        y: 900,
        x: 300 * Number(milliseconds),
        plant_stage: 'planted',
        planted_at: `2026-05-01T10:00:00.${milliseconds}Z`,
      });
    const page = await openConsole(open, server, ada, '/map');
    await plant(page, 'A').click();
    const panel = page.getByRole('region', { name: 'A' });
    await panel.getByText('Planted', { exact: true }).first().waitFor();
    expect(await panel.getByText('Not planted yet').count()).toBe(0);
    await plant(page, 'P').click();
    await page.getByRole('region', { name: 'P' }).getByText('Not planted yet').waitFor();
    await plant(page, '1').click();
    await plant(page, '2').click({ modifiers: ['Shift'] });
    const day = page.getByRole('region', { name: '2 selected' }).getByLabel('Planted on');
    await expect.poll(() => day.inputValue()).toBe('2026-05-01');
    await page.goto(`${server.base}/console/places`);
    await page.getByRole('link', { name: 'A', exact: true }).waitFor();
    expect(await page.getByText('Not planted yet').count()).toBe(1);
  });
});
