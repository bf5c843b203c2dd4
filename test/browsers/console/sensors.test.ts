import { describe, expect, it } from 'vitest';
import { suiteBrowser } from '../pages/browser.ts';
import { consoleServer, gardener, openConsole, startRobot } from './garden-page.ts';

const open = suiteBrowser();

describe('the sensors of the console', () => {
  const server = consoleServer();

  it('reads a sensor now, shows the reading in the chart and the table, saves CSV, and deletes it', async () => {
    const ada = await gardener(server);
    await startRobot(ada);
    const page = await openConsole(open, server, ada, '/sensors');
    await page.getByRole('link', { name: 'Add a sensor' }).click();
    await page.getByRole('button', { name: 'Add' }).last().waitFor();
    await ada.call('POST', '/api/sensors', { label: 'Bed moisture', pin: 59, mode: 1 });
    await page.goBack();
    await page.getByText(/Nothing was read yet/).waitFor();
    await page.getByRole('button', { name: 'Read now' }).click();
    const reading = page.getByRole('cell', { name: '450', exact: true });
    await reading.waitFor();
    const chart = page.getByRole('img', { name: 'Bed moisture, between 450 and 450' });
    await chart.locator('canvas').waitFor();
    // The values under the pointer take no room of their own.
    expect((await chart.boundingBox())?.height).toBeLessThanOrEqual(190);

    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download CSV' }).click();
    expect((await download).suggestedFilename()).toBe('Bed moisture.csv');

    await page.getByRole('button', { name: /^Delete the reading/ }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText(/Nothing was read yet/).waitFor();
    await expect.poll(() => ada.call('GET', '/api/sensor_readings')).toEqual([]);
  });
});
