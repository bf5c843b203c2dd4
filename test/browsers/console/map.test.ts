import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { numberAt } from '../../support/json.ts';
import { phone, suiteBrowser } from '../pages/browser.ts';
import {
  consoleServer,
  type Gardener,
  gardener,
  openAsViewer,
  openConsole,
  seedGarden,
  startRobot,
} from './garden-page.ts';

const open = suiteBrowser();

const plant = (name: string, x: number, y: number, slug = 'beet') => ({
  pointer_type: 'Plant',
  name,
  openfarm_slug: slug,
  x,
  y,
  z: 0,
});

async function plantAll({ call }: Gardener, ...plants: ReturnType<typeof plant>[]): Promise<void> {
  for (const each of plants) await call('POST', '/api/points', each);
}

const tomatoes = (page: Page): Locator => page.getByRole('button', { name: /^Tomato, plant at/ });
const undo = (page: Page, message: RegExp): Promise<void> =>
  page.getByRole('alertdialog', { name: message }).getByRole('button', { name: 'Undo' }).click();

/** Presses the mouse at a part of the bed, from 0 to 1 of its width and height. */
async function clickBed(page: Page, across: number, down: number): Promise<void> {
  const box = await page.getByRole('group', { name: /^Garden bed/ }).boundingBox();
  if (!box) throw new Error('the bed is not shown');
  await page.mouse.click(box.x + across * box.width, box.y + down * box.height);
}

/** An element of a page. */
interface Drawn {
  getBoundingClientRect(): Readonly<Record<'x' | 'y' | 'width' | 'height', number>>;
  contains(other: unknown): boolean;
  readonly ownerDocument: { elementFromPoint(x: number, y: number): unknown };
}

/** Whether nothing hides the middle of the shown element. */
const isOnTop = (shown: Locator): Promise<boolean> =>
  shown.evaluate((element: Drawn) => {
    const { x, y, width, height } = element.getBoundingClientRect();
    return element.contains(element.ownerDocument.elementFromPoint(x + width / 2, y + height / 2));
  });

