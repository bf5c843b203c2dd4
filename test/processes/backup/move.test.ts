import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import pg from 'pg';
import { afterEach, describe, expect, it } from 'vitest';
import { markMoved } from '../../../src/accounts/moved-database.ts';
import { openDatabase } from '../../../src/db/open.ts';
import { prepareSource } from '../../../src/db/table-copy.ts';
import { logs } from '../../../src/device/logs.ts';
import { tables } from '../../../src/resources.ts';
import { signIn, signUp } from '../../support/accounts.ts';
import { createDatabase, dropDatabase } from '../../support/databases.ts';
import { createReleaseDatabase } from '../../support/earlier-release.ts';
import { allRows, fillTables, lastId } from '../../support/filled-tables.ts';
import { numberAt, textAt } from '../../support/json.ts';
import { MqttTestClient } from '../../support/mqtt-test-client.ts';
import { processedPhotoUrl, solidColorPicture, uploadPhoto } from '../../support/photo-upload.ts';
import { anyPort, prepareServer, program, ServerProcess, shortLived } from '../../support/servers.ts';
import { startProgram } from '../../support/started-program.ts';

const open = { EMAIL_VERIFICATION: 'off', RATE_LIMITS: 'off' };

const servers: ServerProcess[] = [];
const urls: string[] = [];

async function prepared(env = {}): Promise<ServerProcess> {
  const server = await prepareServer('sqlite', { ...open, ...env });
  servers.push(server);
  return server;
}
async function emptyDatabase(): Promise<string> {
  const url = await createDatabase();
  urls.push(url);
  return url;
}
/** The same folder, ports and settings with a database of PostgreSQL. */
const onPostgres = (server: ServerProcess, url: string): ServerProcess => {
  const other = new ServerProcess(server.folder, server.port, { ...server.env, DATABASE_URL: url });
  servers.push(other);
  return other;
};

afterEach(async () => {
  for (const server of servers.splice(0)) {
    await server.kill();
    server.client.close();
    await rm(server.folder, { recursive: true, force: true });
  }
  for (const url of urls.splice(0)) await dropDatabase(url);
});

const query = async (url: string, sql: string): Promise<unknown[]> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<unknown[]>({ text: sql, rowMode: 'array' });
  await client.end();
  return rows;
};

/** Returns all rows without those that say where the data was moved to. */
function rowsOf(folder: string): Record<string, unknown> {
  const rows = allRows(folder);
  const settings = rows.server_settings as unknown[][];
  const sequences = rows.sqlite_sequence as [string, number][];
  return {
    ...rows,
    server_settings: settings.filter((row) => !row.includes('moved_to')),
    sqlite_sequence: sequences.filter(([name]) => name !== 'server_settings').sort(),
  };
}

/** Counts the rows that a move takes. */
const movedRows = ({ sqlite_sequence: _, ...tables }: Record<string, unknown>): number =>
  Object.values(tables).flat().length;

