import { mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SignedInAccount } from '../../support/accounts.ts';
import { signIn, signUp } from '../../support/accounts.ts';
import { HttpClient } from '../../support/http-client.ts';
import { isObject, numberAt } from '../../support/json.ts';
import { processedPhotoUrl, solidColorPicture, uploadPhoto } from '../../support/photo-upload.ts';
import type { ServerProcess } from '../../support/servers.ts';
import { prepareServer, startServer } from '../../support/servers.ts';

const open = { EMAIL_VERIFICATION: 'off', RATE_LIMITS: 'off' };

let folder = '';
const servers: ServerProcess[] = [];
const started = async (env = {}): Promise<ServerProcess> => {
  const server = await startServer('sqlite', { ...open, ...env });
  servers.push(server);
  return server;
};
const prepared = async (env = {}): Promise<ServerProcess> => {
  const server = await prepareServer('sqlite', { ...open, ...env });
  servers.push(server);
  return server;
};

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'potager-backups-'));
});
afterEach(async () => {
  for (const server of servers.splice(0)) await server.remove();
  await rm(folder, { recursive: true, force: true });
});

const account = (server: ServerProcess, name: string): Promise<SignedInAccount> =>
  signUp({ client: server.client, outbox: null }, name);

/** A write that the server acknowledged, and when. */
interface Acknowledged {
  readonly id: number;
  readonly name: string;
  readonly at: number;
}

/** Posts tools one after the other until the server stops responding. */
async function write(base: string, { token, name }: SignedInAccount, acknowledged: Acknowledged[]): Promise<void> {
  const client = new HttpClient(base, 1);
  for (let i = 0; ; i++) {
    const body = { name: `${name} ${i}` };
    const response = await client.post('/api/tools', body, token).catch(() => null);
    if (!response) break;
    if (response.status !== 200) throw new Error(`tools answered ${response.status} ${response.text}`);
    acknowledged.push({ id: numberAt(response.json, 'id'), name: body.name, at: performance.now() });
  }
  client.close();
}

async function toolsOf(server: ServerProcess, token: string): Promise<ReadonlyMap<number, string>> {
  const rows = (await server.client.get('/api/tools', token)).json;
  const all = Array.isArray(rows) ? rows.filter(isObject) : [];
  return new Map(all.map((row) => [Number(row.id), String(row.name)]));
}

describe('a backup of a running server', () => {
  // Before, during and after the snapshot of the database.
  it.each([100, 350, 800])(
    'contains every acknowledged write, also if the server is killed after %d ms',
    async (delay) => {
      const server = await started();
      const accounts: SignedInAccount[] = [];
      for (let i = 0; i < 4; i++) accounts.push(await account(server, `gardener${i}`));
      const first = accounts[0];
      if (!first) throw new Error('there is no account');
      const picture = await uploadPhoto(server.base, first.token, await solidColorPicture(90));
      const address = new URL(await processedPhotoUrl(server.base, first.token, picture));
      const seen = await (await fetch(address)).arrayBuffer();
      const key = (await server.client.get('/api/public_key')).text;

      const acknowledged = accounts.map((): Acknowledged[] => []);
      const writers = accounts.map((each, index) => write(server.base, each, acknowledged[index] ?? []));
      await expect.poll(() => Math.min(...acknowledged.map(({ length }) => length))).toBeGreaterThan(10);
      const began = performance.now();
      const file = join(folder, 'backup.tar');
      const backup = server.run(['backup', file]);
      await sleep(delay);
      await server.kill();
      await Promise.all(writers);
      expect(await backup).toMatchObject({ code: 0, output: expect.stringMatching(/^Backed up \d+ files to /) });
      expect((await stat(file)).mode & 0o777).toBe(0o600);
      expect(await readdir(folder)).toEqual(['backup.tar']);

      const other = await prepared();
      const restored = await other.run(['restore', file]);
      expect(restored).toMatchObject({ code: 0, output: expect.stringMatching(/^Restored \d+ files of 20/) });
      await other.start();
      for (const [index, { token }] of accounts.entries()) {
        const before = (acknowledged[index] ?? []).filter(({ at }) => at < began);
        expect(before.length).toBeGreaterThan(10);
        const kept = await toolsOf(other, token);
        expect(before.filter(({ id, name }) => kept.get(id) !== name)).toEqual([]);
      }
      // Passwords, tokens, keys and photos are the same.
      expect((await signIn(other.client, first.name, first.email, first.password)).userId).toBe(first.userId);
      expect((await other.client.get('/api/public_key')).text).toBe(key);
      const shown = await fetch(new URL(address.pathname, other.base));
      expect(Buffer.from(await shown.arrayBuffer())).toEqual(Buffer.from(seen));
      expect((await other.client.post('/api/tools', { name: 'after' }, first.token)).status).toBe(200);
    },
  );
});