describe('the map of the console', () => {
  const server = consoleServer();

  it('adds three tomatoes by clicks, moves one by dragging, and takes that back', async () => {
    const ada = await gardener(server);
    const page = await openConsole(open, server, ada, '/map');
    await page.getByRole('button', { name: 'Select by drawing a box' }).click();
    const bed = page.getByRole('group', { name: /^Garden bed/ });
    const whole = await bed.boundingBox();
    await page.getByRole('button', { name: 'Add a plant' }).click();
    // One tool is active, and the panel leaves the bed as it was.
    const tools = page.getByRole('toolbar', { name: 'Map tools' });
    await expect.poll(() => tools.getByRole('button', { pressed: true }).count()).toBe(1);
    const addition = page.getByRole('region', { name: 'Add a plant' });
    await addition.waitFor();
    expect(await bed.boundingBox()).toEqual(whole);
    await page.getByLabel('Which plant?').fill('tomatoe');
    await page.getByRole('button', { name: 'Tomato', exact: true }).click();
    await page.getByText('Choose a place on the bed to plant').waitFor();
    for (const across of [0.2, 0.35, 0.5]) await clickBed(page, across, 0.5);
    await tomatoes(page).nth(2).waitFor();
    await addition.getByRole('button', { name: 'Close' }).click();

    const first = tomatoes(page).first();
    const before = await first.getAttribute('aria-label');
    await first.click();
    await page.getByRole('heading', { name: 'Tomato' }).waitFor();
    await expect.poll(() => new URL(page.url()).search).toMatch(/^\?point=\d+$/);
    const box = await first.boundingBox();
    if (!box) throw new Error('the tomato is not shown');
    const drag = async (): Promise<void> => {
      await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
      await page.mouse.down();
      await page.mouse.move(box.x + 60, box.y + 80, { steps: 4 });
    };
    // A change that cannot be sent is taken back, although nothing can be read again.
    await page.route('**/api/points**', (route) => route.abort());
    await drag();
    await page.mouse.up();
    await page.getByText('The server cannot be reached.').waitFor();
    expect(await page.getByRole('button', { name: String(before) }).count()).toBe(1);
    await page.unroute('**/api/points**');
    await drag();
    // The circles of its spread come along: two, and the rings around the selected and the focused point, with halos.
    const circles = `[...document.querySelectorAll('svg circle')].filter((circle) => {
      const { x, y, width, height } = circle.getBoundingClientRect();
      return Math.hypot(x + width / 2 - ${box.x + 60}, y + height / 2 - ${box.y + 80}) < 4;
    }).length`;
    expect(await page.evaluate(circles)).toBe(6);
    await page.mouse.up();
    await page.getByText('Tomato was moved.').waitFor();
    expect(await page.getByRole('button', { name: String(before) }).count()).toBe(0);
    await undo(page, /was moved/);
    await page.getByRole('button', { name: String(before) }).waitFor();
    expect(await ada.call('GET', '/api/points')).toHaveLength(3);

    // Another plant is shown from its top.
    const top = async (): Promise<number | undefined> =>
      (await page.getByRole('link', { name: 'The life of Tomato' }).boundingBox())?.y;
    const shown = await top();
    await page.getByLabel('Depth of planting (mm)').scrollIntoViewIfNeeded();
    expect(await top()).toBeLessThan(Number(shown));
    await tomatoes(page).nth(1).click();
    await expect.poll(top).toBe(shown);

    // A slot, and its tool.
    await ada.call('POST', '/api/tools', { name: 'Seeder' });
    await page.getByRole('button', { name: 'Add a tool slot' }).click();
    await clickBed(page, 0.4, 0.3);
    const slot = page.getByRole('button', { name: /^Tool slot, tool slot at / });
    await slot.waitFor();
    await page.getByRole('region', { name: 'Add a tool slot' }).getByRole('button', { name: 'Close' }).click();
    await slot.click();
    await page.getByRole('button', { name: /Tool$/ }).click();
    await page.getByRole('option', { name: 'Seeder' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: /^Seeder \(Tool slot\), tool slot at / }).waitFor();
  });

  it('keeps a plant selected that was chosen before the server had it', async () => {
    const ada = await gardener(server);
    const page = await openConsole(open, server, ada, '/map?panel=plant&crop=tomato');
    let save = (): void => undefined;
    const saved = new Promise<void>((resolve) => {
      save = resolve;
    });
    await page.route('**/api/points', async (route) => {
      await saved;
      await route.continue();
    });
    await page.getByText('Choose a place on the bed to plant').waitFor();
    await clickBed(page, 0.5, 0.5);
    await page.getByRole('region', { name: 'Add a plant' }).getByRole('button', { name: 'Close' }).click();
    await tomatoes(page).click();
    const panel = page.getByRole('region', { name: 'Tomato' });
    await panel.waitFor();
    save();
    await expect.poll(() => new URL(page.url()).search).toMatch(/^\?point=\d+$/);
    await panel.getByRole('button', { name: 'Water', exact: true }).waitFor();
    expect(await page.getByText('is no longer in the bed').count()).toBe(0);
  });

  it('deletes the points in a box, takes it back, and fills a row, on a phone', async () => {
    const ada = await gardener(server);
    await plantAll(ada, plant('Left', 300, 300), plant('Middle', 1200, 700), plant('Right', 2100, 900));
    const page = await openConsole(open, server, ada, '/map', { viewport: phone, hasTouch: true });
    await page.getByRole('button', { name: /^Middle/ }).waitFor();
    await page.getByRole('button', { name: 'Select by drawing a box' }).click();
    const box = await page.getByRole('group', { name: /^Garden bed/ }).boundingBox();
    if (!box) throw new Error('the bed is not shown');
    // The bed is turned: x grows upward.
    await page.mouse.move(box.x + 2, box.y + box.height * 0.5);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width - 2, box.y + box.height - 2, { steps: 4 });
    await page.mouse.up();
    await page.getByRole('heading', { name: '2 selected' }).waitFor();
    // A tap adds a point to them, or removes it. The sheet below the bed left its scale as it was.
    await page.getByRole('button', { name: 'Show the whole bed' }).click();
    await page.getByRole('button', { name: /^Right/ }).tap();
    await page.getByRole('heading', { name: '3 selected' }).waitFor();
    // One that misses all points changes nothing.
    const right = await page.getByRole('button', { name: /^Right/ }).boundingBox();
    if (!right) throw new Error('the plant is not shown');
    await page.touchscreen.tap(right.x - 40, right.y);
    await page.getByRole('button', { name: /^Right/ }).tap();
    await page.getByRole('heading', { name: '2 selected' }).waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('2 were deleted.').waitFor();
    expect(await ada.call('GET', '/api/points')).toHaveLength(1);
    await undo(page, /were deleted/);
    await page.getByRole('button', { name: /^Left/ }).waitFor();
    await page.getByRole('button', { name: /^Middle/ }).waitFor();

    await page.goto(`${server.base}/console/map?panel=plant&crop=carrot&place=120,340`);
    // The place of the address, and the carrot's distances.
    await expect.poll(() => page.getByLabel('First x').inputValue()).toBe('120');
    expect(await page.getByLabel('First y').inputValue()).toBe('340');
    expect(await page.getByLabel('Distance in x').inputValue()).toBe('50');
    expect(await page.getByLabel('Distance in y').inputValue()).toBe('250');
    await page.getByLabel('First x').fill('100');
    await page.getByLabel('First y').fill('1000');
    // A wrong number stays, and is said.
    await page.getByLabel('Number along x').fill('5000');
    await page.getByLabel('First x').focus();
    await page.getByText('At most 500 are added at once.').waitFor();
    expect(await page.getByLabel('Number along x').inputValue()).toBe('5000');
    expect(await page.getByRole('button', { name: 'Add', exact: true }).isDisabled()).toBe(true);
    await page.getByLabel('Number along x').fill('4');
    await page.getByLabel('Distance in x').fill('50');
    await page.getByLabel('First x').focus();
    await page.getByRole('button', { name: 'Add 4' }).click();
    await page.getByRole('button', { name: 'Carrot, plant at 250, 1000' }).waitFor();
    await page.getByText('Carrot stands at all of these 4 places already').waitFor();
    await page.getByLabel('Number along x').fill('5');
    await page.getByLabel('First x').focus();
    await page.getByText('Carrot stands at 4 of these 5 places already').waitFor();
    expect(await page.getByRole('button', { name: 'Add', exact: true }).isEnabled()).toBe(true);
    await undo(page, /were added/);
    await page
      .getByRole('button', { name: /^Carrot/ })
      .first()
      .waitFor({ state: 'detached' });
  });

  it('plants a grid of 500 in one step, and takes it back by Ctrl+Z', async () => {
    const ada = await gardener(server);
    const page = await openConsole(open, server, ada, '/map?panel=plant&crop=carrot');
    for (const [label, value] of [
      ['First x', '50'],
      ['First y', '50'],
      ['Number along x', '25'],
      ['Distance in x', '50'],
      ['Number along y', '20'],
      ['Distance in y', '50'],
    ] as const)
      await page.getByLabel(label).fill(value);
    await page.getByLabel('First x').focus();
    // Without the answer to its one request nothing stands.
    await page.context().route('**/api/points/bulk', (route) => route.abort());
    await page.getByRole('button', { name: 'Add 500' }).click();
    await page.getByText('The server cannot be reached.').first().waitFor();
    expect(await ada.call('GET', '/api/points')).toEqual([]);
    await page.context().unroute('**/api/points/bulk');
    await page.getByRole('button', { name: 'Add 500' }).dblclick();
    await page.getByText('Carrot stands at all of these 500 places already').waitFor();
    await page.getByRole('button', { name: 'Carrot, plant at 1250, 1000' }).waitFor();
    expect(await ada.call('GET', '/api/points')).toHaveLength(500);

    // In a field the keys take back its input.
    await page.getByLabel('First x').press('Control+z');
    expect(await ada.call('GET', '/api/points')).toHaveLength(500);
    const bed = page.getByRole('group', { name: /^Map: arrow keys/ });
    await bed.press('Control+z');
    await page.getByText('Undone: 500 × Carrot were added.').waitFor();
    await page
      .getByRole('button', { name: /^Carrot/ })
      .first()
      .waitFor({ state: 'detached' });
    expect(await ada.call('GET', '/api/points')).toEqual([]);
    // The rows of one crop are not meant for the next.
    await page.getByRole('button', { name: 'Another plant' }).click();
    await page.getByRole('button', { name: 'Beet', exact: true }).click();
    await page.getByRole('button', { name: 'Add', exact: true }).waitFor();
    await bed.press('Control+z');
    await page.getByText('Nothing that was changed in this tab can be undone.').waitFor();

    // A search that was left before its answer chooses nothing.
    await page.getByRole('button', { name: 'Another plant' }).click();
    const search = page.getByLabel('Which plant?');
    let answer = (): void => undefined;
    const isAnswered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.context().route('**/api/crops?*search=leek*', async (route) => {
      await isAnswered;
      await route.continue();
    });
    await search.fill('leek');
    await search.press('Enter');
    await search.press('Escape');
    await search.waitFor({ state: 'detached' });
    const response = page.waitForResponse('**/api/crops?*search=leek*');
    answer();
    await response;
    await page.getByRole('button', { name: 'Add a plant' }).click();
    await search.fill('carrot');
    await search.press('Enter');
    await page.getByRole('region', { name: 'Add a plant' }).getByText('Carrot', { exact: true }).waitFor();
  });

  it('changes and deletes hundreds together, all or none, and takes that back', async () => {
    const ada = await gardener(server);
    const rows = Array.from({ length: 210 }, (_, index) => ({
      ...plant(`Leek ${index}`, 10 * index, 100),
      z: index === 7 ? -20 : 0,
    }));
    const made = (await ada.call('POST', '/api/points/bulk', { points: rows })) as { id: number }[];
    const page = await openConsole(open, server, ada, `/map?points=${made[0]?.id}-${made.at(-1)?.id}`);
    const radii = async () =>
      new Set(((await ada.call('GET', '/api/points')) as { radius: number }[]).map(({ radius }) => radius));
    await page.context().route('**/api/points/bulk', (route) => route.abort());
    expect(await page.getByLabel('Radius (mm)').inputValue()).toBe('25');
    // They differ.
    expect(await page.getByLabel('z (mm)').inputValue()).toBe('');
    await page.getByLabel('Radius (mm)').fill('40');
    await page.getByLabel('Radius (mm)').press('Tab');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The server cannot be reached.').first().waitFor();
    expect(await radii()).toEqual(new Set([25]));
    await page.context().unroute('**/api/points/bulk');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('210 were changed.').waitFor();
    expect(await radii()).toEqual(new Set([40]));
    await undo(page, /were changed/);
    await expect.poll(radii).toEqual(new Set([25]));

    // More ids than addresses that proxies accept have.
    const addresses: string[] = [];
    page.on('request', (request) => {
      if (request.method() !== 'GET') addresses.push(new URL(request.url()).pathname);
    });
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('210 were deleted.').waitFor();
    expect(addresses).toEqual(['/api/batch']);
    expect(await ada.call('GET', '/api/points')).toEqual([]);
    await undo(page, /were deleted/);
    await expect.poll(async () => ((await ada.call('GET', '/api/points')) as unknown[]).length).toBe(210);
  });

  it('shows the chosen plant above its sheet on a phone', async () => {
    const ada = await gardener(server);
    await plantAll(ada, plant('Low', 1400, 700));
    const page = await openConsole(open, server, ada, '/map', { viewport: phone, hasTouch: true });
    const mark = page.getByRole('button', { name: /^Low/ });
    await mark.waitFor();
    for (let step = 0; step < 4; step++) await page.getByRole('button', { name: 'Zoom in' }).click();
    const frame = await page.getByRole('group', { name: /^Map: arrow keys/ }).boundingBox();
    const before = await mark.boundingBox();
    if (!frame || !before) throw new Error('the map is not shown');
    // To the place that the sheet will cover.
    const [x, y] = [before.x + before.width / 2, before.y + before.height / 2];
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(frame.x + frame.width / 2, frame.y + frame.height - 90, { steps: 4 });
    await page.mouse.up();
    await mark.click();
    const sheet = page.getByRole('region', { name: 'Low' });
    await sheet.waitFor();
    const bottom = async (): Promise<number> => {
      const box = await mark.boundingBox();
      return box ? box.y + box.height : Number.NaN;
    };
    const top = async (): Promise<number> => (await sheet.boundingBox())?.y ?? Number.NaN;
    await expect.poll(async () => (await bottom()) < (await top())).toBe(true);
    expect(frame.y + frame.height - 90).toBeGreaterThan(await top());
    // The server's message is visible beside its field, far above the button.
    const across = sheet.getByLabel('x (mm)');
    const stored = await across.inputValue();
    await across.fill('999999');
    await sheet.getByLabel('Name').focus();
    await sheet.getByRole('button', { name: 'Save' }).click();
    const problem = sheet.getByText('x (mm) is too big (it must be less than 50000).');
    await problem.waitFor();
    await across.and(page.locator(':focus')).waitFor();
    expect(await isOnTop(problem)).toBe(true);
    await across.fill(stored);
    // A small phone shows a third of the height of the map, whatever is said.
    await page.setViewportSize({ width: 320, height: 568 });
    await page.getByLabel('Radius (mm)').fill('40');
    await page.getByLabel('Radius (mm)').press('Tab');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Low was changed.').waitFor();
    const frameHeight = async (): Promise<number> =>
      (await page.getByRole('group', { name: /^Map: arrow keys/ }).boundingBox())?.height ?? 0;
    await expect.poll(frameHeight).toBeGreaterThan(568 / 3);
    // Beside the sheet an upright tablet would have no room for the bed.
    await page.setViewportSize({ width: 820, height: 1180 });
    const map = page.getByRole('group', { name: /^Map: arrow keys/ });
    const sheetWidth = async (): Promise<number> => (await sheet.boundingBox())?.width ?? Number.NaN;
    await expect.poll(async () => (await map.boundingBox())?.width).toBe(await sheetWidth());
  });

  it('is used by keyboard alone: goes to a plant, moves it, and changes its name', async () => {
    const ada = await gardener(server);
    await plantAll(ada, plant('Near', 300, 300), plant('Far', 900, 320));
    const page = await openConsole(open, server, ada, '/map');
    await page.getByRole('button', { name: /^Near/ }).focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Far' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'Far' }).waitFor({ state: 'detached' });
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Far' }).waitFor();
    await page.getByRole('button', { name: 'Move with arrow keys' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('Moved by 0, 0 mm').waitFor();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Shift+ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Far, plant at 910, 420' }).waitFor();
    await page.getByLabel('Name').fill('Beetroot');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Beetroot, plant at 910, 420' }).waitFor();
  });

  it('shows everything to a viewer, who can change nothing', async () => {
    const ada = await gardener(server);
    await plantAll(ada, plant('Kale', 300, 300, 'kale'));
    const page = await openAsViewer(open, server, ada, await gardener(server, 'eve'), '/map');
    await page.getByRole('button', { name: /^Kale/ }).click();
    await page.getByRole('heading', { name: 'Kale' }).waitFor();
    expect(await page.getByLabel('Name').isDisabled()).toBe(true);
    for (const name of ['Delete', 'Save', 'Water', 'Add a plant', 'Move the robot here'])
      expect(await page.getByRole('button', { name, exact: true }).count(), name).toBe(0);
  });

  it('schedules watering of three tomatoes for every morning, with the program and the group that this lacks', async () => {
    const ada = await gardener(server);
    await ada.call('PATCH', '/api/device', { timezone: 'Europe/Paris' });
    await plantAll(ada, ...[300, 600, 900].map((x) => plant('Tomato', x, 300, 'tomato')));
    const planted = await ada.call('GET', '/api/points');
    const ids = [0, 1, 2].map((index) => numberAt(planted, `${index}.id`));
    const page = await openConsole(open, server, ada, '/map');
    const [first, second, third] = [tomatoes(page).nth(0), tomatoes(page).nth(1), tomatoes(page).nth(2)];
    await first.click();
    await second.click({ modifiers: ['Shift'] });
    await third.click({ modifiers: ['Shift'] });
    await page.getByRole('button', { name: 'Water', exact: true }).click();
    await page.getByText('nor a peripheral for water').waitFor();
    const setUp = page.getByRole('link', { name: 'Choose a kit or a virtual robot' });
    expect(await setUp.getAttribute('href')).toBe('/console/set-up');
    await page.goBack();
    await page.getByRole('button', { name: 'Water every morning' }).click();
    await page.getByText('neither a program that waters one place nor a peripheral').waitFor();
    await ada.call('POST', '/api/peripherals', { label: 'Valve', pin: 8, mode: 0 });
    await page.getByLabel('Time', { exact: true }).fill('');
    await page.getByRole('button', { name: 'Schedule it' }).click();
    await page.getByText('Choose a time.').waitFor();
    await page.getByLabel('Time', { exact: true }).fill('06:30');
    await page.getByText(/^The robot waters these 3 plants every day at 6:30\sAM \(Europe\/Paris\)/).waitFor();
    await page.getByRole('button', { name: 'Schedule it' }).click();
    await page.getByText(/^3 plants: watered every day at 6:30\sAM\.$/).waitFor();
    const events = () => ada.call('GET', '/api/farm_events');
    const [sequences, groups] = [await ada.call('GET', '/api/sequences'), await ada.call('GET', '/api/point_groups')];
    expect(sequences).toMatchObject([{ name: 'Water with Valve' }]);
    expect(groups).toMatchObject([
      { name: '3 × Tomato, watered every morning', point_ids: expect.arrayContaining(ids) },
    ]);
    const [sequenceId, groupId] = [numberAt(sequences, '0.id'), numberAt(groups, '0.id')];
    expect(await events()).toMatchObject([
      {
        executable_type: 'Sequence',
        executable_id: sequenceId,
        time_unit: 'daily',
        repeat: 1,
        body: [{ args: { label: 'parent', data_value: { args: { point_group_id: groupId } } } }],
      },
    ]);
    const link = page.getByRole('alertdialog', { name: /watered every day/ }).getByRole('link');
    expect(await link.getAttribute('href')).toMatch(/^\/console\/schedule\?date=\d{4}-\d\d-\d\d$/);
    // All three, and each of them, lead to their watering program.
    await page.getByText('Watered by Water with Valve').waitFor();
    const isNext = /^next on .+, 6:30/;
    const eventId = numberAt(await events(), '0.id');
    expect(await page.getByRole('link', { name: isNext }).getAttribute('href')).toBe(
      `/console/schedule?event=${eventId}`,
    );
    await first.click();
    await page.getByRole('heading', { name: 'Tomato' }).waitFor();
    await page.getByRole('link', { name: isNext }).waitFor();
    await undo(page, /watered every day/);
    await page.getByRole('link', { name: isNext }).waitFor({ state: 'detached' });
    await expect.poll(events).toEqual([]);
    expect([await ada.call('GET', '/api/sequences'), await ada.call('GET', '/api/point_groups')]).toEqual([[], []]);

    // Existing records are used; the program works.
    await ada.call('POST', '/api/point_groups', { name: 'Row', point_ids: ids });
    await page.goto(`${server.base}/console/map?points=${ids.join()}&panel=morning`);
    await page.getByRole('button', { name: 'Schedule it' }).click();
    await expect.poll(events).toHaveLength(1);
    expect(await ada.call('GET', '/api/point_groups')).toMatchObject([{ name: 'Row' }]);
    const message = page.getByRole('alertdialog', { name: /watered every day/ });
    const toSchedule = message.getByRole('link', { name: 'Show the schedule' });
    // Opened in another tab, which is prevented here, it leaves the message and its "Undo".
    await page.evaluate('addEventListener("click", (event) => event.preventDefault(), { once: true })');
    await toSchedule.click({ modifiers: ['ControlOrMeta'] });
    await toSchedule.click();
    await page.getByRole('heading', { name: 'Schedule', level: 1 }).waitFor();
    expect(await message.count()).toBe(0);
    await startRobot(ada);
    const program = { sequence_id: numberAt(await ada.call('GET', '/api/sequences'), '0.id') };
    const parameters = { parent: { kind: 'coordinate', args: { x: 300, y: 300, z: 0 } } };
    const ran = await ada.call('POST', '/api/commands', { program: { ...program, parameters }, wait: 60 });
    expect(ran).toMatchObject({ status: 'ok' });
  });

  it('waters plants with the virtual robot, and shows the progress, beside all controls of a phone', async () => {
    const ada = await gardener(server);
    await seedGarden(ada);
    await startRobot(ada);
    const page = await openConsole(open, server, ada, '/map');
    await page.getByRole('button', { name: 'Spinach, plant at 400, 100' }).click();
    await page.getByRole('button', { name: 'Spinach, plant at 600, 100' }).click({ modifiers: ['Shift'] });
    await page.getByRole('button', { name: 'Water', exact: true }).click();
    await page.getByText('The robot goes to 2 plants').waitFor();
    await page.getByRole('button', { name: 'Start watering' }).click();
    await page.getByText('Water: 1 of 2, Spinach').waitFor();
    await page.getByText('Water: 2 of 2 done.').waitFor();
    await page.getByRole('img', { name: 'Robot at 600, 100' }).waitFor();

    await page.getByRole('button', { name: 'Add a plant' }).click();
    await page.getByRole('button', { name: 'Carrot', exact: true }).click();
    await page.setViewportSize(phone);
    const panel = page.getByRole('region', { name: 'Add a plant' });
    const add = panel.getByRole('button', { name: 'Add', exact: true });
    await panel.getByText('Plant there as well').click();
    await add.click();
    const added = page.getByRole('alertdialog', { name: 'Carrot was added.' });
    // Messages with the focus stay.
    await added.getByRole('button', { name: 'Undo' }).focus();
    const controls = [
      add,
      panel.getByRole('button', { name: 'Close' }),
      page.getByRole('toolbar', { name: 'Map tools' }).getByRole('button').first(),
      page.getByRole('toolbar', { name: 'Map tools' }).getByRole('button').last(),
      page.getByRole('button', { name: 'Zoom in' }),
      page.getByRole('button', { name: 'Show the whole bed' }),
      page.getByRole('button', { name: 'Emergency stop' }),
      page.getByText('Water: 2 of 2 done.'),
      added.getByRole('button', { name: 'Undo' }),
    ];
    for (const size of [phone, { width: 320, height: 640 }, { width: phone.height, height: phone.width }]) {
      await page.setViewportSize(size);
      for (const control of controls)
        await expect.poll(() => isOnTop(control), { message: `${size.width}: ${control}` }).toBe(true);
    }
  });
});
