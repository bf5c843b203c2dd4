import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SignedInAccount } from '../../support/accounts.ts';
import { signUp } from '../../support/accounts.ts';
import { createMigratedDatabase, dropDatabase } from '../../support/databases.ts';
import { freePort } from '../../support/free-port.ts';
import type { Json } from '../../support/json.ts';
import { numberAt, textAt } from '../../support/json.ts';
import { MqttTestClient } from '../../support/mqtt-test-client.ts';
import { cheapPasswords, createTempFolder, ServerProcess } from '../../support/servers.ts';

describe('two processes with a built-in broker each on PostgreSQL', () => {
  let url = '';
  let folder = '';
  let one: ServerProcess;
  let two: ServerProcess;
  let ada: SignedInAccount;
  let bob: SignedInAccount;

  beforeAll(async () => {
    folder = await createTempFolder();
    url = (await createMigratedDatabase('postgres', folder)) ?? '';
    const start = async (): Promise<ServerProcess> => {
      const settings = { HOST: '127.0.0.1', EMAIL_VERIFICATION: 'off', RATE_LIMITS: 'off', DATABASE_URL: url };
      const env = { ...settings, MQTT_PORT: String(await freePort()) };
      const process = new ServerProcess(await createTempFolder(), await freePort(), env, cheapPasswords);
      await process.start();
      return process;
    };
    [one, two] = [await start(), await start()];
    const server = { client: one.client, outbox: null };
    [ada, bob] = [await signUp(server, 'ada'), await signUp(server, 'bob')];
  });
  afterAll(async () => {
    for (const process of [one, two]) {
      await process?.kill();
      process?.client.close();
      if (process) await rm(process.folder, { recursive: true, force: true });
    }
    await dropDatabase(url);
    await rm(folder, { recursive: true, force: true });
  });

  const send = async (by: { readonly token: string }, method: string, path: string, body?: object): Promise<Json> => {
    const { status, text } = await one.client.send(method, path, {
      token: by.token,
      ...(body && { body: { ...body } }),
    });
    expect(status, text).toBeLessThan(300);
    return text === '' ? null : (JSON.parse(text) as Json);
  };
  const connect = (password: string, options: object = {}) =>
    MqttTestClient.connect(two.mqtt, { username: ada.bot, password, ...options });
  /** Has Bob join Ada's garden; returns his session of it. */
  const join = async () => {
    const invited = await send(ada, 'POST', '/api/invitations', { email: bob.email, role: 'gardener' });
    const token = textAt(invited, 'link').split('/').pop() ?? '';
    return { token: textAt(await send(bob, 'POST', '/api/invitations/accept', { token }), 'token.encoded') };
  };
  const memberPath = () => `/api/members/${bob.userId}`;
  const script = async (member: { readonly token: string }) => {
    const body = { name: 'Script', scopes: ['read', 'control'], expires_at: null, password: bob.password };
    const created = await send(member, 'POST', '/api/personal_tokens', body);
    return { password: textAt(created, 'token'), path: `/api/personal_tokens/${numberAt(created, 'id')}` };
  };

  it.each(['removed', 'demoted', 'signed out', 'narrowed', 'revoked', 'disabled'])(
    'end the connection, the will and the retained status of a member who is %s at the other process',
    async (how) => {
      const member = await join();
      const { password, path } =
        how === 'narrowed' || how === 'revoked' ? await script(member) : { password: member.token, path: '' };
      const topic = `bot/${ada.bot}/from_clients`;
      const robot = await connect(ada.token);
      await robot.subscribe(topic);
      const client = await connect(password, { will: { topic, payload: Buffer.from('will'), qos: 1, retain: false } });
      await client.publish(`bot/${ada.bot}/status`, 'mine', { qos: 1, retain: true });
      const end: Record<string, () => Promise<Json>> = {
        removed: () => send(ada, 'DELETE', memberPath(), { password: ada.password }),
        demoted: () => send(ada, 'PATCH', memberPath(), { role: 'viewer', password: ada.password }),
        'signed out': () => send(member, 'DELETE', '/api/tokens'),
        narrowed: () => send(member, 'PATCH', path, { scopes: ['read'], password: bob.password }),
        revoked: () => send(member, 'DELETE', path, { password: bob.password }),
        // The first account administers the server.
        disabled: () =>
          send(ada, 'PATCH', `/api/admin/users/${bob.userId}`, { disabled: true, password: ada.password }),
      };
      await end[how]?.();
      await client.waitUntilClosed();
      const late = await connect(ada.token);
      await late.subscribe(`bot/${ada.bot}/#`);
      await robot.publish(topic, 'last', { qos: 1 });
      await late.waitUntil((received) => received.length > 0);
      await robot.waitUntil((received) => received.length > 0);
      expect([...robot.received, ...late.received].map(({ text }) => text)).toEqual(['last', 'last']);
      expect(robot.isConnected).toBe(true);
      await Promise.all([robot.end(), late.end()]);
      if (how === 'signed out' || how === 'narrowed' || how === 'revoked' || how === 'demoted')
        await send(ada, 'DELETE', memberPath(), { password: ada.password });
    },
  );
});
