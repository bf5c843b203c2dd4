import { describe, expect, it } from 'vitest';
import { type Json, numberAt } from '../../support/json.ts';
import { phone, suiteBrowser } from '../pages/browser.ts';
import { consoleServer, type Gardener, gardener, openConsole } from './garden-page.ts';

const open = suiteBrowser();

const program = ({ call }: Gardener, name: string, variables: Json[] = []) =>
  call('POST', '/api/sequences', {
    name,
    color: 'green',
    args: { version: 20180209, locals: { kind: 'scope_declaration', args: {}, body: variables } },
    body: [],
  });

describe('the schedule of the console', () => {
  const server = consoleServer();

  it('schedules a program for every morning, shows it by month and as a list, moves it by keyboard, and removes it', async () => {
    const ada = await gardener(server);
    await program(ada, 'Water the tomatoes');
    await ada.call('PATCH', '/api/device', { timezone: 'Europe/Paris' });
    const page = await openConsole(open, server, ada, '/schedule?date=2031-06-01');
    await page.getByText('Europe/Paris').waitFor();
    await page.getByRole('link', { name: 'Schedule something on Tuesday, June 10' }).click();
    await page.getByRole('button', { name: 'Schedule', exact: true }).click();
    const what = page.getByRole('combobox', { name: 'What to run', description: 'Choose what to run.' });
    await what.waitFor();
    await what.fill('water');
    await page.getByRole('option', { name: /Water the tomatoes/ }).click();
    await page.getByLabel('Every (days)').fill('2');
    const isOver = page.getByText('This time is over: nothing will run.');
    await page.getByLabel('Until', { exact: true }).fill('2021-06-14');
    await isOver.waitFor();
    await page.getByLabel('Until', { exact: true }).fill('2031-06-14');
    await isOver.waitFor({ state: 'detached' });
    await page.getByText(/^Every 2 days from Jun 10, 2031/).waitFor();
    await page.getByRole('button', { name: 'Schedule', exact: true }).click();
    const days = ['Tuesday, June 10', 'Thursday, June 12', 'Saturday, June 14'];
    for (const day of days)
      await page
        .getByRole('group', { name: day })
        .getByRole('link', { name: /7:30\sAM Water the tomatoes/ })
        .waitFor();
    expect(await page.getByRole('link', { name: /Water the tomatoes/ }).count()).toBe(3);
    // Half past seven in Paris, in summer.
    expect(await ada.call('GET', '/api/farm_events')).toMatchObject([
      { start_time: '2031-06-10T05:30:00.000Z', end_time: '2031-06-14T21:59:00.000Z', repeat: 2, time_unit: 'daily' },
    ]);

    await page
      .getByRole('group', { name: days[0] ?? '' })
      .getByRole('button')
      .first()
      .focus();
    await page.keyboard.press('Enter');
    const focused = page.locator('[role=group]:focus');
    await focused.waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText(/^It was moved to/).waitFor();
    await page.getByRole('alertdialog', { name: /moved/ }).getByRole('button', { name: 'Undo' }).click();
    await page
      .getByRole('group', { name: days[2] ?? '' })
      .getByRole('link', { name: /Water/ })
      .waitFor();

    await page.getByRole('navigation', { name: 'View' }).getByRole('link', { name: 'List' }).click();
    await page
      .getByRole('link', { name: /7:30\sAM Water/ })
      .first()
      .click();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Nothing is scheduled here').waitFor();
  });

  it('asks for the values of variables, and for an end after the start', async () => {
    const ada = await gardener(server);
    const { call } = ada;
    const variable = (label: string, default_value: Json): Json => ({
      kind: 'parameter_declaration',
      args: { label, default_value },
    });
    const coordinate = { kind: 'coordinate', args: { x: 0, y: 0, z: 0 } };
    await program(ada, 'Water plant', [
      variable('parent', coordinate),
      variable('Amount', { kind: 'number_placeholder', args: {} }),
    ]);
    const plant = { pointer_type: 'Plant', name: 'Tomato', x: 40, y: 30, z: 0 };
    const pointer_id = numberAt(await call('POST', '/api/points', plant), 'id');
    const kale = numberAt(await call('POST', '/api/points', { ...plant, name: 'Kale', x: 90 }), 'id');
    const group = { name: 'The bed', sort_type: 'xy_ascending', point_ids: [pointer_id, kale] };
    const point_group_id = numberAt(await call('POST', '/api/point_groups', group), 'id');
    const page = await openConsole(open, server, ada, '/schedule?date=2031-06-01&new=2031-06-10');
    const choose = async (field: string, name: RegExp) => {
      await page.getByRole('combobox', { name: field }).click();
      await page.getByRole('option', { name }).click();
    };
    const save = (name: string) => page.getByRole('button', { name, exact: true }).click();
    await choose('What to run', /Water plant/);
    await page.getByPlaceholder('As in the program (0, 0, 0)').waitFor();
    await page.getByLabel('Until', { exact: true }).fill('2031-06-01');
    await save('Schedule');
    await page.getByText('The end must be after the start.').waitFor();
    await page.getByLabel('Until', { exact: true }).fill('2031-07-01');
    await save('Schedule');
    await page.getByText(/^Fill in all fields/).waitFor();
    expect(await call('GET', '/api/farm_events')).toEqual([]);
    await page.getByLabel('Amount').fill('250');
    await page.getByRole('combobox', { name: 'Place' }).click();
    await page.getByRole('option').first().waitFor();
    expect(await page.getByRole('option').allInnerTexts()).toEqual([
      'Group of 2: The bed',
      'Plant: Tomato (40, 30)',
      'Plant: Kale (90, 30)',
    ]);
    await page.getByRole('option', { name: 'The bed' }).click();
    await page.getByText('It runs 2 times: at each member of the group.').waitFor();
    await page.getByLabel('Until', { exact: true }).fill('2034-07-01');
    await save('Schedule');
    await page
      .getByRole('alert')
      .getByText(/^This event would occur 1118 times/)
      .waitFor();
    await page.getByLabel('Until', { exact: true }).fill('2031-07-01');
    await save('Schedule');
    await page.getByText('It was scheduled.').waitFor();
    const applied = (label: string, data_value: Json): Json => ({
      kind: 'parameter_application',
      args: { label, data_value },
    });
    const amount = applied('Amount', { kind: 'numeric', args: { number: 250 } });
    const stored = (await call('GET', '/api/farm_events')) as { id: number; body: Json }[];
    const inGroup = applied('parent', { kind: 'point_group', args: { point_group_id } });
    expect(stored.map(({ body }) => body)).toEqual([[inGroup, amount]]);

    // Pages that are open follow it.
    const runs = page.getByRole('link', { name: /Water plant The bed/ });
    await runs.filter({ hasText: /^7:30/ }).first().waitFor();
    await call('PATCH', '/api/web_app_config', { time_format_24_hour: true });
    await runs
      .filter({ hasText: /^07:30/ })
      .first()
      .waitFor();
    await page.goto(`${server.base}/console/schedule?event=${stored[0]?.id}`);
    await page.getByText(/^Every day from Jun 10, 2031, 07:30 until /).waitFor();
    await choose('Place', /Tomato/);
    const less = applied('Amount', { kind: 'numeric', args: { number: 200 } });
    await call('PATCH', `/api/farm_events/${stored[0]?.id}`, { body: [inGroup, less] });
    await page.getByText('Meanwhile “What to run” was changed elsewhere. Saving replaces it.').waitFor();
    await save('Save');
    await page.getByText('The schedule was changed.').waitFor();
    const atPlant = applied('parent', { kind: 'point', args: { pointer_type: 'Plant', pointer_id } });
    expect(await call('GET', '/api/farm_events')).toMatchObject([{ body: [atPlant, amount] }]);
  });

  it('begins with the day that was chosen, also after another one was left half done', async () => {
    const ada = await gardener(server);
    await program(ada, 'Sow');
    const page = await openConsole(open, server, ada, '/schedule?date=2031-06-01');
    for (const [day, date] of [
      ['Tuesday, June 10', '2031-06-10'],
      ['Friday, June 20', '2031-06-20'],
    ]) {
      await page.getByRole('link', { name: `Schedule something on ${day}` }).click();
      await expect.poll(() => page.getByLabel('Day', { exact: true }).inputValue()).toBe(date);
      await page.getByRole('combobox', { name: 'What to run' }).fill('sow');
      await page.getByRole('option', { name: /Sow/ }).click();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
  });

  it('shows the dates of a week, and names missing records', async () => {
    const ada = await gardener(server);
    const page = await openConsole(open, server, ada, '/schedule?view=week&date=2031-06-11');
    await page.getByRole('heading', { name: /^Jun 8\s–\s14, 2031$/ }).waitFor();
    await page.getByText('The garden has no time zone yet; times are UTC.').waitFor();
    expect(await page.getByRole('link', { name: 'Choose a time zone' }).getAttribute('href')).toBe('/console/settings');
    await ada.call('PATCH', '/api/device', { timezone: 'UTC' });
    await page.getByText('Times are those of the garden: UTC.').waitFor();
    for (const path of ['/schedule?event=999', '/regimens?id=999', '/things/tools?id=999']) {
      await page.goto(`${server.base}/console${path}`);
      await page.getByText(/^This (does not exist, or was deleted|no longer exists)\.$/).waitFor();
    }
  });

  it('schedules a regimen once, from the day that it is in the garden', async () => {
    const ada = await gardener(server);
    const sequence_id = numberAt(await program(ada, 'Sow'), 'id');
    const regimen_items = [{ sequence_id, time_offset: 86_340_000 }];
    const regimen = await ada.call('POST', '/api/regimens', { name: 'Care', color: 'red', regimen_items });
    const page = await openConsole(open, server, ada, `/regimens?id=${numberAt(regimen, 'id')}`);
    // At any time it is another day than in UTC in one of them.
    for (const timezone of ['Pacific/Kiritimati', 'Pacific/Niue']) {
      await ada.call('PATCH', '/api/device', { timezone });
      const today = new Date().toLocaleDateString('sv', { timeZone: timezone });
      await expect
        .poll(() => page.getByRole('link', { name: 'Schedule it' }).getAttribute('href'))
        .toContain(`new=${today}`);
    }
    await page.getByRole('link', { name: 'Schedule it' }).click();
    await page.getByRole('dialog').getByLabel('Day', { exact: true }).fill('2031-06-10');
    await page.getByText('The regimen runs once, from Jun 10, 2031').waitFor();
    expect(
      await page
        .getByRole('dialog')
        .getByLabel(/^(Repeat|Every|Until)/)
        .count(),
    ).toBe(0);
    await page.getByRole('button', { name: 'Schedule', exact: true }).click();
    await page.getByText('It was scheduled.').waitFor();
    expect(await ada.call('GET', '/api/farm_events')).toMatchObject([
      { executable_type: 'Regimen', time_unit: 'never', repeat: 1 },
    ]);
  });

  it('shows the next run where programs, the robot and regimens are, and follows the schedule', async () => {
    const ada = await gardener(server);
    const [water, sow] = [await program(ada, 'Water'), await program(ada, 'Sow')];
    const [sequence_id, sown] = [numberAt(water, 'id'), numberAt(sow, 'id')];
    // A time zone in which it is about noon, so that the day does not end during the test.
    const ahead = 12 - new Date().getUTCHours();
    await ada.call('PATCH', '/api/device', { timezone: ahead < 0 ? `Etc/GMT+${-ahead}` : `Etc/GMT-${ahead}` });
    const today = new Date(Date.now() + ahead * 3_600_000).toISOString().slice(0, 10);
    const moment = (days: number, hour: number): string =>
      new Date(Date.parse(today) + (days * 24 + hour - ahead) * 3_600_000).toISOString();
    const daily = { executable_type: 'Sequence', executable_id: sequence_id, repeat: 1, time_unit: 'daily' };
    const times = { start_time: moment(1, 7), end_time: moment(60, 0) };
    const event = numberAt(await ada.call('POST', '/api/farm_events', { ...daily, ...times }), 'id');

    const page = await openConsole(open, server, ada, `/programs/${sequence_id}`);
    const next = page.getByRole('link', { name: /^Next: / });
    await page.getByRole('link', { name: /^Next: tomorrow at 7:00\sAM$/ }).waitFor();
    const tomorrow = new Date(Date.parse(today) + 86_400_000).toISOString().slice(0, 10);
    expect(await next.getAttribute('href')).toBe(`/console/schedule?date=${tomorrow}&event=${event}`);
    await ada.call('PATCH', `/api/farm_events/${event}`, { start_time: moment(0, 18) });
    await page.getByRole('link', { name: /^Next: today at 6:00\sPM$/ }).waitFor();
    // As far ahead as the schedule can be asked for.
    await ada.call('PATCH', `/api/farm_events/${event}`, { start_time: moment(40, 7) });
    await page.getByRole('link', { name: /^Next: \w+ \d+, 20\d\d at 7:00\sAM$/ }).waitFor();
    await ada.call('DELETE', `/api/farm_events/${event}`);
    await next.waitFor({ state: 'detached' });
    await page.getByText('Nothing runs this program automatically.').waitFor();

    const items = [sown, sequence_id].map((id, day) => ({
      sequence_id: id,
      time_offset: (day * 24 + 19) * 3_600_000,
    }));
    const plan = { name: 'Season', color: 'green', regimen_items: items };
    const regimen = numberAt(await ada.call('POST', '/api/regimens', plan), 'id');
    const once = { executable_type: 'Regimen', executable_id: regimen, repeat: 1, time_unit: 'never' };
    const hours = { start_time: moment(0, 0), end_time: moment(0, 1) };
    const started = numberAt(await ada.call('POST', '/api/farm_events', { ...once, ...hours }), 'id');
    await page.getByRole('link', { name: /^Next: tomorrow at 7:00\sPM, Season$/ }).waitFor();
    await page.getByRole('link', { name: 'Robot', exact: true }).click();
    await page.getByRole('link', { name: /^Next: today at 7:00\sPM, Season: Sow$/ }).waitFor();
    await page.getByRole('link', { name: /^Then: tomorrow at 7:00\sPM, Season: Water$/ }).waitFor();
    await page.getByRole('link', { name: 'Regimens', exact: true }).click();
    await page.getByRole('link', { name: /^Season/ }).click();
    await page.getByRole('link', { name: /^Next: today at 7:00\sPM, Sow$/ }).click();

    // The other person moves it to another day and hour; the day was not changed here.
    const dialog = page.getByRole('dialog', { name: 'Change what is scheduled' });
    await dialog.getByLabel('Time', { exact: true }).fill('05:10');
    await ada.call('PATCH', `/api/farm_events/${started}`, { start_time: moment(1, 3), end_time: moment(1, 4) });
    await dialog.getByText(/^Meanwhile “Time” was changed to “3:00\sAM”\. Saving replaces it\.$/).waitFor();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The schedule was changed.').waitFor();
    expect(await ada.call('GET', `/api/farm_events/${started}`)).toMatchObject({
      start_time: moment(1, 5).replace(':00:', ':10:'),
    });
  });

  it('shows a regimen as it was changed elsewhere, and keeps later input', async () => {
    const ada = await gardener(server);
    const sequence_id = numberAt(await program(ada, 'Sow'), 'id');
    const regimen_items = [{ sequence_id, time_offset: 27_000_000 }];
    const regimen = await ada.call('POST', '/api/regimens', { name: 'Care', color: 'red', regimen_items });
    const path = `/api/regimens/${numberAt(regimen, 'id')}`;
    const page = await openConsole(open, server, ada, `/regimens?id=${numberAt(regimen, 'id')}`);
    const name = page.getByLabel('Name', { exact: true });
    const unsaved = page.getByText('You have unsaved changes.');
    await expect.poll(() => name.inputValue()).toBe('Care');
    await ada.call('PATCH', path, { name: 'Care of peas' });
    await expect.poll(() => name.inputValue()).toBe('Care of peas');
    expect(await unsaved.count()).toBe(0);

    await name.fill('Care of beans');
    await unsaved.waitFor();
    await ada.call('PATCH', path, { color: 'blue' });
    await page.getByRole('button', { name: 'Blue Color' }).waitFor();
    const meanwhile = page.getByRole('status').filter({ hasText: 'Meanwhile' });
    expect(await meanwhile.count()).toBe(0);
    await ada.call('PATCH', path, { name: 'Care of leeks' });
    await expect
      .poll(() => meanwhile.innerText())
      .toBe('Meanwhile “Name” was changed to “Care of leeks”. Saving replaces it.');
    // Beside its field.
    await page.locator(':has(> input[name=name]) > [role=status]').waitFor();
    expect(await name.inputValue()).toBe('Care of beans');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Discard' }).click();
    await expect.poll(() => name.inputValue()).toBe('Care of leeks');
    await name.fill('Care of beans');
    await ada.call('PATCH', path, { name: 'Care of kale' });
    await meanwhile.getByText('“Care of kale”').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('“Care of beans” was saved.').waitFor();
    await unsaved.waitFor({ state: 'detached' });
    expect(await ada.call('GET', path)).toMatchObject({ name: 'Care of beans', color: 'blue', regimen_items });
  });

  it('plans a regimen on a phone', async () => {
    const ada = await gardener(server);
    await program(ada, 'Sow');
    const page = await openConsole(open, server, ada, '/regimens', { viewport: phone });
    await page.getByRole('heading', { name: 'No regimens yet' }).waitFor();
    await page.getByRole('button', { name: 'Add a regimen' }).click();
    await page.getByLabel('Name').fill('Lettuce');
    await page.getByRole('combobox', { name: 'Program' }).fill('Sow');
    await page.getByRole('option', { name: 'Sow' }).click();
    await page.getByLabel('And every so many days until day').fill('3');
    await page.getByLabel('And every so many days until day').press('Tab');
    await page.getByRole('button', { name: 'Add to the plan' }).click();
    await page.getByText('Day 3', { exact: true }).waitFor();
    // The next program is added once, unless that is asked for again.
    await expect.poll(() => page.getByLabel('And every so many days until day').inputValue()).toBe('');
    await page.getByText('You have unsaved changes.').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('“Lettuce” was saved.').waitFor();
    await page.getByText('You have unsaved changes.').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Remove Sow' }).first().click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Discard' }).click();
    await page.getByText('Day 1', { exact: true }).waitFor();
    const [regimen] = (await ada.call('GET', '/api/regimens')) as {
      name: string;
      regimen_items: { time_offset: number }[];
    }[];
    expect(regimen?.name).toBe('Lettuce');
    expect(regimen?.regimen_items.map(({ time_offset }) => time_offset)).toEqual([
      27_000_000, 113_400_000, 199_800_000,
    ]);
  });
});
