import { describe, expect, it } from 'vitest';
import { suiteBrowser } from '../pages/browser.ts';
import { consoleServer, gardener, openConsole } from './garden-page.ts';

const open = suiteBrowser();

describe('a bed in which something stands', () => {
  const server = consoleServer();

  it('is filled around it, or there as well on purpose', async () => {
    const ada = await gardener(server);
    const broccoli = { pointer_type: 'Plant', name: 'Broccoli', openfarm_slug: 'broccoli', x: 600, y: 600, z: 0 };
    await ada.call('POST', '/api/points', broccoli);
    await ada.call('POST', '/api/points', { pointer_type: 'ToolSlot', name: 'Slot', x: 100, y: 100, z: 0 });
    const page = await openConsole(open, server, ada, '/map?panel=plant&crop=carrot&place=100,100');
    const counts = async () => JSON.stringify(await ada.call('GET', '/api/points')).match(/"carrot"/g)?.length ?? 0;
    const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
    // A single place.
    await page.getByText('This place is too close to Slot.').waitFor();
    expect(await page.getByRole('button', { name: 'Add', exact: true }).isDisabled()).toBe(true);
    await page.getByLabel('First y').fill('600');
    await page.getByLabel('Number along x').fill('10');
    await page.getByLabel('Distance in x').fill('100');
    await page.getByLabel('First x').focus();
    await page.getByText(/^\d are too close to Broccoli, and left out\.$/).waitFor();
    const left = Number((await page.getByText(/are too close to Broccoli/).innerText()).charAt(0));
    expect(left).toBeGreaterThan(2);
    await press(`Add ${10 - left}`);
    await expect.poll(counts).toBe(10 - left);
    await press('Fill the bed from there');
    await page.getByText(/are too close to Broccoli/).waitFor();
    await page.getByLabel('Number along y').fill('1');
    await page.getByLabel('Number along x').fill('10');
    await page.getByLabel('First x').focus();
    await page.getByText('Plant there as well').click();
    await press(`Add ${left}`);
    await expect.poll(counts).toBe(10);

    // A row of carrots is not meant for weeds, which grow anywhere; it is there again for carrots.
    await press('Add a weed');
    expect(await page.getByLabel('Number along x').inputValue()).toBe('1');
    await page.getByLabel('First x').fill('600');
    await page.getByLabel('First y').fill('610');
    await page.getByLabel('First x').focus();
    await press('Add');
    await page.getByRole('button', { name: 'Weed, weed at 600, 610' }).waitFor();
  });
});
