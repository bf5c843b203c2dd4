import { afterEach, expect, it } from 'vitest';
import { jobs } from '../../../src/jobs/job-rows.ts';
import type { TestApp } from '../../support/app.ts';
import { startApp } from '../../support/app.ts';
import { describeEngines } from '../../support/engines.ts';

describeEngines('a job that a killed server had started', (engine) => {
  let server: TestApp;
  afterEach(() => server.close());

  const canHaveOtherServers = engine === 'postgres';
  it(
    canHaveOtherServers ? 'may still be running on another server' : 'runs as soon as the next server starts',
    async () => {
      server = await startApp(engine, { HOST: '127.0.0.1', PORT: '0' });
      const account = await server.signUp();
      await server.call('POST', '/api/device/seed', { token: account.token, body: { product_line: 'none' } });
      const where = { kind: 'seed_device' };
      const claim = { attempts: 1, locked_until: new Date(Date.now() + 55_000).toISOString(), locked_by: 'ended' };
      const scope = server.app.server();
      await scope.update(jobs, claim, { where });
      await server.app.runJobs();
      expect(await scope.count(jobs, { where })).toBe(1);
      await server.app.listen();
      if (canHaveOtherServers) {
        await server.app.runJobs();
        expect(await scope.count(jobs, { where })).toBe(1);
      } else await expect.poll(() => scope.count(jobs, { where }), { timeout: 5000 }).toBe(0);
    },
  );
});