describe('the commands', () => {
  it('restore a stopped server, and reject damaged archives', async () => {
    const server = await started();
    const { token } = await account(server, 'ada');
    await server.client.post('/api/tools', { name: 'Spade' }, token);
    await server.stop();
    const file = join(folder, 'backup.tar.gz');
    expect(await server.run(['backup', file])).toMatchObject({ code: 0 });
    const original = await readFile(file);

    // An existing file is kept.
    expect(await server.run(['backup', file])).toMatchObject({
      code: 1,
      output: `${file} already exists. Choose another name, or add --force.\n`,
    });
    expect(await readFile(file)).toEqual(original);
    expect(await server.run(['backup', '--force', file])).toMatchObject({ code: 0 });
    // In a folder it is named by the time, and older ones are deleted.
    const nightly = join(folder, 'nightly');
    const older = 'potager-2026-01-01-031000.tar';
    await mkdir(nightly);
    await writeFile(join(nightly, older), '');
    await writeFile(join(nightly, 'notes.txt'), '');
    const kept = await server.run(['backup', nightly, '--keep', '1']);
    expect(kept).toMatchObject({ code: 0, output: expect.stringMatching(`\nDeleted ${older}.\n$`) });
    const [notes, archive = ''] = (await readdir(nightly)).sort();
    expect([notes, archive]).toEqual(['notes.txt', expect.stringMatching(/^potager-20\d\d-\d\d-\d\d-\d{6}\.tar$/)]);
    const restored = await prepared();
    expect(await restored.run(['restore', join(nightly, archive)])).toMatchObject({ code: 0 });
    expect(await server.run(['backup', file, '--force', '--keep', '1'])).toMatchObject({
      code: 2,
      output: `--keep needs a folder, and ${file} is none. Make it, or leave out --keep.\n`,
    });
    expect(await server.run(['backup', join(server.dataDir, 'backup.tar')])).toMatchObject({
      code: 1,
      output: 'Write the backup outside of the data folder, preferably to another disk.\n',
    });
    const nowhere = join(folder, 'not-mounted');
    expect(await server.run(['backup', join(nowhere, 'a.tar')])).toMatchObject({
      code: 1,
      output: `There is no folder ${nowhere}. Make it, or mount its disk.\n`,
    });

    // The data folder of a server is not empty, whether it is running or not.
    expect(await server.run(['restore', file])).toMatchObject({
      code: 1,
      output: expect.stringContaining('not empty'),
    });
    await server.start();
    expect(await server.run(['restore', file])).toMatchObject({
      code: 1,
      output: expect.stringContaining('is in use by'),
    });
    expect((await server.client.get('/api/tools', token)).json).toMatchObject([{ name: 'Spade' }]);

    const other = await prepared();
    expect(await other.run(['backup', join(folder, 'nothing.tar')])).toMatchObject({
      code: 1,
      output: expect.stringContaining('There is no data in'),
    });
    expect(await other.run(['restore', join(folder, 'nothing.tar')])).toMatchObject({
      code: 1,
      output: expect.stringContaining('File not found'),
    });
    const damaged = join(folder, 'cut.tar.gz');
    await writeFile(damaged, original);
    await truncate(damaged, original.length - 100);
    expect(await other.run(['restore', damaged])).toMatchObject({
      code: 1,
      output: expect.stringContaining('truncated'),
    });
    expect(await readdir(other.dataDir)).toEqual(['serve.lock']);
    const changed = Buffer.from(original);
    const middle = Math.floor(original.length / 2);
    // A single bit of a compressed run of zeros may decompress to the same zeros.
    changed.set(
      original.subarray(middle, middle + 100).map((byte) => ~byte),
      middle,
    );
    await writeFile(damaged, changed);
    expect(await other.run(['restore', damaged])).toMatchObject({
      code: 1,
      output: expect.stringContaining('corrupt'),
    });
    expect(await readdir(other.dataDir)).toEqual(['serve.lock']);

    expect(await other.run(['restore', file])).toMatchObject({ code: 0 });
    await other.start();
    expect((await other.client.get('/api/tools', token)).json).toMatchObject([{ name: 'Spade' }]);
  });

  it('do not restore a database of a newer version', async () => {
    const server = await started();
    await server.stop();
    const database = new Sqlite(join(server.dataDir, 'potager.sqlite'));
    database.exec(
      `insert into schema_migrations (number, name, applied_at) values (29991231000000, 'future', '2999-12-31T00:00:00.000Z')`,
    );
    database.close();
    const file = join(folder, 'backup.tar');
    expect(await server.run(['backup', file])).toMatchObject({ code: 0 });
    const other = await prepared();
    expect(await other.run(['restore', file])).toMatchObject({
      code: 1,
      output: expect.stringContaining('Use a newer version.'),
    });
    expect(await readdir(other.dataDir)).toEqual(['serve.lock']);
  });

  it('print the files that are not included', async () => {
    const server = await prepared({
      DATABASE_URL: 'postgres://127.0.0.1:1/none',
      STORAGE_URL: 's3://key:hunter2@host/photos',
    });
    await mkdir(join(server.dataDir, 'outbox'), { recursive: true });
    await writeFile(join(server.dataDir, 'outbox/1.eml'), 'a mail');
    const file = join(folder, 'backup.tar');
    const { code, output } = await server.run(['backup', file]);
    expect({ code, lines: output.split('\n').slice(1, 3) }).toEqual({
      code: 0,
      lines: [
        'Not included: the PostgreSQL database. Dump it with pg_dump first; see docs/backup.md.',
        'Not included: the photos in the bucket.',
      ],
    });
    expect((await readFile(file)).includes('hunter2')).toBe(false);
    const other = await prepared();
    expect(await other.run(['restore', file])).toMatchObject({
      code: 1,
      output: expect.stringContaining('set DATABASE_URL'),
    });
    expect(await other.run(['restore', file], { DATABASE_URL: 'postgres://127.0.0.1:1/none' })).toMatchObject({
      code: 0,
      output: expect.stringContaining('the PostgreSQL database. Restore its dump with pg_restore; see docs/backup.md.'),
    });
    expect(await readFile(join(other.dataDir, 'outbox/1.eml'), 'utf8')).toBe('a mail');
  });
});
