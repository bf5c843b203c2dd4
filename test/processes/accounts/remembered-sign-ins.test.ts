import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { tokenIssuances } from '../../../src/accounts/token-issuances.ts';
import { type SignedInAccount, signUp } from '../../support/accounts.ts';
import type { TestApp } from '../../support/app.ts';
import { startApp, suiteApp } from '../../support/app.ts';
import { createMigratedDatabase, dropDatabase } from '../../support/databases.ts';
import { describeEngines } from '../../support/engines.ts';
import { freePort } from '../../support/free-port.ts';
import { PostgresProxy } from '../../support/postgres-proxy.ts';
import { cheapPasswords, createTempFolder, ServerProcess } from '../../support/servers.ts';

const waiting = { interval: 5 };

describe('sign-ins that are remembered on PostgreSQL', () => {
  let one: TestApp;
  let proxy: PostgresProxy;
  let other: TestApp;
  beforeAll(async () => {
    one = await startApp('postgres');
  });
  beforeEach(async () => {
    proxy = await PostgresProxy.open(String(one.settings.DATABASE_URL));
    // The key is in the database.
    other = await startApp('sqlite', { DATABASE_URL: proxy.url });
  });
  afterEach(async () => {
    await other.close();
    await proxy.close();
  });
  afterAll(() => one.close());

  /** Signs a user in, and returns functions that read with the token at the other server, and revoke it at the first. */
  async function session() {
    const { token } = await one.signUp();
    const point = await one.call('POST', '/api/points', { token, body: { pointer_type: 'Weed', x: 1, y: 2, z: 0 } });
    const read = async () => (await other.call('GET', `/api/points/${point.json.id}`, { token })).status;
    return {
      read,
      revoke: async () => expect((await one.call('DELETE', '/api/tokens', { token })).status).toBe(204),
      /** Returns the statements of a request at the other server. */
      statements: async () => {
        proxy.reset();
        expect(await read()).toBe(200);
        return proxy.statements.length;
      },
    };
  }

  it('cost no statement: a show is one round trip', async () => {
    const { statements } = await session();
    await expect.poll(statements, waiting).toBe(1);
    // Whether the garden has changed: the answer is in memory.
    expect(proxy.statements).toEqual(['select id, commits from devices where id = any($1)']);
    expect(proxy.roundTrips).toBe(1);
  });

  it('end with the notification of another process', async () => {
    const { read, revoke, statements } = await session();
    await expect.poll(statements, waiting).toBe(1);
    proxy.holdsNotifications = true;
    const before = proxy.notifications;
    await revoke();
    expect(await read()).toBe(200);
    proxy.releaseNotifications();
    await expect.poll(read, { timeout: 5000, interval: 1 }).toBe(401);
    expect(proxy.notifications).toBe(before + 1);
  });

  it('end while the listening connection is lost, and are not cached until it is back', async () => {
    const { read, revoke, statements } = await session();
    await expect.poll(statements, waiting).toBe(1);
    proxy.refusesListeners = true;
    const admin = new pg.Client({ connectionString: String(one.settings.DATABASE_URL) });
    await admin.connect();
    const { rowCount } = await admin.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'potager listener' and datname = current_database()",
    );
    await admin.end();
    expect(rowCount).toBeGreaterThan(0);
    await expect.poll(statements, waiting).toBeGreaterThan(1);
    await revoke();
    expect(await read()).toBe(401);
    proxy.refusesListeners = false;
    const next = await session();
    await expect.poll(next.statements, waiting).toBe(1);
    expect(await read()).toBe(401);
  });

  it('end a second after the listening connection has frozen', async () => {
    const { read, revoke, statements } = await session();
    await expect.poll(statements, waiting).toBe(1);
    proxy.freezeListeners();
    await revoke();
    // Waiting would not show that the lease ended: the silent connection is closed after three seconds.
    const now = performance.now.bind(performance);
    const later = vi.spyOn(performance, 'now').mockImplementation(() => now() + 1000);
    try {
      expect(await read()).toBe(401);
    } finally {
      later.mockRestore();
    }
  });

  it('are not cached where a pooler drops notifications', async () => {
    proxy.dropsNotifications = true;
    const { read, revoke, statements } = await session();
    // Longer than the probe takes.
    await sleep(2500);
    await expect.poll(statements, waiting).toBe(3);
    await revoke();
    expect(await read()).toBe(401);
  });

  it('end with each change of users and tokens, not with changes of gardens', async () => {
    const { statements, read } = await session();
    await expect.poll(statements, waiting).toBe(1);
    const notified = async (work: () => Promise<unknown>): Promise<void> => {
      const { notifications } = proxy;
      await work();
      await expect.poll(() => proxy.notifications, waiting).toBe(notifications + 1);
    };
    const owner = await one.signUp();
    await expect.poll(statements, waiting).toBe(1);
    await notified(() => one.call('PATCH', '/api/users', { token: owner.token, body: { name: 'Ada' } }));
    await notified(() => one.call('DELETE', '/api/tokens', { token: owner.token }));
    await expect.poll(statements, waiting).toBe(1);
    const { notifications } = proxy;
    const weed = { pointer_type: 'Weed', x: 1, y: 2, z: 0 };
    const { token } = await one.signUp();
    const afterSignUp = async () => {
      await one.call('POST', '/api/points', { token, body: weed });
      return proxy.notifications;
    };
    await expect
      .poll(async () => (await statements()) === 1 && proxy.notifications > notifications, waiting)
      .toBe(true);
    const settled = proxy.notifications;
    expect(await afterSignUp()).toBe(settled);
    expect(await read()).toBe(200);
  });
});

