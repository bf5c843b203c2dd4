import { describe, expect, it } from 'vitest';
import { at, numberAt } from '../../support/json.ts';
import { phone, suiteBrowser } from '../pages/browser.ts';
import { consoleServer, type Gardener, gardener, openConsole } from './garden-page.ts';

const open = suiteBrowser();

const names = ['Leek', 'Beet', 'Kale'] as const;

/** Plants one of each; returns their ids. */
async function plant({ call }: Gardener): Promise<number[]> {
  const ids: number[] = [];
  for (const [index, name] of names.entries()) {
    const place = { x: 100 * index, y: 50, z: 0 };
    const made = await call('POST', '/api/points', { pointer_type: 'Plant', name, openfarm_slug: 'leek', ...place });
    ids.push(numberAt(made, 'id'));
  }
  return ids;
}

const plantNames = async ({ call }: Gardener): Promise<string[]> =>
  ((await call('GET', '/api/points')) as { name: string }[]).map(({ name }) => name).sort();

describe('the history of the console', () => {
  const server = consoleServer();

  it('shows a bulk deletion as it happens, the differences, and takes all of it back', async () => {
    const ada = await gardener(server);
    const ids = await plant(ada);
    const page = await openConsole(open, server, ada, '/history', { viewport: phone });
    await page.getByRole('link', { name: /^Added: plant or point “Kale”/ }).waitFor();
    await ada.call('DELETE', `/api/points/${ids.join(',')}`);
    await page.getByRole('link', { name: /^Deleted: 3 plants or points \(/ }).click();
    await page.getByText('Part of a request that changed 3 things.').waitFor();
    await page.getByRole('row', { name: /^Name / }).waitFor();
    await page.getByRole('button', { name: 'Undo the whole request' }).click();
    await page.getByText('3 changes were put back.').waitFor();
    expect(await plantNames(ada)).toEqual(['Beet', 'Kale', 'Leek']);
  });

  it('says values in words: names in place of ids, choices, yes and no', async () => {
    const ada = await gardener(server);
    const [id = 0] = await plant(ada);
    const curve = await ada.call('POST', '/api/curves', { name: 'Thirsty', type: 'water', data: { 1: 10, 9: 90 } });
    await ada.call('PATCH', `/api/points/${id}`, { water_curve_id: numberAt(curve, 'id'), plant_stage: 'sprouted' });
    await ada.call('PATCH', '/api/fbos_config', { sequence_body_log: true });
    const criteria = { string_eq: { pointer_type: ['Plant'] }, number_gt: { x: 50 } };
    const group = await ada.call('POST', '/api/point_groups', { name: 'Leeks', point_ids: [id], criteria });
    const wait = { kind: 'wait', args: { milliseconds: 5 } };
    const place = { kind: 'location_placeholder', args: {} };
    const variable = { kind: 'parameter_declaration', args: { label: 'where', default_value: place } };
    const locals = { kind: 'scope_declaration', args: {}, body: [variable] };
    const program = await ada.call('POST', '/api/sequences', { name: 'Rest', args: { locals }, body: [wait] });
    const value = { kind: 'point_group', args: { point_group_id: numberAt(group, 'id') } };
    const event = await ada.call('POST', '/api/farm_events', {
      executable_type: 'Sequence',
      executable_id: numberAt(program, 'id'),
      start_time: '2031-01-01T08:00:00.000Z',
      repeat: 1,
      time_unit: 'never',
      body: [{ kind: 'parameter_application', args: { label: 'where', data_value: value } }],
    });
    const water = await ada.call('POST', '/api/sequences', { name: 'Water', body: [wait] });
    const eventPath = `/api/farm_events/${numberAt(event, 'id')}`;
    await ada.call('PATCH', eventPath, { executable_id: numberAt(water, 'id'), body: [] });
    const page = await openConsole(open, server, ada, '/history');
    const row = (name: string) => page.getByRole('row', { name, exact: true }).waitFor();
    await page.getByRole('link', { name: /^Changed: plant or point “Leek”/ }).click();
    await row('Water curve — Thirsty');
    await row('Stage Planned Sprouted');
    await page.getByRole('link', { name: /^Changed: robot settings/ }).click();
    await row('Log each step No Yes');
    await page.getByRole('link', { name: /^Added: group “Leeks”/ }).click();
    await row('Members Leek');
    await row('Criteria Kind: Plant; x (mm) more than 50');
    // Named after the program of the event at that time.
    await page.getByRole('link', { name: /^Changed: schedule of “Water”/ }).waitFor();
    await page.getByRole('link', { name: /^Added: schedule of “Rest”/ }).click();
    await page.getByRole('heading', { name: 'Added: schedule of “Rest”' }).waitFor();
    await row('What runs Rest');
    await row('Steps and values where: Leeks');
    await ada.call('DELETE', eventPath);
    await page.getByRole('link', { name: /^Deleted: schedule of “Water”/ }).waitFor();

    // The server would refuse changes that the history does not have.
    await page.getByRole('button', { name: /^Everything What/ }).click();
    const choices = page.getByRole('option');
    await choices.first().waitFor();
    expect(await choices.allInnerTexts()).toEqual([
      ...['Everything', 'Curves', 'Events of the schedule', 'Farmware', 'Farmware settings', 'Firmware settings'],
      ...['Folders', 'Groups', 'Notices', 'Objects of the 3D view', 'Peripherals', 'Photos', 'Pin bindings'],
      ...['Plants of saved gardens', 'Plants or points', 'Programs', 'Regimens', 'Robot and garden'],
      ...['Robot settings', 'Saved gardens', 'Sensors', 'Tools', 'Webcams'],
    ]);
  });

  it('shows an old copy of the robot, of which there is nothing to undo', async () => {
    const ada = await gardener(server);
    const [id = 0] = await plant(ada);
    const copy = await ada.call('GET', `/api/points/${id}`);
    await ada.call('PATCH', `/api/points/${id}`, { name: 'Edited' });
    const headers = { authorization: ada.token, 'user-agent': 'FarmbotOS/15.4.11 (rpi3) rpi3 ()' };
    const { status } = await server.client.send('PATCH', `/api/points/${id}`, { headers, body: copy });
    expect(status).toBe(200);
    const page = await openConsole(open, server, ada, '/history');
    const entry = page.getByRole('link', { name: /^Kept: plant or point “Edited” The robot/ });
    await entry.click();
    await page.getByText('The robot sent an old copy, from before this was changed.').waitFor();
    await page.getByRole('row', { name: 'Name Leek Edited' }).waitFor();
    expect(await page.getByRole('button', { name: 'Undo this change' }).count()).toBe(0);
    expect(await page.getByRole('button', { name: /^Undo: Kept/ }).count()).toBe(0);
  });

  it('asks before it overwrites later changes, and undoes the last hour after a question', async () => {
    const ada = await gardener(server);
    const [id] = await plant(ada);
    await ada.call('PATCH', `/api/points/${id}`, { name: 'Onion' });
    await ada.call('PATCH', `/api/points/${id}`, { name: 'Chive' });
    const page = await openConsole(open, server, ada, '/history?resource=Point');
    await page.getByRole('button', { name: /^Undo: Changed: plant or point “Onion”/ }).click();
    const question = page.getByRole('alertdialog', { name: 'It was changed since' });
    await question.getByText(/changed since\.$/).waitFor();
    await question.getByText(/Changed: plant or point “Chive”/).waitFor();
    await question.getByRole('button', { name: 'Put it back nevertheless' }).click();
    await page.getByText('The change was put back.').waitFor();
    expect(at(await ada.call('GET', `/api/points/${id}`), 'name')).toBe('Leek');

    await page.getByRole('button', { name: 'Undo the last hour' }).click();
    await page
      .getByRole('alertdialog', { name: 'Undo the last hour' })
      .getByRole('button', { name: 'Undo the last hour' })
      .click();
    await expect.poll(() => plantNames(ada)).toEqual([]);
  });

  it('shows a viewer everything and lets them undo nothing', async () => {
    const ada = await gardener(server);
    const bob = await gardener(server, 'bob');
    await plant(ada);
    const { email } = bob;
    const invited = await ada.call('POST', '/api/invitations', { email, role: 'viewer' });
    const accepted = await bob.call('POST', '/api/invitations/accept', {
      token: String(at(invited, 'link')).split('/').pop() ?? '',
    });
    const page = await openConsole(open, server, bob, '/sign-in');
    await page.addInitScript(`sessionStorage.setItem('session', ${JSON.stringify(JSON.stringify(accepted))})`);
    // Readings are not in the history: the address opens it without a filter.
    await page.goto(`${server.base}/console/history?resource=SensorReading`);
    await page.getByRole('link', { name: /^Added: plant or point “Kale”/ }).click();
    await page.getByRole('row', { name: /^Name Kale/ }).waitFor();
    expect(await page.getByRole('button', { name: /Undo/ }).count()).toBe(0);
  });
});
