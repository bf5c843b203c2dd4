import { describe, expect, it } from 'vitest';
import { at, numberAt } from '../../support/json.ts';
import { phone, suiteBrowser } from '../pages/browser.ts';
import { consoleServer, gardener, openAsViewer, openConsole, overflowOf } from './garden-page.ts';

const open = suiteBrowser();
const dayLength = 86_400_000;

describe('the life of a plant in the console', () => {
  const server = consoleServer();

  it('shows its growth, water, moisture, neighbors and crop on a page, and its form one step away', async () => {
    const ada = await gardener(server);
    const ago = (days: number) => new Date(Date.now() - days * dayLength).toISOString();
    await ada.call('PATCH', '/api/device', { timezone: 'Europe/Paris', lat: 48.9, lng: 2.3 });
    const curve = await ada.call('POST', '/api/curves', { name: 'Water', type: 'water', data: { 1: 100, 100: 100 } });
    const plant = (name: string, openfarm_slug: string, x: number, more = {}) =>
      ada.call('POST', '/api/points', {
        pointer_type: 'Plant',
        name,
        openfarm_slug,
        x,
        y: 500,
        z: 0,
        radius: 25,
        ...more,
      });
    const tomato = numberAt(
      await plant('Tomato', 'tomato', 500, {
        planted_at: ago(23),
        plant_stage: 'planted',
        water_curve_id: at(curve, 'id'),
      }),
      'id',
    );
    await plant('Basil', 'basil', 600);
    await plant('Potato', 'potato', 300);
    const namesake = await plant('Brandywine', 'tomato', 2500);
    const group = await ada.call('POST', '/api/point_groups', {
      name: 'Evening',
      sort_type: 'xy_ascending',
      point_ids: [tomato, numberAt(namesake, 'id')],
    });
    const parameter = {
      kind: 'parameter_declaration',
      args: { label: 'Plant', default_value: { kind: 'location_placeholder', args: {} } },
    };
    const program = await ada.call('POST', '/api/sequences', {
      name: 'Water a plant',
      args: { locals: { kind: 'scope_declaration', args: {}, body: [parameter] } },
      body: [],
    });
    const group_id = numberAt(group, 'id');
    await ada.call('POST', '/api/farm_events', {
      start_time: ago(-1),
      end_time: ago(-30),
      repeat: 1,
      time_unit: 'daily',
      executable_type: 'Sequence',
      executable_id: numberAt(program, 'id'),
      body: [
        {
          kind: 'parameter_application',
          args: { label: 'Plant', data_value: { kind: 'point_group', args: { point_group_id: group_id } } },
        },
      ],
    });
    for (const [days, value] of [
      [3, 300],
      [2, 650],
      [1, 420],
    ] as const)
      await ada.call('POST', '/api/sensor_readings', {
        pin: 59,
        mode: 1,
        x: 520,
        y: 500,
        z: 0,
        value,
        read_at: ago(days),
      });

    const page = await openConsole(open, server, ada, `/map?point=${tomato}`, { viewport: phone, hasTouch: true });
    await page.getByRole('link', { name: 'The life of Tomato' }).click();
    await page.getByRole('heading', { level: 1, name: 'Tomato' }).waitFor();
    await page.getByText(/^Planted 23 days ago, /).waitFor();
    await page.getByText(/^Harvest about /).waitFor();
    await page
      .getByText(/mm when grown/)
      .first()
      .waitFor();
    await page.getByText('Watered by').waitFor();
    await page.getByRole('link', { name: 'Water a plant' }).waitFor();
    await page
      .getByRole('img', { name: 'Moisture near it: 420 now, between 300 and 650. Waterings are marked.' })
      .waitFor();
    const neighbors = page.getByRole('listitem').filter({ hasText: 'beside it' });
    expect(await neighbors.allInnerTexts()).toEqual(['Potato: does badly beside it', 'Basil: does well beside it']);
    await page.getByText('Solanaceae').waitFor();
    await page.getByText('about 3.6 kg for a plant').waitFor();
    await page.getByText(/indoors/).waitFor();
    expect(await overflowOf(page)).toBe(0);

    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Brandywine');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { level: 1, name: 'Brandywine' }).waitFor();

    await page.getByRole('link', { name: 'Evening' }).click();
    await page.getByRole('heading', { level: 1, name: 'Evening' }).waitFor();
    await page.getByText('2 members', { exact: true }).waitFor();
    const tomatoes = page.getByRole('region', { name: 'Tomato' }).getByRole('link');
    expect(await tomatoes.allInnerTexts()).toEqual(['Brandywine (500, 500)', 'Brandywine (2500, 500)']);
    await page.getByRole('link', { name: 'Water a plant' }).waitFor();
    await page.getByRole('link', { name: 'Show on the map' }).click();
    await page.waitForURL(/\/map\?points=/);
  });

  it('is in French, and changes nothing for viewers', async () => {
    const [ada, bob] = [await gardener(server), await gardener(server, 'bob')];
    const weed = { pointer_type: 'Weed', name: 'Thistle', x: 10, y: 20, z: 0, radius: 10, plant_stage: 'active' };
    const id = numberAt(await ada.call('POST', '/api/points', weed), 'id');
    const page = await openAsViewer(open, server, ada, bob, `/plants/${id}`);
    await page.getByText('Found today.').waitFor();
    expect(await page.getByRole('button', { name: 'Edit' }).count()).toBe(0);
    const french = await openConsole(open, server, ada, `/plants/${id}`, { locale: 'fr-FR' });
    await french.getByText('Trouvée aujourd’hui.').waitFor();
    await french.goto(`${server.base}/console/plants/0`);
    await french.getByText('Il n’est plus dans le jardin.').waitFor();
  });
});