describe('move', () => {
  it('takes every row, column and next id to PostgreSQL, and back to another folder', async () => {
    const server = await prepared();
    expect((await server.run(['migrate'])).code).toBe(0);
    expect((await server.run(['create-key'])).code).toBe(0);
    fillTables(server.dataDir);
    await mkdir(join(server.dataDir, 'photos', '1'), { recursive: true });
    await writeFile(join(server.dataDir, 'photos', '1', 'a.jpg'), 'photo');
    const before = rowsOf(server.dataDir);
    expect(Object.keys(before).length).toBeGreaterThan(50);
    const url = await emptyDatabase();
    await writeFile(join(server.folder, 'url'), `${url}\n`);
    const moved = await server.run(['move', '--to', '@url']);
    expect([moved.code, moved.output]).toEqual([
      0,
      expect.stringContaining(`Moved the key and ${movedRows(before)} rows, and checked each.\n`),
    ]);
    expect(rowsOf(server.dataDir)).toEqual(before);
    expect(await query(url, 'select id, meta::text, x::text from points where id < 9 order by id')).toEqual([
      ['1', '{"z": 1.0, "a":[null,true,"\\u00e9 \\\\ 1"],"z2":{}}', '0.30000000000000004'],
      ['5', '{"z": 1.0, "a":[null,true,"\\u00e9 \\\\ 5"],"z2":{}}', '-1.5e-07'],
    ]);

    // A run that was killed before it marked the source is completed by the next one.
    const unmark = "delete from server_settings where key = 'moved_to'";
    const source = new Sqlite(join(server.dataDir, 'potager.sqlite'));
    source.exec(`${unmark}; update sqlite_sequence set seq = ${lastId} where name = 'server_settings'`);
    source.close();
    expect(await server.run(['move', '--to', '@url'])).toMatchObject({ code: 0 });
    expect(await server.run(['move', '--to', '@url'])).toMatchObject({ code: 1 });

    expect(await query(url, `select nextval(pg_get_serial_sequence('tools', 'id'))`)).toEqual([[String(lastId + 1)]]);
    const other = join(server.folder, 'other');
    const back = await server.run(['move', '--to', other], { DATABASE_URL: url });
    expect([back.code, back.output]).toEqual([0, expect.stringContaining(`set DATA_DIR to ${other}`)]);
    await query(url, unmark);
    await query(url, `select setval(pg_get_serial_sequence('server_settings', 'id'), ${lastId})`);
    expect(await server.run(['move', '--to', other], { DATABASE_URL: url })).toMatchObject({ code: 0 });
    const after = rowsOf(other);
    const sequences = before.sqlite_sequence as [string, number][];
    expect(after).toEqual({
      ...before,
      sqlite_sequence: sequences.map(([name, id]) => [name, name === 'tools' ? lastId + 1 : id]),
    });
    expect(await readFile(join(other, 'photos', '1', 'a.jpg'), 'utf8')).toBe('photo');
    const key = (folder: string) => readFile(join(folder, 'keys', 'tokens.pem'), 'utf8');
    expect(await key(other)).toBe(await key(server.dataDir));
  });

  it('lets robots and people go on, in both directions', async () => {
    const first = await prepared({ MQTT_PORT: anyPort });
    await first.start();
    const ada = await signUp({ client: first.client, outbox: null }, 'ada');
    const picture = await uploadPhoto(first.base, ada.token, await solidColorPicture(90));
    const photo = new URL(await processedPhotoUrl(first.base, ada.token, picture)).pathname;
    const personal = await first.client.post(
      '/api/personal_tokens',
      { name: 'Script', scopes: ['read'], expires_at: null, password: ada.password },
      ada.token,
    );
    const script = textAt(personal.json, 'token');
    const spade = numberAt((await first.client.post('/api/tools', { name: 'Spade' }, ada.token)).json, 'id');
    await first.client.send('DELETE', `/api/tools/${spade}`, { token: ada.token });
    const key = (await first.client.get('/api/public_key')).text;
    const url = await emptyDatabase();

    const served = await first.run(['move', '--to', url]);
    expect([served.code, served.output]).toEqual([1, expect.stringContaining('is in use by process')]);
    expect(await first.stop()).toBe(0);
    const second = onPostgres(first, url);
    // The setting names the new database already: a start would hide the gardens.
    const hidden = `DATABASE_URL is set, so the accounts in ${join(first.dataDir, 'potager.sqlite')} are not used. Move them to that database, which must be empty: potager move --to DATABASE_URL.`;
    for (const words of [['serve'], ['user', 'list']]) expect((await second.run(words)).output).toContain(hidden);
    expect((await second.run(['doctor'])).output).toContain(`FAIL  database: ${hidden}`);
    expect(await second.run(['move', '--to', 'DATABASE_URL'])).toMatchObject({ code: 0 });

    // Another database than that of the move would hide them, too.
    const empty = await emptyDatabase();
    const elsewhere = onPostgres(first, empty);
    const nameOf = (database: string) => `${new URL(database).pathname.slice(1)} at ${new URL(database).host}`;
    const lost = new RegExp(
      `were moved to the PostgreSQL database ${nameOf(url)} at \\S+, but the PostgreSQL database ${nameOf(empty)} has none\\. Correct DATABASE_URL`,
    );
    for (const words of [['serve'], ['user', 'list'], ['doctor']]) {
      const { code, output } = await elsewhere.run(words);
      expect([words, code, output.split('\n').filter((line) => lost.test(line)).length]).toEqual([words, 1, 1]);
    }
    expect((await second.run(['doctor'])).output).not.toContain('FAIL');

    const goesOn = async (server: ServerProcess, tool: number) => {
      expect((await server.client.get('/api/public_key')).text).toBe(key);
      const robot = await MqttTestClient.connect(server.mqtt, { username: ada.bot, password: ada.token });
      robot.client.end(true);
      const made = await server.client.post('/api/tools', { name: `Tool ${tool}` }, ada.token);
      expect(numberAt(made.json, 'id')).toBe(spade + tool);
      expect((await server.client.get('/api/tools', script)).status).toBe(200);
      expect((await fetch(new URL(photo, server.base))).status).toBe(200);
      expect((await signIn(server.client, ada.name, ada.email, ada.password)).userId).toBe(ada.userId);
      expect(await server.run(['user', 'list', '--json'])).toMatchObject({
        stdout: expect.stringContaining(ada.email),
      });
    };
    await second.start();
    await goesOn(second, 1);
    expect(second.logs()).not.toContain('are not used');
    const fromServed = await second.run(['move', '--to', first.dataDir]);
    expect([fromServed.code, fromServed.output]).toEqual([1, expect.stringContaining('in use')]);
    expect(await second.stop()).toBe(0);
    const again = await first.run(['move', '--to', url]);
    expect([again.code, again.output]).toEqual([1, expect.stringContaining('This database was moved to')]);
    expect((await first.run(['backup', join(first.folder, 'old.tar')])).output).toContain('This database was moved to');
    expect((await first.run(['update', '--check'])).output).toContain('This database was moved to');
    const refused = await first.run(['serve']);
    expect([refused.code, refused.output]).toEqual([1, expect.stringContaining('Set DATABASE_URL to that database')]);
    expect((await first.run(['doctor'])).output).toContain('FAIL  database: This database was moved to');
    expect(await second.run(['move', '--to', first.dataDir])).toMatchObject({ code: 0 });
    await first.start();
    await goesOn(first, 2);
    // What was there before is set aside.
    expect(await readdir(join(first.dataDir, 'copies'))).toEqual([expect.stringMatching(/^moved-\d+\.sqlite$/)]);
    await first.stop();
    const retired = await second.run(['serve']);
    expect(retired.output).toContain(
      'Unset DATABASE_URL, and set DATA_DIR to that folder, or empty this database with dropdb and createdb, and move the data back',
    );
    // Its database is the remedy, and no target for the accounts beside it.
    for (const { output } of [retired, await second.run(['doctor'])]) {
      expect(output).toContain('This database was moved to');
      expect(output).not.toContain('are not used');
    }
    expect((await first.run(['move', '--to', url])).output).toContain(
      'nothing was changed. If its data is not needed, empty it with dropdb and createdb.',
    );
  });

  it('refuses targets with data, and sources in use, and changes nothing', async () => {
    const server = await prepared();
    await server.run(['user', 'create', 'ada@example.com', '--password', 'password123']);
    const before = allRows(server.dataDir);
    const url = await emptyDatabase();
    const used = onPostgres(await prepared(), url);
    await used.run(['user', 'create', 'bob@example.com', '--password', 'password123']);
    expect(await server.run(['move', '--to', url])).toMatchObject({
      code: 1,
      output: expect.stringContaining('is not empty. Name an empty one; nothing was changed.'),
    });
    expect(await query(url, 'select email from users')).toEqual([['bob@example.com']]);
    const tablesOf = (database: string) =>
      query(database, 'select count(*) from pg_tables where schemaname = current_schema()');
    const foreign = await emptyDatabase();
    await query(foreign, 'create table photos (id int)');
    const older = (await createReleaseDatabase('postgres', server.folder)) ?? '';
    urls.push(older);
    for (const other of [foreign, older]) {
      const before = await tablesOf(other);
      expect((await server.run(['move', '--to', other])).output).toContain('is not empty. Name an empty one');
      expect(await tablesOf(other)).toEqual(before);
    }
    expect(await used.run(['move', '--to', server.dataDir])).toMatchObject({
      code: 1,
      output: expect.stringContaining('is not empty. Name an empty one; nothing was changed.'),
    });
    // A database that is used is not replaced, but accounts beside it are named.
    await cp(join(server.dataDir, 'potager.sqlite'), join(used.dataDir, 'potager.sqlite'));
    await used.start();
    expect(used.logs()).toContain('potager.sqlite are not used. Move them to that database');
    expect(
      await used.run(['move', '--to', join(used.folder, 'new'), '--data-dir', join(used.folder, 'files')]),
    ).toMatchObject({
      code: 1,
      output: expect.stringContaining(
        'Another process is connected to the database to be moved. Stop all servers on it',
      ),
    });
    await used.kill();
    const within = await used.run(['move', '--to', join(used.dataDir, 'new')]);
    expect([within.code, within.output]).toEqual([2, expect.stringContaining('--to must not be within')]);
    // The files of a link would be missing in the other folder.
    await mkdir(join(used.dataDir, 'photos'), { recursive: true });
    await symlink(used.folder, join(used.dataDir, 'photos', '7'));
    const linked = await used.run(['move', '--to', join(used.folder, 'new')]);
    expect([linked.code, linked.output]).toEqual([1, expect.stringContaining('photos/7 is not a regular file')]);
    expect(allRows(server.dataDir)).toEqual(before);
    const nowhere = await server.run(['move', '--to', url.replace(/[^/]*$/, 'missing')]);
    expect([nowhere.code, nowhere.output]).toEqual([
      1,
      expect.stringMatching(/^--to: .*"missing" does not exist.*Nothing was moved\.\n$/),
    ]);
    expect(await server.run(['move', '--to', join(server.folder, 'new')])).toMatchObject({
      code: 1,
      output: expect.stringContaining('The server is in a folder already'),
    });
    for (const target of ['mysql://localhost/garden', 'postgres:/localhost/garden', ''])
      expect([target, (await server.run(['move', '--to', target])).code]).toEqual([target, 2]);
    expect(await readdir(server.folder)).not.toContain('postgres:');
  });

  it('keeps servers from starting on the database that it moves', async () => {
    const url = await emptyDatabase();
    const server = onPostgres(await prepared(), url);
    expect((await server.run(['migrate'])).code).toBe(0);
    const waiting = "select count(*) from pg_locks where locktype = 'advisory' and not granted";
    const database = await openDatabase(url, server.folder, () => undefined);
    let start: Promise<unknown> = Promise.resolve();
    await database.transaction(null, async (session) => {
      await prepareSource({ session, dialect: database.dialect }, tables);
      start = server.runAlone(['serve'], { DATA_DIR: join(server.folder, 'another') });
      await expect.poll(() => query(url, waiting)).toEqual([['1']]);
      await markMoved(session, { folder: '/srv/garden' }, new Date().toISOString());
      return async () => undefined;
    });
    await database.close();
    expect(await start).toMatchObject({
      code: 1,
      output: expect.stringContaining('This database was moved to the folder /srv/garden'),
    });
  });

  it('loses nothing when it is killed at any moment', async () => {
    const server = await prepared();
    expect((await server.run(['migrate'])).code).toBe(0);
    fillTables(server.dataDir);
    fillLogs(server.dataDir, 30_000);
    const before = rowsOf(server.dataDir);
    const whole = new RegExp(`Moved the key and ${movedRows(before)} rows`);
    const killedAt = async (words: readonly string[], env: Record<string, string>, delay: number) => {
      const child = startProgram(
        process.execPath,
        [...shortLived, program, ...words],
        { cwd: server.folder, env },
        () => undefined,
      );
      const ended = once(child, 'close');
      await Promise.race([sleep(delay), ended]);
      child.kill('SIGKILL');
      await ended;
    };
    const isMarked = () => (allRows(server.dataDir).server_settings as unknown[][]).flat().includes('moved_to');
    const environment = { ...process.env, ...server.env } as Record<string, string>;

    const url = await emptyDatabase();
    const there = ['move', '--to', url];
    const total = await timeOf(async () => {
      const trial = await emptyDatabase();
      await cp(server.dataDir, join(server.folder, 'trial'), { recursive: true });
      const done = await server.runAlone(['move', '--to', trial, '--data-dir', 'trial']);
      expect(done).toMatchObject({ code: 0, output: expect.stringMatching(whole) });
    });
    let isMoved = false;
    for (let kill = 1; kill <= kills && !isMoved; kill++) {
      await killedAt(there, environment, (total * kill) / kills);
      isMoved = isMarked();
      // All or nothing, and the source is as before.
      const [[table] = []] = (await query(url, "select to_regclass('logs')")) as unknown[][];
      const [[count] = []] = (table === null ? [['0']] : await query(url, 'select count(*) from logs')) as unknown[][];
      expect(['0', '30003']).toContain(count);
      if (count === '0') expect(isMoved).toBe(false);
      expect(rowsOf(server.dataDir)).toEqual(before);
    }
    // PostgreSQL may not have noticed the end of the last one yet. Programs of their own: files of one that ended after a
    // process began are not swept by it.
    await expect.poll(async () => isMarked() || (await server.runAlone(there)).code === 0).toBe(true);

    const other = join(server.folder, 'other');
    const back = ['move', '--to', other];
    const onUrl = { ...environment, DATABASE_URL: url };
    const isBack = async () => (await query(url, `select 1 from server_settings where key = 'moved_to'`)).length > 0;
    for (let kill = 1; kill <= kills && !(await isBack()); kill++) {
      await killedAt(back, onUrl, (total * kill) / kills);
      if (existsSync(join(other, 'potager.sqlite'))) expect(rowsOf(other)).toEqual(before);
    }
    const run = async () => (await server.runAlone(back, { DATABASE_URL: url })).code === 0;
    await expect.poll(async () => (await isBack()) || run()).toBe(true);
    expect(rowsOf(other)).toEqual(before);
    expect((await readdir(other)).filter((name) => name.includes('partial'))).toEqual([]);
  });
});

/** How often each direction is killed. */
const kills = 5;

async function timeOf(run: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await run();
  return performance.now() - start;
}

/** Copies the first log of a filled database. */
function fillLogs(folder: string, count: number): void {
  const database = new Sqlite(join(folder, 'potager.sqlite'));
  const columns = Object.keys(logs.columns).filter((name) => name !== 'id');
  database.pragma('foreign_keys = off');
  database.exec(
    `with recursive n(i) as (select 100 union all select i + 1 from n where i < ${99 + count})
     insert into logs (id, ${columns.join(', ')}) select i, ${columns.join(', ')} from logs, n where logs.id = 1`,
  );
  database.close();
}
