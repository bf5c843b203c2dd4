import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { afterEach, it } from 'vitest';
import { points } from '../../../src/garden/points.ts';
import { tools } from '../../../src/garden/tools.ts';
import { jobs } from '../../../src/jobs/job-rows.ts';
import type { CommandSession } from '../../../src/operations.ts';
import { openCommandSession } from '../../../src/operations.ts';
import { sequences } from '../../../src/programs/sequences.ts';
import { readSettings } from '../../../src/settings/settings.ts';
import type { SignedInAccount } from '../../support/accounts.ts';
import { signUp } from '../../support/accounts.ts';
import { describeEnginesConcurrently } from '../../support/engines.ts';
import type { ServerProcess } from '../../support/servers.ts';
import { startServer } from '../../support/servers.ts';

const seeding = { kind: 'seed_device_with_photo', failed_at: null };
const kills = 3;

describeEnginesConcurrently('SIGKILL during seeding', (engine) => {
  let server: ServerProcess | null = null;
  let observer: CommandSession | null = null;
  afterEach(async () => {
    await observer?.close();
    await server?.remove();
    observer = null;
    server = null;
  });

  it('leaves no records, and after a restart creates each once', async ({ expect }) => {
    const running = await startServer(engine, { RATE_LIMITS: 'off' });
    server = running;
    const account = await signUp(running, 'gardener');
    const settings = readSettings({ ...running.env, DATA_DIR: running.dataDir });
    const observing = await openCommandSession(settings, pino({ level: 'silent' }));
    observer = observing;
    const scope = () => observing.server().device(account.deviceId);
    const job = async () => (await observing.server().rows(jobs, { where: seeding }))[0];

    const body = { product_line: 'genesis_xl_1.8_stress_1000', demo: true };
    const requested = await running.client.post('/api/device/seed', body, account.token);
    expect(requested.status).toBe(200);
    for (let kill = 1; kill <= kills; kill++) {
      // The claim is committed first; then the garden is created.
      while ((await job())?.attempts !== kill) await sleep(1);
      await sleep(kill * 15);
      await running.kill();
      expect(await job()).toMatchObject({ attempts: kill });
      expect(await scope().count(tools)).toBe(0);
      expect(await scope().count(sequences)).toBe(0);
      expect(await scope().count(points)).toBe(0);
      // Expires the lease instead of waiting a minute.
      const over = { locked_until: '2020-01-01T00:00:00.000Z' };
      await observing.server().update(jobs, over, { where: seeding });
      await running.restart();
    }
    const countsNow = () => counts(running, account);
    await expect.poll(async () => (await countsNow()).images).toBe(1000);
    const all = {
      tools: 8,
      points: 8 + 3 * 1000,
      sequences: 17,
      point_groups: 6,
      peripherals: 7,
      sensors: 2,
      pin_bindings: 2,
      curves: 2,
      farmware_envs: 5,
      webcam_feeds: 1,
      alerts: 4,
      logs: 1,
      sensor_readings: 1000,
      images: 1000,
    };
    expect(await countsNow()).toEqual(all);
    await expect.poll(job).toBeUndefined();
    await running.restart();
    expect(await countsNow()).toEqual(all);
  });
});

async function counts(server: ServerProcess, { token }: SignedInAccount): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  const names =
    'tools points sequences point_groups peripherals sensors pin_bindings curves farmware_envs webcam_feeds alerts logs sensor_readings images';
  for (const name of names.split(' ')) {
    const rows = (await server.client.get(`/api/${name}`, token)).json;
    found[name] = Array.isArray(rows) ? rows.length : -1;
  }
  return found;
}
