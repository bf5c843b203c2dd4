import { afterEach, beforeEach, expect, it } from 'vitest';
import { tokenIssuances } from '../../../src/accounts/token-issuances.ts';
import { users } from '../../../src/accounts/users.ts';
import { logs } from '../../../src/device/logs.ts';
import type { Account, TestApp } from '../../support/app.ts';
import { startApp } from '../../support/app.ts';
import { describeEngines } from '../../support/engines.ts';
import { freePort } from '../../support/free-port.ts';
import { MailServer } from '../../support/mail-server.ts';
import { MqttTestClient } from '../../support/mqtt-test-client.ts';

const day = 86_400_000;
const start = Date.UTC(2026, 10, 21, 12);

describeEngines('an account with a robot that uses the message broker is active', (engine) => {
  const clock = { time: start, now: () => clock.time };
  let mails: MailServer;
  let server: TestApp | null = null;
  beforeEach(() => {
    clock.time = start;
    mails = new MailServer();
  });
  afterEach(async () => {
    await server?.close();
    server = null;
    await mails.close();
  });

  async function started(environment: Record<string, string>): Promise<TestApp> {
    const SMTP_URL = await mails.listen();
    server = await startApp(
      engine,
      { HOST: '127.0.0.1', PORT: '0', INACTIVE_ACCOUNTS: 'delete', SMTP_URL, ...environment },
      clock,
    );
    return server;
  }
  async function idleAccount(app: TestApp): Promise<Account> {
    const account = await app.signUp();
    const past = { created_at: '2020-01-01T00:00:00.000Z' };
    await app.app.server().update(users, past, { where: { id: account.userId } });
    await app.app.server().update(tokenIssuances, past, { where: { device_id: account.deviceId } });
    return account;
  }
  /** Returns the users who are warned a day later. A listening server also runs jobs by itself. */
  const warned = async (app: TestApp) => {
    clock.time = start + day;
    await app.app.runJobs();
    await expect.poll(() => mails.received.length).toBeGreaterThan(0);
    return mails.received.flatMap(({ to }) => to);
  };

  it('with the embedded broker', async () => {
    const port = await freePort();
    const app = await started({ MQTT_PORT: String(port) });
    const [connected, refused] = [await idleAccount(app), await idleAccount(app)];
    await app.app.listen();
    const sign = ({ deviceId }: Account, password: string) =>
      MqttTestClient.connect(`mqtt://127.0.0.1:${port}`, { username: `device_${deviceId}`, password });
    const client = await sign(connected, connected.token);
    await client.end();
    await expect(sign(refused, connected.token)).rejects.toThrow();
    await expect(sign(refused, 'wrong')).rejects.toThrow();
    expect(await warned(app)).toEqual([refused.email]);
  });

  it('with an old connection, if it still sends messages', async () => {
    const port = await freePort();
    const app = await started({ MQTT_PORT: String(port) });
    const [active, silent] = [await idleAccount(app), await idleAccount(app)];
    await app.app.listen();
    const [sender, listener] = await Promise.all(
      [active, silent].map(({ deviceId, token }) =>
        MqttTestClient.connect(`mqtt://127.0.0.1:${port}`, { username: `device_${deviceId}`, password: token }),
      ),
    );
    clock.time = start + 10 * day;
    const log = { message: 'Hello', type: 'info', major_version: 15, meta: {}, channels: [] };
    await sender?.publish(`bot/device_${active.deviceId}/logs`, JSON.stringify(log));
    const stored = async () => (await app.app.server().device(active.deviceId).rows(logs)).map((row) => row.message);
    await expect.poll(stored).toEqual(['Hello']);
    await Promise.all([sender?.end(), listener?.end()]);
    await app.app.runJobs();
    expect(mails.received).toEqual([]);
    clock.time = start + 80 * day;
    await app.app.runJobs();
    await expect.poll(() => mails.received.length).toBeGreaterThan(0);
    expect(mails.received.flatMap(({ to }) => to)).toEqual([silent.email]);
  });

  it('with an external broker that calls the hooks', async () => {
    const app = await started({ MQTT_PORT: '0' });
    const [connected, refused] = [await idleAccount(app), await idleAccount(app)];
    const callHook = ({ deviceId }: Account, password: string) =>
      app.call('POST', '/api/rmq/user', { body: { username: `device_${deviceId}`, password } });
    expect((await callHook(connected, connected.token)).status).toBe(200);
    expect((await callHook(refused, connected.token)).status).toBe(403);
    expect(await warned(app)).toEqual([refused.email]);
  });
});
