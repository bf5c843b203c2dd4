import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { signUp } from '../../support/accounts.ts';
import { createMigratedDatabase } from '../../support/databases.ts';
import { createReleaseDatabase } from '../../support/earlier-release.ts';
import type { ServerProcess } from '../../support/servers.ts';
import { prepareServer } from '../../support/servers.ts';

let server: ServerProcess;
beforeEach(async () => {
  server = await prepareServer('sqlite', { DATA_DIR: 'data', EMAIL_VERIFICATION: 'off' });
});
afterEach(() => server.remove());

const removeDatabase = () => {
  for (const end of ['', '-wal', '-shm']) rmSync(join(server.dataDir, `potager.sqlite${end}`), { force: true });
};
const key = () => join(server.dataDir, 'keys', 'tokens.pem');

it('a lost key refuses the start until it is restored or replaced', async () => {
  // Commands make the database before the first start, which creates the key.
  expect((await server.run(['user', 'create', 'bob@example.com', '--password', 'password123'])).code).toBe(0);
  expect(existsSync(key())).toBe(false);
  await server.start();
  expect(await server.stop()).toBe(0);
  rmSync(key());
  const refused = await server.run(['serve']);
  expect([refused.code, refused.output]).toEqual([
    1,
    expect.stringContaining(
      `The key ${key()} is missing, but the database was used with one. Restore the file from a backup. If it is lost, create another with "potager create-key"`,
    ),
  ]);
  expect(existsSync(key())).toBe(false);
  expect((await server.run(['doctor'])).output).toContain(`FAIL  key: The key ${key()} is missing`);
  expect(await server.run(['create-key'])).toMatchObject({ code: 0, stdout: `${key()} was created.\n` });
  expect((await server.run(['create-key'])).output).toContain(`${key()} already exists.`);
  await server.start();
  expect((await signUp({ client: server.client, outbox: null }, 'ada')).deviceId).toBeGreaterThan(0);
});

it('a lost database beside key and photos refuses the start, and commands', async () => {
  await createMigratedDatabase('sqlite', server.dataDir);
  mkdirSync(join(server.dataDir, 'photos', '7'), { recursive: true });
  removeDatabase();
  const missing =
    `The database ${server.dataDir}/potager.sqlite is missing, but ${server.dataDir} contains the key of a server. ` +
    'Restore a backup into an empty folder with "potager restore". ' +
    `To begin with an empty database instead, move "keys" and "photos" out of ${server.dataDir}.`;
  for (const words of [['serve'], ['user', 'list']]) {
    const { code, output } = await server.run(words);
    expect([code, output]).toEqual([1, expect.stringContaining(missing)]);
  }
  expect((await server.run(['doctor'])).output).toContain(`FAIL  database: ${missing}`);
  expect(existsSync(join(server.dataDir, 'potager.sqlite'))).toBe(false);
  writeFileSync(join(server.dataDir, 'potager.sqlite'), '');
  expect((await server.run(['serve'])).output).toContain('potager.sqlite is empty, but');
  // As the sentence says.
  for (const name of ['keys', 'photos']) rmSync(join(server.dataDir, name), { recursive: true });
  await server.start();
});

it('a key alone is taken by the first start', async () => {
  expect((await server.run(['create-key'])).code).toBe(0);
  await server.start();
  expect((await server.client.get('/health')).status).toBe(200);
});

it('a lost or damaged key refuses the start before the database is migrated', async () => {
  mkdirSync(server.dataDir);
  await createReleaseDatabase('sqlite', server.dataDir);
  const path = join(server.dataDir, 'potager.sqlite');
  const migrationsOf = () => {
    const database = new Sqlite(path);
    const numbers = database.prepare('select number from schema_migrations').pluck().all();
    database.close();
    return numbers;
  };
  const before = migrationsOf();
  expect((await server.run(['serve'])).output).toContain(`The key ${key()} is missing`);
  mkdirSync(join(server.dataDir, 'keys'));
  writeFileSync(key(), 'no key');
  expect((await server.run(['serve'])).output).toContain('is not a private key in PEM format');
  expect(migrationsOf()).toEqual(before);
  expect(existsSync(join(server.dataDir, 'copies'))).toBe(false);
});
