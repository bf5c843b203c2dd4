import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { numberAt } from '../../support/json.ts';
import { suiteBrowser } from '../pages/browser.ts';
import { consoleServer, gardener, openAsViewer, openConsole, overflowOf } from './garden-page.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const open = suiteBrowser();
const day = 86_400_000;

describe('the card of today on the map', () => {
  const server = consoleServer();

  /** A gardener with a ripe spinach. */
  const withSpinach = async () => {
    const ada = await gardener(server);
    await ada.call('PATCH', '/api/device', { timezone: 'Europe/Paris' });
    const planted_at = new Date(Date.now() - 45 * day).toISOString();
    const spinach = { pointer_type: 'Plant', name: 'Mine', x: 300, y: 300, openfarm_slug: 'spinach' };
    const id = numberAt(
      await ada.call('POST', '/api/points', { ...spinach, plant_stage: 'planted', planted_at }),
      'id',
    );
    return { ada, id };
  };

  it('says what is ripe and leads to it, follows changes, folds away and stays folded', async () => {
    const { ada, id } = await withSpinach();
    const page = await openConsole(open, server, ada, '/map');
    const ripe = page.getByRole('link', { name: 'Ripe: Spinach (1).' });
    await ripe.click();
    await page.waitForURL(`${server.base}/console/map?point=${id}`);
    // A selection has the place of the card.
    await expect.poll(() => ripe.count()).toBe(0);
    await page.goBack();
    await ripe.waitFor();

    // What somebody schedules meanwhile appears without a reload.
    const executable_id = numberAt(await ada.call('POST', '/api/sequences', { name: 'Water', body: [] }), 'id');
    const start_time = new Date(Date.now() + 2 * day).toISOString();
    const event = { executable_type: 'Sequence', executable_id, start_time, repeat: 1, time_unit: 'never' };
    await ada.call('POST', '/api/farm_events', event);
    await page.getByRole('link', { name: /^Next: “Water”, on / }).waitFor();

    await page.getByRole('heading', { name: 'Today', level: 2 }).click();
    await expect.poll(() => ripe.isVisible()).toBe(false);
    await page.reload();
    const title = page.getByRole('heading', { name: 'Today', level: 2 });
    await title.waitFor();
    expect(await ripe.isVisible()).toBe(false);
    await page.locator('summary').press('Enter');
    await ripe.waitFor();
    await page.reload();
    await ripe.waitFor();
  });

  it('is in French, fits on phones without violations of axe, and is shown to viewers', async () => {
    const { ada } = await withSpinach();
    const guest = await gardener(server, 'guest');
    const viewer = await openAsViewer(open, server, ada, guest, '/map');
    await viewer.getByText('Ripe: Spinach (1).').waitFor();
    const page = await openConsole(open, server, ada, '/map', {
      locale: 'fr-FR',
      viewport: { width: 360, height: 740 },
      hasTouch: true,
    });
    await page.getByText('Mûr : Épinard (1).').waitFor();
    expect(await overflowOf(page)).toBe(0);
    await page.evaluate(axe);
    expect(
      await page.evaluate(
        `axe.run('details', { resultTypes: ['violations'], rules: { 'target-size': { enabled: true } } })
          .then(({ violations }) => violations.map(({ id, nodes }) => id + ' ' + nodes[0].html))`,
      ),
    ).toEqual([]);
  });

  it('is not there if there is nothing to say', async () => {
    const ada = await gardener(server);
    const page = await openConsole(open, server, ada, '/map');
    const read = page.waitForResponse((response) => response.url().endsWith('/api/today'));
    expect(await (await read).json()).toMatchObject({ items: [] });
    await page.getByText('Nothing grows here yet.').waitFor();
    expect(await page.getByRole('heading', { name: 'Today' }).count()).toBe(0);
  });
});
