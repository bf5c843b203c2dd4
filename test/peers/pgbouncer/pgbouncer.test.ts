import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signUp } from '../../support/accounts.ts';
import { createDatabase, dropDatabase } from '../../support/databases.ts';
import { freePort } from '../../support/free-port.ts';
import { createRunFolder } from '../../support/run-folder.ts';
import { prepareServer, type ServerProcess } from '../../support/servers.ts';
import { startProgram } from '../../support/started-program.ts';

// Debian's PgBouncer between the built server and PostgreSQL.

const servers: ServerProcess[] = [];
let database = '';
beforeAll(async () => {
  database = await createDatabase();
});
afterAll(async () => {
  for (const server of servers) await server.remove();
  await dropDatabase(database);
});

/** Starts PgBouncer, and returns the URL of the database behind it. */
async function startPooler(mode: 'session' | 'transaction'): Promise<string> {
  const folder = join(await createRunFolder(), mode);
  await mkdir(folder);
  const port = await freePort();
  const { hostname, port: server, username, password, pathname } = new URL(database);
  const to = `host=${hostname} port=${server} user=${username} password=${password} dbname=${pathname.slice(1)}`;
  const file = join(folder, 'pgbouncer.ini');
  await writeFile(
    file,
    `[databases]\ngarden = ${to}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = ${port}\nunix_socket_dir =\nauth_type = any\npool_mode = ${mode}\n`,
  );
  for (const path of [join(folder, '..'), folder, file]) await chmod(path, 0o755);
  // As root, it refuses to run.
  const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  let output = '';
  const env = { PATH: process.env.PATH ?? '' };
  startProgram('/usr/sbin/pgbouncer', [...user, file], { cwd: folder, env }, (text) => {
    output += text;
  });
  const isListening = () =>
    new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1');
      socket.once('connect', () => resolve(true));
      socket.once('error', () => resolve(false));
      socket.once('close', () => socket.destroy());
    });
  await expect.poll(isListening, { message: output }).toBe(true);
  return `postgres://${username}@127.0.0.1:${port}/garden`;
}

async function prepare(url: string): Promise<ServerProcess> {
  const server = await prepareServer('sqlite', { DATABASE_URL: url, EMAIL_VERIFICATION: 'off', RATE_LIMITS: 'off' });
  servers.push(server);
  return server;
}

describe('PgBouncer', () => {
  it('in session mode is as PostgreSQL itself', async () => {
    const server = await prepare(await startPooler('session'));
    await server.start();
    const { token } = await signUp({ client: server.client, outbox: null }, 'ada');
    const point = { pointer_type: 'Plant', name: 'Leek', x: 0.1 + 0.2, y: 2e-7, z: 0 };
    expect((await server.client.post('/api/points', point, token)).json).toMatchObject(point);
    expect(await server.stop()).toBe(0);
    expect(server.logs()).not.toContain('pooler');
  });

  it('in transaction mode is refused by the start and by doctor, in words', async () => {
    const url = await startPooler('transaction');
    const server = await prepare(url);
    const sentence = `DATABASE_URL: a connection pooler gives each transaction another connection. Connect to PostgreSQL directly, or set the pooler at 127.0.0.1:${new URL(url).port} to session mode (pool_mode = session).`;
    await expect(server.start()).rejects.toThrow(sentence);
    expect((await server.run(['doctor'])).stdout).toContain(sentence);
  });
});
