import { describe, expect, it } from 'vitest';
import { at, numberAt } from '../../support/json.ts';
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

    // It is calibrated by readings in dry and in wet soil, and shown in percent.
    await page.getByRole('button', { name: 'It is in dry soil now (450)' }).click();
    await page.getByText('450 is dry; wet is missing.').waitFor();
    await ada.call('PATCH', `/api/sensors/${numberAt(await ada.call('GET', '/api/sensors'), '0.id')}`, {
      dry_reading: 350,
      wet_reading: 550,
    });
    await page.getByText('350 is 0 % (dry), 550 is 100 % (wet).').waitFor();
    await page.getByRole('cell', { name: '50 % (450)', exact: true }).waitFor();
    await page.getByRole('img', { name: 'Bed moisture, between 50 % and 50 %' }).waitFor();
    const { x, y } = Object(at(await ada.call('GET', '/api/sensor_readings'), '0'));
    const bean = { pointer_type: 'Plant', name: 'Bean', openfarm_slug: 'bean', x: x + 100, y, z: 0 };
    const plant = await ada.call('POST', '/api/points', bean);
    await page.goto(`${server.base}/console/map?point=${numberAt(plant, 'id')}`);
    await page.getByText(/^Soil moisture nearby: 50 % \(/).waitFor();
    await page.goBack();
    await page.getByRole('button', { name: 'Show them as they are read' }).click();
    await reading.waitFor();

    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download CSV' }).click();
    expect((await download).suggestedFilename()).toBe('Bed moisture.csv');

    await page.getByRole('button', { name: /^Delete the reading/ }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText(/Nothing was read yet/).waitFor();
    await expect.poll(() => ada.call('GET', '/api/sensor_readings')).toEqual([]);
  });
});