describeEngines('the version of remembered sign-ins', (engine) => {
  const server = suiteApp(engine);

  it('changes with each token, not with its uses', async () => {
    const { userId } = await server.signUp();
    const scope = server.app.server();
    await expect.poll(() => scope.version([tokenIssuances]), waiting).not.toBeNull();
    /** The part that counts the process's own commits. */
    const own = () => Number(scope.version([tokenIssuances])?.split(' ')[1]);
    const before = own();
    const of = { where: { user_id: userId } };
    await scope.update(tokenIssuances, { last_used_at: '2026-11-22T10:00:00.000Z', address: '192.0.2.1' }, of);
    expect(own()).toBe(before);
    await scope.update(tokenIssuances, { exp: 1 }, of);
    expect(own()).toBe(before + 1);
    expect(scope.version([tokenIssuances], true) === null).toBe(engine === 'postgres');
  });
});

describe('two processes on PostgreSQL', () => {
  const processes: ServerProcess[] = [];
  let url = '';
  beforeAll(async () => {
    url = (await createMigratedDatabase('postgres', await createTempFolder())) ?? '';
    for (const _ of ['one', 'two']) {
      const env = {
        HOST: '127.0.0.1',
        MQTT_PORT: '0',
        EMAIL_VERIFICATION: 'off',
        RATE_LIMITS: 'off',
        DATABASE_URL: url,
      };
      const process = new ServerProcess(await createTempFolder(), await freePort(), env, cheapPasswords);
      processes.push(process);
      await process.start();
    }
  });
  afterAll(async () => {
    for (const process of processes) {
      await process.kill();
      process.client.close();
      await rm(process.folder, { recursive: true, force: true });
    }
    await dropDatabase(url);
  });

  it('refuse a token that the other revoked', async () => {
    const [one, two] = processes as [ServerProcess, ServerProcess];
    for (const round of ['a', 'b', 'c']) {
      const account: SignedInAccount = await signUp({ client: one.client, outbox: null }, round);
      const read = async () => (await two.client.get('/api/points', account.token)).status;
      // Often enough for the sign-in to be remembered.
      for (let n = 0; n < 50; n++) expect(await read()).toBe(200);
      expect((await one.client.send('DELETE', '/api/tokens', { token: account.token })).status).toBe(204);
      await expect.poll(read, { timeout: 5000, interval: 1 }).toBe(401);
      for (let n = 0; n < 10; n++) expect(await read()).toBe(401);
    }
  });
});
