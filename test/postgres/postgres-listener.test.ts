import pg from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { CommitListener, notification } from '../../src/db/postgres-listener.ts';
import { createDatabase, dropDatabase } from '../support/databases.ts';
import { PostgresProxy } from '../support/postgres-proxy.ts';

let url = '';
let proxy: PostgresProxy;
let client: pg.Client;
let listener: CommitListener;
const warnings: string[] = [];
beforeEach(async () => {
  url = await createDatabase();
  proxy = await PostgresProxy.open(url);
  client = new pg.Client({ connectionString: url });
  await client.connect();
  warnings.length = 0;
  listener = new CommitListener({
    url: proxy.url,
    run: (sql, parameters) => client.query(sql, [...parameters]),
    onWarning: (message) => void warnings.push(message),
  });
});
afterEach(async () => {
  listener.stop();
  await client.end();
  await proxy.close();
  await dropDatabase(url);
});

const counted = async (): Promise<number> => {
  await expect.poll(() => listener.count, { interval: 5 }).not.toBeNull();
  return listener.count ?? 0;
};

it('counts commits with a notification, not rolled-back ones', async () => {
  expect(listener.count).toBeNull();
  const before = await counted();
  await client.query('begin');
  await client.query(notification);
  await client.query('rollback');
  await client.query('begin');
  await client.query(notification);
  expect(listener.count).toBe(before);
  await client.query('commit');
  await expect.poll(() => listener.count, { interval: 1 }).toBe(before + 1);
});

it('knows nothing while its connection is lost, and counts its return', async () => {
  const before = await counted();
  proxy.refusesListeners = true;
  await client.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'potager listener' and datname = current_database()",
  );
  await expect.poll(() => listener.count, { interval: 1 }).toBeNull();
  proxy.refusesListeners = false;
  expect(await counted()).toBeGreaterThan(before);
});

it('knows nothing a second after its connection froze, and opens another one', async () => {
  const before = await counted();
  proxy.freezeListeners();
  await client.query(notification);
  await expect.poll(() => listener.count, { timeout: 5000, interval: 5 }).toBeNull();
  expect(await counted()).toBeGreaterThan(before);
});

it('warns where a pooler drops notifications, and knows nothing there', async () => {
  proxy.dropsNotifications = true;
  expect(listener.count).toBeNull();
  await expect.poll(() => warnings).toHaveLength(1);
  expect(warnings[0]).toContain('DATABASE_URL leads through a connection pooler');
  expect(listener.count).toBeNull();
});
