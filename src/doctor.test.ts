import { afterEach, beforeEach, expect, it } from 'vitest';
import type { TestApp } from '../test/support/app.ts';
import { startApp } from '../test/support/app.ts';
import { describeEngines } from '../test/support/engines.ts';
import { examine } from './doctor.ts';
import { jobs } from './jobs/job-rows.ts';

const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

describeEngines('doctor', (engine) => {
  let server: TestApp;
  beforeEach(async () => {
    server = await startApp(engine);
  });
  afterEach(() => server.close());

  const finding = async () => (await examine(server.settings, silent)).find(({ name }) => name === 'jobs');

  /** Puts a job of this kind there that was given up so many minutes after noon. */
  const giveUp = (kind: string, minutes: number) => {
    const time = new Date(Date.UTC(2026, 0, 1, 12, minutes)).toISOString();
    const given = { run_at: time, attempts: 4, max_attempts: 4, last_error: `no ${kind}`, failed_at: time };
    return { kind, payload: {}, ...given };
  };

  it('counts every job that was given up and names the last one', async () => {
    expect(await finding()).toEqual({ name: 'jobs', ok: true, message: 'No background job was given up.' });
    const scope = server.app.server();
    await scope.insert(jobs, giveUp('mail', 3));
    expect(await finding()).toEqual({
      name: 'jobs',
      ok: false,
      message: '1 background job was given up, the last one: mail, no mail.',
    });
    // Made later, given up earlier.
    await scope.insertAll(
      jobs,
      Array.from({ length: 120 }, () => giveUp('fetch', 1)),
    );
    await scope.insert(jobs, {
      kind: 'waiting',
      payload: {},
      run_at: '2026-01-01T00:00:00.000Z',
      attempts: 1,
      max_attempts: 4,
    });
    expect((await finding())?.message).toBe('121 background jobs were given up, the last one: mail, no mail.');
  });
});
