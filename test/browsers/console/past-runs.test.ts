import { describe, expect, it } from 'vitest';
import { numberAt } from '../../support/json.ts';
import { suiteBrowser } from '../pages/browser.ts';
import { consoleServer, gardener, openConsole, startRobot } from './garden-page.ts';

const open = suiteBrowser();

describe('the schedule of the console', () => {
  const server = consoleServer();

  it('shows past runs with their outcome, also of programs that are no longer scheduled', async () => {
    const ada = await gardener(server);
    await startRobot(ada);
    const sequence = async (name: string, body: object[]): Promise<number> =>
      numberAt(
        await ada.call('POST', '/api/sequences', { name, args: {}, body: body as never, kind: 'sequence' }),
        'id',
      );
    const rinse = await sequence('Rinse', [{ kind: 'wait', args: { milliseconds: 10 } }]);
    const weed = await sequence('Weed', [{ kind: 'lua', args: { lua: 'error("The blade is missing")' } }]);
    // In a few seconds: the robot runs what is due after it was started.
    const start_time = new Date(Date.now() + 4000).toISOString();
    const schedule = async (executable_id: number): Promise<number> =>
      numberAt(
        await ada.call('POST', '/api/farm_events', {
          executable_type: 'Sequence',
          executable_id,
          start_time,
          time_unit: 'never',
          repeat: 1,
        }),
        'id',
      );
    const [, weeding] = [await schedule(rinse), await schedule(weed)];
    const plant = { pointer_type: 'Plant', name: 'Leek', x: 100, y: 100, z: 0 };
    const point_id = numberAt(await ada.call('POST', '/api/points', plant), 'id');
    const logs = async (): Promise<string> => JSON.stringify(await ada.call('GET', '/api/logs'));
    await expect.poll(logs, { timeout: 60_000 }).toContain('Completed \\"Rinse\\".');
    await expect.poll(logs, { timeout: 60_000 }).toContain('Failed to run \\"Weed\\"');
    await ada.call('POST', '/api/runs', {
      name: 'Water by hand',
      steps: [{ point_id, program: { sequence_id: rinse } }],
    });
    await expect.poll(async () => JSON.stringify(await ada.call('GET', '/api/runs'))).toContain('"state":"done"');
    await ada.call('DELETE', `/api/farm_events/${weeding}`);

    const page = await openConsole(open, server, ada, '/schedule');
    const entry = (name: RegExp) => page.getByRole('main').getByRole('link', { name });
    await entry(/Rinse Done$/).waitFor();
    await entry(/Weed Failed: .*The blade is missing/).waitFor();
    const started = page.getByText(/^Water by hand 1 of 1 place$/);
    await started.waitFor();
    // What is past is not moved.
    expect(await page.getByRole('button', { name: /^Move .* Rinse/ }).count()).toBe(0);
    await page.getByRole('link', { name: 'List' }).click();
    await entry(/Rinse.*Done$/).waitFor();
    await started.waitFor();
    // It is no longer scheduled, but there is still the program.
    await entry(/Weed.*The blade is missing/).click();
    await page.waitForURL(`${server.base}/console/programs/${weed}`);
  });
});
