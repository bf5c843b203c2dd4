import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { tokenIssuances } from '../../../src/accounts/token-issuances.ts';
import { jobs } from '../../../src/jobs/job-rows.ts';
import { suiteBrokerApp } from '../../support/broker-app.ts';
import { describeEngines } from '../../support/engines.ts';

describeEngines('connections whose token ends', (engine) => {
  const server = suiteBrokerApp(engine);

  it('are closed without a job, but not before a factory reset that a job is about to send', async () => {
    const scope = server.app.server();
    const [ada, bob] = [await server.signUp(), await server.signUp()];
    const pending = await scope.insert(jobs, {
      kind: 'end_broker_sessions',
      payload: { device: ada.deviceId, resets_robot: true },
      run_at: new Date(Date.now() + 3_600_000).toISOString(),
      attempts: 0,
      max_attempts: 4,
      device_id: ada.deviceId,
    });
    const name = `device_${ada.deviceId}`;
    const robot = await server.connect(name, ada.token, `${name}_17.1.2`);
    await robot.subscribe(`bot/${name}/from_clients`);
    const other = await server.connect(`device_${bob.deviceId}`, bob.token);
    await scope.delete(tokenIssuances, { where: { user_id: [ada.userId, bob.userId] } });
    await other.waitUntilClosed();
    await sleep(700);
    expect(robot.isConnected).toBe(true);
    await scope.delete(jobs, { where: { id: pending.id } });
    await robot.waitUntilClosed();
  });
});
