import { describe, expect, it } from 'vitest';
import { numberAt, textAt } from '../../support/json.ts';
import { suiteBrowser } from '../pages/browser.ts';
import { gardener, openAsViewer, openConsole, ownConsoleServer, seedGarden, startRobot } from './garden-page.ts';

const open = suiteBrowser();
const phone = { viewport: { width: 390, height: 844 } };
/** The virtual robot waters several plants. */
const slow = { timeout: 120_000 };

describe('watering', () => {
  const server = ownConsoleServer('sqlite');

  /** A demo garden with ten plants in a row, a robot, and the address of the panel that waters them. */
  async function tenPlants() {
    const ada = await gardener(server);
    await seedGarden(ada);
    const curve = { name: 'Leek water', type: 'water', data: { 1: 100, 30: 100 } };
    const water_curve_id = numberAt(await ada.call('POST', '/api/curves', curve), 'id');
    const planted_at = new Date(Date.now() - 9.5 * 86_400_000).toISOString();
    const ids: number[] = [];
    for (let i = 0; i < 10; i++) {
      const plant = { pointer_type: 'Plant', name: `Leek ${i}`, x: 300 + 10 * i, y: 300, z: 0, planted_at };
      ids.push(numberAt(await ada.call('POST', '/api/points', i < 9 ? { ...plant, water_curve_id } : plant), 'id'));
    }
    await startRobot(ada);
    const run = () => ada.call('GET', '/api/runs');
    return { ada, run, path: `/map?points=${ids.join()}&panel=water` };
  }

  it('goes on while the phone is locked, is seen by all, and stopped by any page but a viewer’s', async () => {
    const { ada, run, path } = await tenPlants();
    const page = await openConsole(open, server, ada, path, phone);
    await page.getByText('Leek 0: 100 ml, by its water curve on day 10').waitFor();
    await page.getByText('Leek 9: about 200 ml').waitFor();
    await page.getByText('1.1 l in all.').waitFor();
    const choose = async (name: string): Promise<void> => {
      await page.getByLabel('How', { exact: true }).click();
      await page.getByRole('option', { name }).click();
    };
    await choose('The program “Water plant”');
    await page.getByText('Leek 0: about 200 ml').waitFor();
    await choose('“Water”, by the water curves of the plants');
    await page.getByRole('button', { name: 'Start watering' }).click();
    await page.getByText('Water: 1 of 10, Leek 0').waitFor();
    // As a locked phone: the page ends.
    await page.goto(`${server.base}/health`);
    await expect.poll(async () => numberAt(await run(), '0.done'), slow).toBeGreaterThan(1);
    const other = await openConsole(open, server, ada, '/logs');
    await other.getByText(/^Water: \d+ of 10, Leek \d$/).waitFor();
    await other.getByRole('status').filter({ hasText: 'Busy' }).waitFor();
    const guest = await openAsViewer(open, server, ada, await gardener(server, 'bob'), '/photos');
    await guest.getByText(/^Water: \d+ of 10, Leek \d$/).waitFor();
    expect(await guest.getByRole('button', { name: 'Stop after this one' }).count()).toBe(0);
    await expect.poll(async () => textAt(await run(), '0.state'), slow).toBe('done');
    for (const each of [other, guest]) await each.getByText('Water: 10 of 10 done.').waitFor();
    await other.getByRole('button', { name: 'Close', exact: true }).click();
    await other.getByText('Water: 10 of 10 done.').waitFor({ state: 'hidden' });
    expect(await run()).toMatchObject([{ done: 10, skipped: 0 }]);

    await other.goto(`${server.base}/console${path}`);
    await other.getByRole('button', { name: 'Start watering' }).click();
    await other.getByText('Water: 1 of 10, Leek 0').waitFor();
    const third = await openConsole(open, server, ada, '/schedule', { ...phone, locale: 'fr-FR' });
    await third.getByText(/^Water\s: \d+ sur 10, Leek \d$/).waitFor();
    await third.getByRole('button', { name: 'Arrêter après celui-ci' }).click();
    await other.getByText(/^Water: \d of 10 done\.$/).waitFor(slow);
    await third.getByText(/^Water\s: \d sur 10 faits\.$/).waitFor();
  });

  it('asks whether to go on after a restart of the server, and after an error of the robot', async () => {
    const { ada, run, path } = await tenPlants();
    const page = await openConsole(open, server, ada, path, phone);
    await page.getByRole('button', { name: 'Start watering' }).click();
    await page.getByText('Water: 2 of 10, Leek 1').waitFor(slow);
    await server.kill();
    await server.start();
    await page.getByText('The server stopped before the robot responded.').waitFor(slow);
    await page.getByText(/Water was interrupted at Leek [12] \([23] of 10\)\. Go on\?$/).waitFor();
    // The virtual robot comes back, too.
    await page.getByRole('status').filter({ hasText: 'Ready' }).waitFor(slow);
    const before = numberAt(await run(), '0.done');
    await page.getByRole('button', { name: 'Go on' }).click();
    await expect.poll(async () => numberAt(await run(), '0.done'), slow).toBeGreaterThan(before);
    await page.getByRole('button', { name: 'Emergency stop' }).click();
    // At a place, or between two.
    await page.getByText(/^The (emergency stop was pressed|robot is locked: unlock it first)\. Water was/).waitFor();
    await page.getByRole('button', { name: 'End it' }).click();
    await page.getByText(/^Water: \d+ of 10 done\.$/).waitFor();
    expect(textAt(await run(), '0.state')).toBe('stopped');
  });
});
