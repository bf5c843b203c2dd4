import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { numberAt } from '../../support/json.ts';
import { desktop, expectConsoleError, phone, suiteBrowser } from '../pages/browser.ts';
import { consoleServer, gardener, openConsole, seedGarden } from './garden-page.ts';

const open = suiteBrowser();

describe('things and settings of the console', () => {
  const server = consoleServer();

  it('adds, changes and deletes a thing, and takes the deletion back', async () => {
    const ada = await gardener(server);
    const page = await openConsole(open, server, ada, '/things', { viewport: phone });
    await page.getByRole('link', { name: /^Tools/ }).click();
    await page.getByText('Nothing here yet').waitFor();
    await page.getByRole('button', { name: 'Add' }).click();
    await page.getByLabel('Flow rate').fill('-1');
    await page.getByRole('button', { name: 'Add' }).click();
    // In the words of the server, beside the field.
    await page.getByText('Name is required.').waitFor();
    await page.getByLabel('Name').and(page.locator(':focus')).waitFor();
    // A response that comes late does not take the focus from a panel that was opened in between.
    let release = (): void => undefined;
    const isReleased = new Promise<void>((resolve) => {
      release = resolve;
    });
    const refusal = { status: 422, json: { name: 'Name must not be blank.' } };
    await page.route('**/api/tools', (route) => isReleased.then(() => route.fulfill(refusal)), { times: 1 });
    await page.getByRole('button', { name: 'Add' }).click();
    await page.keyboard.press('Control+k');
    const search = page.getByRole('dialog', { name: 'Search and commands' }).getByRole('searchbox');
    await search.and(page.locator(':focus')).waitFor();
    release();
    await page.getByText('Name must not be blank.').waitFor();
    await search.and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Escape');
    await page.getByLabel('Name').fill('Watering can');
    // The message about a value goes with the value.
    await page.getByText('Name must not be blank.').waitFor({ state: 'detached' });
    await page.getByLabel('Flow rate').fill('120');
    await page.getByLabel('Name').focus();
    await page.reload();
    expect(await page.getByLabel('Name').inputValue()).toBe('Watering can');
    await page.route('**/api/tools', (route) => route.fulfill({ contentType: 'text/html', body: '<p>' }), { times: 1 });
    await page.getByRole('button', { name: 'Add' }).click();
    await page
      .getByRole('alert')
      .getByText('The response is not from Potager, but from a proxy, for example. Try again later.')
      .waitFor();
    await page.getByRole('button', { name: 'Add' }).click();
    await page.getByText('“Watering can” was added.').waitFor();
    const [tool] = (await ada.call('GET', '/api/tools')) as { name: string; flow_rate_ml_per_s: number }[];
    expect(tool).toMatchObject({ name: 'Watering can', flow_rate_ml_per_s: 120 });

    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Nothing here yet').waitFor();
    await page
      .getByRole('alertdialog', { name: /was deleted/ })
      .getByRole('button', { name: 'Undo' })
      .click();
    await page.getByRole('link', { name: 'Watering can' }).waitFor();
  });

  it('names buttons, choices and hints in the language of the page, without names of fields', async () => {
    const ada = await gardener(server);
    await ada.call('POST', '/api/pin_bindings', { pin_num: 16, special_action: 'sync' });
    const page = await openConsole(open, server, ada, '/things/pin_bindings?new=true', { locale: 'fr-FR' });
    await page.getByRole('row', { name: /Broche 16 Récupérer les changements$/ }).waitFor();
    await page.getByText('Choisissez un programme ou une action.').first().waitFor();
    await page.getByRole('button', { name: /^Sélectionner un élément Action/ }).click();
    await page.getByRole('option', { name: 'Redémarrer' }).waitFor();
    expect(await page.getByText(/_action|_id/).count()).toBe(0);
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Éléments', exact: true }).first().click();
    await page
      .getByRole('link', { name: /^Farmware/ })
      .first()
      .click();
    await page.getByRole('button', { name: 'Ajouter' }).click();
    await page.getByLabel('Adresse du manifeste (URL)').waitFor();
    await page.getByText(/https:\/\/example\.com\/mon-farmware\/manifest\.json/).waitFor();
    await page.getByLabel('Adresse du manifeste (URL)').fill('manifest.json');
    await page.keyboard.press('Enter');
    await page.getByText('« Adresse du manifeste (URL) » doit être une adresse').waitFor();
  });

  it('says that a webcam cannot be reached, and offers a remedy where a page fails', async () => {
    const ada = await gardener(server);
    const webcam = await ada.call('POST', '/api/webcam_feeds', { name: 'Bed', url: `${server.base}/no-picture.jpg` });
    const page = await openConsole(open, server, ada, `/things/webcam_feeds?id=${numberAt(webcam, 'id')}`);
    await page.getByText(/^This camera cannot be reached from here\./).waitFor();

    // A record that no server sends: rendering throws, which React writes to the console.
    expectConsoleError(/^TypeError: /);
    await page.route('**/api/tools*', (route) => route.fulfill({ json: [null] }));
    await page.getByRole('link', { name: 'Garden things', exact: true }).first().click();
    await page.getByRole('link', { name: /^Tools/ }).click();
    const failure = page.getByRole('alert').filter({ hasText: 'There is an error in this page.' });
    await failure.getByRole('button', { name: 'Try again' }).click();
    await failure.getByText('For a report to the developers').click();
    await failure.getByText(/^TypeError: /).waitFor();
    await page.unroute('**/api/tools*');
    await failure.getByRole('button', { name: 'Reload the page' }).click();
    await page.getByRole('heading', { name: 'Nothing here yet' }).waitFor();
    expect(await failure.count()).toBe(0);
  });

  it('lists the points in the bed, and leads to its place on the map', async () => {
    const ada = await gardener(server);
    const planted = new Date(Date.now() - 3 * 24 * 3600_000 - 1000).toISOString();
    const at = { x: 300, y: 400, z: 0 };
    await ada.call('POST', '/api/points', { pointer_type: 'Weed', name: 'Dandelion', ...at });
    const plant = { pointer_type: 'Plant', openfarm_slug: 'tomato', plant_stage: 'planted', ...at };
    await ada.call('POST', '/api/points', { ...plant, name: 'Roma', planted_at: planted });
    await ada.call('POST', '/api/points', { ...plant, name: 'Berner Rose', x: 500 });
    const next = { plant_stage: 'planned', planted_at: new Date(Date.now() + 12 * 3600_000).toISOString() };
    await ada.call('POST', '/api/points', { ...plant, ...next, name: 'Matina', x: 700 });
    const page = await openConsole(open, server, ada, '/things');
    await page.getByRole('link', { name: /^In the bed/ }).click();
    await page.getByRole('row', { name: /Roma\s+Tomato\s+300, 400, 0\s+4 days/ }).waitFor();
    await page.getByRole('row', { name: /Matina\s+Tomato\s+700, 400, 0\s+Not planted yet/ }).waitFor();
    await page.getByLabel('Find').fill('berner');
    await page.getByText('1 entry').waitFor();
    await page.getByRole('link', { name: 'Tool slots' }).click();
    await page.getByRole('link', { name: 'Add a tool slot' }).click();
    await page.getByText(/^Choose the place of the slot on the bed/).waitFor();
    await page.goBack();
    await page.getByRole('link', { name: 'Weeds' }).click();
    await page.getByRole('link', { name: 'Dandelion' }).click();
    await page.waitForURL('**/console/map?point=*');
    await page.getByRole('heading', { name: 'Dandelion' }).waitFor();
  });

  it('sorts things in natural order, sums plants up by crop, and changes several at once', async () => {
    const ada = await gardener(server);
    for (const n of [10, 2, 1]) {
      const weed = { pointer_type: 'Weed', name: `Nettle ${n}`, x: 100 * n, y: 100, z: 0 };
      await ada.call('POST', '/api/points', weed);
      await ada.call('POST', '/api/tools', { name: `Hoe ${n}` });
      const plant = { pointer_type: 'Plant', openfarm_slug: n === 1 ? 'beet' : 'tomato', x: 100 * n, y: 300, z: 0 };
      await ada.call('POST', '/api/points', { ...plant, name: `Row ${n}` });
    }
    const page = await openConsole(open, server, ada, '/places');
    const names = () => page.locator('tbody th').allInnerTexts();
    await expect.poll(names).toEqual(['Row 1', 'Row 2', 'Row 10']);
    await page.getByRole('button', { name: 'X, Y, Z (mm)' }).click();
    await page.getByRole('button', { name: 'X, Y, Z (mm)' }).click();
    await page.waitForURL('**/places?sort=-place');
    expect(await names()).toEqual(['Row 10', 'Row 2', 'Row 1']);
    await page.getByText('Sum up by crop (2)').click();
    await page.getByRole('button', { name: 'Beet: 1' }).waitFor();
    await page.getByRole('button', { name: 'Tomato: 2' }).click();
    await page.getByText('2 selected').waitFor();
    expect(await page.getByLabel('Select Row 10').isChecked()).toBe(true);
    await page.getByRole('button', { name: 'Delete' }).click();
    await expect.poll(names).toEqual(['Row 1']);
    const undone = page.getByRole('alertdialog', { name: 'Plants: 2 were deleted.' });
    await undone.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(names).toHaveLength(3);
    await page.getByLabel('Select all').check();
    await page.getByRole('link', { name: 'Show on the map' }).click();
    await page.getByRole('heading', { name: '3 selected' }).waitFor();

    await page.goto(`${server.base}/console/things/tools`);
    await expect.poll(names).toEqual(['Hoe 1', 'Hoe 2', 'Hoe 10']);
    await page.getByLabel('Select Hoe 1', { exact: true }).check();
    await page.getByLabel('Select Hoe 10').click({ modifiers: ['Shift'] });
    await page.getByText('3 selected').waitFor();
    await page.getByLabel('Select Hoe 2').uncheck();
    await page.getByRole('button', { name: 'Delete' }).click();
    await expect.poll(names).toEqual(['Hoe 2']);
    await page.getByRole('button', { name: 'Undo' }).last().click();
    await expect.poll(names).toHaveLength(3);
  });

  it('takes back later changes, too, when it is asked twice, in words for people', async () => {
    const ada = await gardener(server);
    const page = await openConsole(open, server, ada, '/things/tools?new=true');
    await page.getByLabel('Name').fill('Hoe');
    await page.getByRole('button', { name: 'Add' }).last().click();
    const added = page.getByRole('alertdialog', { name: '“Hoe” was added.' });
    await added.waitFor();
    const [tool] = (await ada.call('GET', '/api/tools')) as { id: number }[];
    await ada.call('PATCH', `/api/tools/${tool?.id}`, { name: 'Rake' });
    await added.getByRole('button', { name: 'Undo' }).click();
    const refused = page.getByRole('alertdialog', { name: /changed since\.$/ });
    await refused.getByRole('button', { name: 'Put it back nevertheless' }).click();
    await expect.poll(() => ada.call('GET', '/api/tools')).toEqual([]);
  });

  it('chooses types by their pictures, and takes offsets in mm', async () => {
    const ada = await gardener(server);
    const page = await openConsole(open, server, ada, '/things/tools?new=true', { viewport: desktop });
    await page.getByLabel('Name').fill('My seeder');
    const kinds = page.getByRole('radiogroup', { name: 'Kind' });
    expect(await kinds.getByRole('radio').count()).toBe(9);
    expect(await kinds.getByRole('radio', { name: 'Other' }).isChecked()).toBe(true);
    await kinds.getByText('Seeder', { exact: true }).click();
    await page.getByLabel('Tip x').fill('17.5');
    await page.getByLabel('Tip z').fill('-80');
    await page.getByText(/^From the head of the robot to the part of the tool that works.* In mm\.$/).waitFor();
    await page.getByRole('button', { name: 'Add' }).last().click();
    await page.getByText('“My seeder” was added.').waitFor();
    const [tool] = (await ada.call('GET', '/api/tools')) as { id: number }[];
    const stored = { type: 'seeder', utm_mountable: true, effector_offset_x: 17.5, effector_offset_z: -80 };
    expect(tool).toMatchObject(stored);

    await ada.call('POST', '/api/points', {
      pointer_type: 'ToolSlot',
      name: 'Bay',
      x: 100,
      y: 200,
      gantry_mounted: true,
    });
    const [slot] = (await ada.call('GET', '/api/points')) as { id: number }[];
    const map = await openConsole(open, server, ada, `/map?point=${slot?.id}`, { viewport: desktop });
    const carrier = map.getByRole('button', { name: /Carried by$/ });
    await map.getByText('The gantry, along x').first().waitFor();
    await carrier.click();
    await map.getByRole('option', { name: 'The cross-slide, along x and y' }).click();
    await map.getByLabel('Mount y').fill('12');
    await map.getByRole('button', { name: 'Save' }).click();
    await expect
      .poll(() => ada.call('GET', `/api/points/${slot?.id}`))
      .toMatchObject({ mount_stage: 2, gantry_mounted: false, mount_offset_y: 12 });

    for (const [path, kind, value] of [
      ['peripherals', 'Lighting', 'lighting'],
      ['sensors', 'Soil moisture', 'soil_moisture'],
    ] as const) {
      const form = await openConsole(open, server, ada, `/things/${path}?new=true`, { viewport: desktop });
      await form.getByLabel('Name').fill('One');
      await form.getByLabel('Pin').fill('59');
      await form.getByRole('radiogroup', { name: 'Kind' }).getByText(kind, { exact: true }).click();
      if (path === 'sensors') {
        await form.getByRole('button', { name: /Signal/ }).click();
        await form.getByRole('option', { name: 'Analog' }).click();
      }
      await form.getByRole('button', { name: 'Add' }).last().click();
      await form.getByText('“One” was added.').waitFor();
      expect(await ada.call('GET', `/api/${path}`)).toMatchObject([{ type: value }]);
    }
  });

  it('adds a setting of farmware with its value', async () => {
    const ada = await gardener(server);
    const page = await openConsole(open, server, ada, '/things/farmware_envs?new=true');
    await page.getByLabel('Name').fill('camera');
    await page.getByLabel('Value').fill('USB');
    await page.getByRole('button', { name: 'Add' }).last().click();
    await page.getByText('“camera” was added.').waitFor();
    expect(await ada.call('GET', '/api/farmware_envs')).toMatchObject([{ key: 'camera', value: 'USB' }]);
  });

  it('shows the members of a group while its criteria are typed', async () => {
    const ada = await gardener(server);
    for (const [name, x] of [
      ['Near', 100],
      ['Far', 900],
    ] as const)
      await ada.call('POST', '/api/points', { pointer_type: 'Plant', name, openfarm_slug: 'tomato', x, y: 50, z: 0 });
    const page = await openConsole(open, server, ada, '/things/point_groups?new=true', { viewport: desktop });
    await page.getByLabel('Name').fill('The near ones');
    await page.getByLabel('x to (mm)').fill('500');
    await page.getByLabel('x to (mm)').press('Tab');
    await page.getByRole('img', { name: 'Preview of the group: 1' }).waitFor();
    await page.getByRole('button', { name: 'Add' }).last().click();
    await page.getByText('“The near ones” was added.').waitFor();
    const groups = await ada.call('GET', '/api/point_groups');
    expect(groups).toMatchObject([{ name: 'The near ones', criteria: { number_lt: { x: 500 } } }]);
    await page.getByRole('link', { name: 'Show on the map' }).click();
    await page.getByRole('button', { name: 'Water every morning' }).waitFor();
    await page.getByRole('heading', { name: 'Near' }).waitFor();

    // Criteria of other clients are shown, too, and kept.
    const several = { string_eq: { openfarm_slug: ['tomato', 'leek'] }, number_eq: { radius: [25, 30] } };
    const vendor = await ada.call('POST', '/api/point_groups', { name: 'Vendor', point_ids: [], criteria: several });
    await page.goto(`${server.base}/console/things/point_groups?id=${numberAt(vendor, 'id')}`);
    await page.getByRole('button', { name: 'Tomato, Leek Crop' }).waitFor();
    await page.getByText('And: Radius (mm) = 25, 30.').waitFor();
  });

  it('draws the bed of a group as the map shows it: its origin, its axes and its size', async () => {
    const ada = await gardener(server);
    await ada.call('PATCH', '/api/web_app_config', { bot_origin_quadrant: 4, xy_swap: true, dynamic_map: true });
    // 1000 by 500 mm.
    await ada.call('PATCH', '/api/firmware_config', {
      movement_axis_nr_steps_x: 5000,
      movement_step_per_mm_x: 5,
      movement_stop_at_max_x: 1,
      movement_axis_nr_steps_y: 2500,
      movement_step_per_mm_y: 5,
      movement_stop_at_max_y: 1,
    });
    const plant = { pointer_type: 'Plant', name: 'Leek', openfarm_slug: 'leek', x: 100, y: 100, z: 0 };
    const point_ids = [numberAt(await ada.call('POST', '/api/points', plant), 'id')];
    const group = await ada.call('POST', '/api/point_groups', { name: 'Leeks', point_ids });
    const page = await openConsole(open, server, ada, `/things/point_groups?id=${numberAt(group, 'id')}`);
    const preview = page.getByRole('img', { name: 'Preview of the group: 1' });
    const boxOf = async (shape: string) => {
      const box = await preview.locator(shape).boundingBox();
      if (!box) throw new Error(`no ${shape} is shown`);
      return box;
    };
    // x goes up from the right lower corner, y to the left: 500 by 1000 mm, and the plant is at 400, 900.
    await expect
      .poll(async () => {
        const [bed, leek] = [await boxOf('rect'), await boxOf('circle')];
        const part = (at: number, size: number): number => Math.round((at / size) * 10) / 10;
        return [
          part(bed.height, bed.width),
          part(leek.x + leek.width / 2 - bed.x, bed.width),
          part(leek.y + leek.height / 2 - bed.y, bed.height),
        ];
      })
      .toEqual([2, 0.8, 0.9]);
  });

  it('marks settings of the map that only the vendor’s web app follows', async () => {
    const ada = await gardener(server);
    const page = await openConsole(open, server, ada, '/settings?part=map', { viewport: desktop });
    const note = 'Used by the vendor’s web app, not by this console.';
    await page.getByText(`Asks before a plant is deleted. ${note}`).waitFor();
    await page.getByText('Turns the map: x goes down, y to the right.', { exact: true }).waitFor();
    await page.goto(`${server.base}/console/settings?part=firmware`);
    await page.getByLabel('Highest speed x').first().waitFor();
    expect(await page.getByText(note).count()).toBe(0);
  });

  it('saves the garden as a plan, replaces the garden with it after a question, and takes that back', async () => {
    const ada = await gardener(server);
    const plant = { pointer_type: 'Plant', openfarm_slug: 'tomato', y: 400, z: 0 };
    const curve = await ada.call('POST', '/api/curves', { name: 'Thirsty', type: 'water', data: { 1: 5 } });
    const planting = {
      depth: 12,
      water_curve_id: numberAt(curve, 'id'),
      planted_at: new Date(Date.now() - 60_000).toISOString(),
    };
    await ada.call('POST', '/api/points', { ...plant, ...planting, name: 'Roma', x: 300 });
    const page = await openConsole(open, server, ada, '/places', { viewport: desktop });
    // The first day counts.
    await page.getByRole('row', { name: /Roma .* 1 day$/ }).waitFor();
    await page.goto(`${server.base}/console/things/saved_gardens`);
    const names = async () =>
      ((await ada.call('GET', '/api/points')) as { name: string }[]).map(({ name }) => name).toSorted();
    await page.getByRole('button', { name: 'Save the garden as it is' }).click();
    await page.getByText(/^The garden was saved as “.+”\.$/).waitFor();
    await page.getByRole('table', { name: 'Saved gardens' }).getByRole('link').click();
    await page.getByRole('heading', { name: 'Preview: 1 plant' }).waitFor();
    await page.getByRole('img', { name: 'Preview: 1' }).waitFor();
    await page.getByRole('row', { name: /^Roma Tomato 300, 400, 0 \w+ \d+, \d+ 12 Thirsty$/ }).waitFor();
    await page.getByLabel('Name').fill('One tomato');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('“One tomato” was saved.').waitFor();

    await ada.call('POST', '/api/points', { ...plant, name: 'Leek', openfarm_slug: 'leek', x: 600 });
    const roma = (await ada.call('GET', '/api/points')) as { id: number }[];
    await ada.call('PATCH', `/api/points/${roma[0]?.id}`, { name: 'Berner Rose' });
    const apply = page.getByRole('button', { name: 'Apply to the garden' });
    await apply.click();
    const question = page.getByRole('alertdialog', { name: 'Apply to the garden' });
    await question.getByText('All plants on the map are replaced').waitFor();
    await question.getByRole('button', { name: 'Cancel' }).click();
    expect(await names()).toEqual(['Berner Rose', 'Leek']);
    await apply.click();
    await question.getByRole('button', { name: 'Apply to the garden' }).click();
    const done = page.getByRole('alertdialog', { name: /were replaced with those of “One tomato”/ });
    expect(await done.getByRole('link', { name: 'Show on the map' }).getAttribute('href')).toBe('/console/map');
    expect(await names()).toEqual(['Roma']);
    await done.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(names).toEqual(['Berner Rose', 'Leek']);

    await page.getByRole('button', { name: 'Delete' }).click();
    const deleted = page.getByRole('alertdialog', { name: '“One tomato” was deleted.' });
    await deleted.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('link', { name: 'One tomato' }).click();
    await page.getByRole('heading', { name: 'Preview: 1 plant' }).waitFor();
  });

  it('has the plants of saved gardens on their pages only, whatever fields other things have', async () => {
    const ada = await gardener(server);
    await ada.call('POST', '/api/tools', { name: 'Hoe' });
    const page = await openConsole(open, server, ada, '/things');
    await page.route(/\/api\/tools(\?|$)/, async (route) => {
      const response = await route.fetch();
      const tools = (await response.json()) as object[];
      await route.fulfill({ response, json: tools.map((tool) => ({ ...tool, notes: 'Blunt' })) });
    });
    await page.goto(`${server.base}/console/things/tools`);
    await page.getByRole('link', { name: 'Hoe' }).click();
    await page.getByRole('button', { name: 'Delete' }).waitFor();
    expect(await page.getByRole('heading', { name: /^Preview/ }).count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Apply to the garden' }).count()).toBe(0);
  });

  it('draws a curve: its points are dragged, and moved by keys', async () => {
    const ada = await gardener(server);
    const page = await openConsole(open, server, ada, '/things/curves?new=true', { viewport: desktop });
    const curve = async () => ((await ada.call('GET', '/api/curves')) as { data: Record<string, number> }[])[0]?.data;
    const add = page.getByRole('button', { name: 'Add', exact: true }).last();
    await page.getByLabel('Name').fill('Thirsty');
    await page.getByRole('button', { name: /Kind$/ }).click();
    await page.getByRole('option', { name: 'Water' }).click();
    await add.click();
    await page.getByText('“Thirsty” was added.').waitFor();
    expect(await curve()).toEqual({ 1: 0, 60: 500 });

    const last = page.getByRole('slider', { name: 'Day 60' });
    const value = page.getByLabel('Value (ml)').last();
    const [point, drawing] = [
      await last.boundingBox(),
      await page.getByRole('group', { name: /^Curve/ }).boundingBox(),
    ];
    if (!point || !drawing) throw new Error('the curve is not drawn');
    // The axes are 204 of 240 parts of the drawing high, and 500 ml are at their end.
    const heightOf = (milliliters: number): number => (milliliters / 500) * (204 / 240) * drawing.height;
    const [x, y] = [point.x + point.width / 2, point.y + point.height / 2];
    await page.mouse.move(x, y);
    await page.mouse.down();
    // Down to a tenth and up again: the scale stays, whatever the value.
    await page.mouse.move(x, y + heightOf(450), { steps: 6 });
    await page.mouse.move(x, y + heightOf(200), { steps: 6 });
    await page.mouse.up();
    const dragged = Number(await value.inputValue());
    expect(Math.abs(dragged - 300)).toBeLessThan(5);
    // It follows no pointer any more.
    await page.mouse.move(x, y);
    expect(await value.inputValue()).toBe(String(dragged));
    await value.fill('300');
    await value.press('Tab');
    await last.focus();
    for (const key of ['ArrowUp', 'ArrowUp', 'PageDown', 'ArrowDown']) await page.keyboard.press(key);
    expect(await value.inputValue()).toBe('255');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('“Thirsty” was saved.').waitFor();
    expect(await curve()).toEqual({ 1: 0, 60: 255 });
    await page
      .getByRole('alertdialog', { name: /was saved/ })
      .getByRole('button', { name: 'Undo' })
      .click();
    await expect.poll(curve).toEqual({ 1: 0, 60: 500 });
  });

  it('shows a key of a curve that is no day as a problem, and removes it', async () => {
    const ada = await gardener(server);
    const data = { 1: 10, soon: 900, 60: 500 };
    const { id } = (await ada.call('POST', '/api/curves', { name: 'Thirsty', type: 'water', data })) as { id: number };
    const page = await openConsole(open, server, ada, `/things/curves?id=${id}`);
    const problem = page.getByRole('alert').filter({ hasText: '“soon” is not the number of a day' });
    await problem.waitFor();
    expect(await page.getByRole('slider').count()).toBe(2);
    expect(await page.locator('main').innerHTML()).not.toContain('NaN');
    const stored = async () => (await ada.call('GET', `/api/curves/${id}`)) as { data: object };
    const save = () => page.getByRole('button', { name: 'Save', exact: true }).click();
    // A change of another value leaves it.
    const value = page.getByLabel('Value (ml)').last();
    await value.fill('400');
    await value.press('Tab');
    await save();
    await expect.poll(stored).toMatchObject({ data: { 1: 10, soon: 900, 60: 400 } });
    await page.getByRole('button', { name: 'Remove “soon”' }).click();
    await problem.waitFor({ state: 'detached' });
    await save();
    await expect.poll(async () => (await stored()).data).toEqual({ 1: 10, 60: 400 });
  });

  it('finds a setting, changes it, shows its default, and resets it', async () => {
    const ada = await gardener(server);
    await seedGarden(ada);
    // The job that makes the garden sets this height as well, and would put its own in place of the input.
    await expect.poll(() => ada.call('GET', '/api/fbos_config')).not.toMatchObject({ safe_height: 0 });
    const page = await openConsole(open, server, ada, '/settings', { viewport: desktop });
    // Whatever its part is.
    await page.getByLabel('Find a setting').fill('säfe');
    const height = page.getByLabel('Safe height', { exact: true });
    await height.fill('77');
    await height.press('Tab');
    await page.getByText('Default: 0').waitFor();
    await page.getByText('“Safe height” was saved.').waitFor();
    expect(await ada.call('GET', '/api/fbos_config')).toMatchObject({ safe_height: 77 });
    await page.getByRole('button', { name: /^Reset “Safe height”/ }).click();
    await expect.poll(async () => ada.call('GET', '/api/fbos_config')).toMatchObject({ safe_height: 0 });

    await page.getByLabel('Find a setting').fill('');
    await page.getByRole('combobox', { name: 'Time zone' }).fill('new y');
    await page.getByRole('option', { name: 'America/New York' }).click();
    await page.getByText('“Time zone” was saved.').waitFor();
    expect(await ada.call('GET', '/api/device')).toMatchObject({ timezone: 'America/New_York' });
  });

  it('exports the settings to a file, and imports them into this garden and another', async () => {
    const [ada, bea] = [await gardener(server), await gardener(server, 'bea')];
    const sequence = numberAt(await ada.call('POST', '/api/sequences', { name: 'Start', body: [] }), 'id');
    const kept = { safe_height: -20, firmware_path: null, default_axis_order: 'z,y,x;high' };
    await ada.call('PATCH', '/api/device', { name: 'Roof', timezone: 'Europe/Paris', ota_hour: 3 });
    await ada.call('PATCH', '/api/fbos_config', { ...kept, boot_sequence_id: sequence });
    await ada.call('PATCH', '/api/firmware_config', { movement_max_spd_x: 500 });
    await ada.call('PATCH', '/api/web_app_config', { map_size_x: 4000 });
    const page = await openConsole(open, server, ada, '/settings', { viewport: phone });
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export settings' }).click();
    const file = await (await download).path();
    const importFile = async (into: Page, chosen: string | { name: string; mimeType: string; buffer: Buffer }) => {
      const chooser = into.waitForEvent('filechooser');
      await into.getByRole('button', { name: 'Import settings' }).click();
      await (await chooser).setFiles(chosen);
    };
    await importFile(page, file);
    await page.getByText('All settings are as in this file already.').waitFor();
    const json = { name: 'settings.json', mimeType: 'application/json' };
    await importFile(page, { ...json, buffer: Buffer.from('{"garden":') });
    await page.getByText('This file has no settings of this garden.').waitFor();

    await ada.call('PATCH', '/api/fbos_config', { safe_height: 0, firmware_path: 'ttyACM0', boot_sequence_id: null });
    await ada.call('PATCH', '/api/web_app_config', { map_size_x: 3000 });
    // The page follows changes of another client.
    await page.getByLabel('Find a setting').fill('length along x');
    const width = page.getByRole('textbox', { name: 'Length along x' });
    await expect.poll(() => width.inputValue()).toBe('3000');
    await importFile(page, file);
    const imported = page.getByRole('alertdialog', { name: '3 settings were imported.' });
    await imported.waitFor();
    expect(await ada.call('GET', '/api/fbos_config')).toMatchObject({ ...kept, boot_sequence_id: null });
    expect(await ada.call('GET', '/api/web_app_config')).toMatchObject({ map_size_x: 4000 });
    await expect.poll(() => width.inputValue()).toBe('4000');
    // All of it in one step.
    await imported.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => ada.call('GET', '/api/web_app_config')).toMatchObject({ map_size_x: 3000 });
    expect(await ada.call('GET', '/api/fbos_config')).toMatchObject({ safe_height: 0, firmware_path: 'ttyACM0' });
    await expect.poll(() => width.inputValue()).toBe('3000');

    const other = await openConsole(open, server, bea, '/settings', { viewport: phone });
    await importFile(other, file);
    await other.getByText(/^\d+ settings were imported\.$/).waitFor();
    expect(await bea.call('GET', '/api/device')).toMatchObject({ timezone: 'Europe/Paris', ota_hour: 3, name: 'Roof' });
    // A part that names a record of a garden stays there.
    expect(await bea.call('GET', '/api/fbos_config')).toMatchObject({ ...kept, boot_sequence_id: null });
    expect(await bea.call('GET', '/api/firmware_config')).toMatchObject({ movement_max_spd_x: 500 });
  });
});
