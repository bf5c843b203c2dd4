import { expect, it } from 'vitest';
import { phone, suiteBrowser } from '../pages/browser.ts';
import { describeEngines } from '../support/engines.ts';
import { consoleServer, type Gardener, gardener, openConsole } from './garden-page.ts';

const open = suiteBrowser();

const program = ({ call }: Gardener, name: string) =>
  call('POST', '/api/sequences', {
    name,
    color: 'green',
    args: { version: 20180209, locals: { kind: 'scope_declaration', args: {} } },
    body: [],
  });

describeEngines('the schedule of the console', (engine) => {
  const server = consoleServer(engine);

  it('schedules a program for every morning, shows it by month and as a list, moves it by keyboard, and removes it', async () => {
    const ada = await gardener(server);
    await program(ada, 'Water the tomatoes');
    await ada.call('PATCH', '/api/device', { timezone: 'Europe/Paris' });
    const page = await openConsole(open, server, ada, '/schedule?date=2031-06-01');
    await page.getByText('Europe/Paris').waitFor();
    await page.getByRole('link', { name: 'Schedule something on Tuesday, June 10' }).click();
    await page.getByRole('button', { name: 'Schedule', exact: true }).click();
    await page.getByText('Choose what to run.').waitFor();
    await page.getByRole('combobox', { name: 'What to run' }).fill('water');
    await page.getByRole('option', { name: /Water the tomatoes/ }).click();
    await page.getByLabel('Every (days)').fill('2');
    await page.getByLabel('Until', { exact: true }).fill('2031-06-14');
    await page.getByText(/^Every 2 days from Jun 10, 2031/).waitFor();
    await page.getByRole('button', { name: 'Schedule', exact: true }).click();
    const days = ['Tuesday, June 10', 'Thursday, June 12', 'Saturday, June 14'];
    for (const day of days)
      await page
        .getByRole('group', { name: day })
        .getByRole('link', { name: /07:30 Water the tomatoes/ })
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
      .getByRole('link', { name: /07:30 Water/ })
      .first()
      .click();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Nothing is scheduled here').waitFor();
  });

  it('plans a regimen on a phone', async () => {
    const ada = await gardener(server);
    await program(ada, 'Sow');
    const page = await openConsole(open, server, ada, '/regimens', { viewport: phone });
    await page.getByRole('button', { name: 'Add a regimen' }).click();
    await page.getByLabel('Name').fill('Lettuce');
    await page.getByRole('combobox', { name: 'Program' }).fill('Sow');
    await page.getByRole('option', { name: 'Sow' }).click();
    await page.getByLabel('And every so many days until day').fill('3');
    await page.getByLabel('And every so many days until day').press('Tab');
    await page.getByRole('button', { name: 'Add to the plan' }).click();
    await page.getByText('Day 3', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('“Lettuce” was saved.').waitFor();
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
