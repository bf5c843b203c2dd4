import { execFile } from 'node:child_process';
import { chmod, copyFile, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { signUp } from '../../support/accounts.ts';
import { numberAt } from '../../support/json.ts';
import { codeBlocks } from '../../support/pasted-blocks.ts';
import type { ServerProcess } from '../../support/servers.ts';
import { prepareServer } from '../../support/servers.ts';
import { DebianPostgres } from './debian-postgres.ts';

// The server on Debian's PostgreSQL 15, backed up and restored with the commands in docs/backup.md.

const paths = ['device', 'tools', 'points', 'sequences', 'fbos_config', 'web_app_config'];

let cluster: DebianPostgres;
const servers: ServerProcess[] = [];
beforeAll(async () => {
  cluster = await DebianPostgres.start();
});
afterAll(async () => {
  for (const server of servers) await server.remove();
  await cluster.stop();
});

async function startOn(url: string): Promise<ServerProcess> {
  const server = await prepareServer('sqlite', { DATABASE_URL: url, EMAIL_VERIFICATION: 'off', RATE_LIMITS: 'off' });
  servers.push(server);
  await server.start();
  return server;
}

/** Replies to reads, as text. */
async function read({ client }: ServerProcess, token: string): Promise<Record<string, string>> {
  const replies: Record<string, string> = {};
  for (const path of paths) {
    const { status, text } = await client.get(`/api/${path}`, token);
    expect(status, path).toBe(200);
    replies[path] = text.replace(/"last_saw_api":"[^"]*"/, '');
  }
  return replies;
}

/** Runs the line of the page for cron after 30 nights, with a `potager` that only prints. Returns the file of the dump. */
async function dumpNightly(url: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'potager-nights-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const old = Array.from({ length: 30 }, (_, night) => `potager-2025-01-${String(night + 1).padStart(2, '0')}.dump`);
  for (const name of old) await writeFile(join(folder, name), '');
  await writeFile(join(folder, 'url'), url);
  await writeFile(join(folder, 'potager'), `#!/bin/sh\nls potager-*.dump | tail -1; echo "$@"\n`, { mode: 0o755 });
  const [, line = ''] = codeBlocks('docs/backup.md', 'cron').join('').split('\n10 3 * * * potager ');
  const command = line
    .replaceAll('\\%', '%')
    .replaceAll('/mnt/usb/potager', folder)
    .replace('/etc/potager/database-url', join(folder, 'url'));
  const { stdout } = await promisify(execFile)('sh', ['-ec', command], {
    env: { PATH: `${folder}:/usr/lib/postgresql/15/bin:/usr/bin:/bin` },
  });
  const dumps = (await readdir(folder)).filter((name) => name.endsWith('.dump')).sort();
  const [name = ''] = dumps.slice(-1);
  expect(name).toMatch(/^potager-20\d\d-\d\d-\d\d\.dump$/);
  expect(dumps).toEqual([...old.slice(1), name]);
  expect(stdout).toBe(
    `${name}\nbackup ${folder} --keep 30 --env-file /etc/potager/potager.env --data-dir /var/lib/potager\n`,
  );
  const dump = join(folder, name);
  expect((await stat(dump)).mode & 0o777).toBe(0o600);
  // The user of PostgreSQL restores it.
  const copy = join(cluster.folder, name);
  await copyFile(dump, copy);
  await chmod(copy, 0o644);
  return copy;
}

it('serves the same records and accepts the same tokens after pg_dump and pg_restore', async () => {
  const original = await startOn(await cluster.createDatabase('potager'));
  const { token } = await signUp({ client: original.client, outbox: null }, 'ada');
  const post = (path: string, body: Record<string, unknown>) => original.client.post(path, body as never, token);
  await post('/api/tools', { name: 'Grüne Hacke' });
  const tool = await post('/api/tools', { name: 'Rake' });
  await post('/api/points', { pointer_type: 'Plant', name: 'Leek', x: 1.25, y: 2e-7, z: 0, meta: { note: '"é"' } });
  await post('/api/sequences', { name: 'Wait', body: [{ kind: 'wait', args: { milliseconds: 5 } }] });
  await original.client.send('DELETE', `/api/tools/${numberAt(tool.json, 'id')}`, { token });
  const replies = await read(original, token);
  expect(await original.stop()).toBe(0);

  const dump = await dumpNightly(`${cluster.server}/potager`);
  const restored = await cluster.createDatabase('restored');
  await cluster.run('pg_restore', ['--exit-on-error', '--no-owner', `--dbname=${restored}`, dump]);
  const schema = (database: string) => cluster.run('pg_dump', ['--schema-only', `${cluster.server}/${database}`]);
  const withoutToken = (text: string) => text.replace(/^\\(un)?restrict .*$/gm, '');
  expect(withoutToken(await schema('restored'))).toBe(withoutToken(await schema('potager')));

  const server = await startOn(restored);
  expect(server.logs()).not.toContain('applied a migration');
  expect(await read(server, token)).toEqual(replies);
  const next = await server.client.post('/api/tools', { name: 'Spade' }, token);
  // Ids of deleted records are not reused after the restoration either.
  expect([next.status, numberAt(next.json, 'id')]).toEqual([200, numberAt(tool.json, 'id') + 1]);
  expect(await cluster.query('restored', 'show server_version')).toMatchObject([
    { server_version: expect.stringMatching(/^15\./) },
  ]);
});
