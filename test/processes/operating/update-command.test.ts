import { copyFile, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { migrations } from '../../../src/db/migrations/list.ts';
import { databasePath, openDatabase } from '../../../src/db/open.ts';
import { createReleaseDatabase } from '../../support/earlier-release.ts';
import { describeEngines } from '../../support/engines.ts';
import { createTempFolder, prepareServer, ServerProcess } from '../../support/servers.ts';

const { version } = JSON.parse(await readFile(new URL('../../../package.json', import.meta.url), 'utf8'));
const header = `This is Potager ${version} with Node.js ${process.versions.node}.\n`;
const [first, ...later] = migrations;
const next = later[0]?.number;
const upToDate = `${header}The database is up to date: this version changes nothing in it, and no copy was made.
The version that has used it so far can be started again at any time.
`;

describeEngines('update --check', (engine) => {
  let server: ServerProcess;
  afterEach(() => server.remove());

  it('says that a new database will be created, and creates none', async () => {
    server = await prepareServer(engine);
    const where = engine === 'sqlite' ? server.dataDir : 'DATABASE_URL';
    expect(await server.run(['update', '--check'])).toMatchObject({
      code: 0,
      output: `${header}There is no database in ${where} yet: the first start creates it.\n`,
    });
    if (engine === 'sqlite') await expect(stat(databasePath(server.dataDir))).rejects.toThrow();
  });

  it('changes nothing in a database that is up to date', async () => {
    server = await prepareServer(engine);
    await server.run(['migrate']);
    expect(await server.run(['update', '--check'])).toMatchObject({ code: 0, output: upToDate });
    expect(await readdir(server.dataDir).catch(() => [])).not.toContain('copies');
  });

  it('says which versions need no way back', async () => {
    server = await prepareServer(engine);
    await server.run(['migrate']);
    const database = await openDatabase(server.env.DATABASE_URL ?? null, server.dataDir, () => undefined);
    await database.transaction(null, async (session) => {
      await session.query(`delete from schema_migrations where number = ${migrations.at(-1)?.number}`, [], false);
      return async () => undefined;
    });
    await database.close();
    expect((await server.run(['update', '--check'])).output).toMatch(
      /\nVersions from \S+ on can be started again at any time\.\nOnce this version has started, those before refuse the database\.\nTo go back to one of those: stop /,
    );
  });
});

describeEngines('update --check with a database of release 0.1.0', (engine) => {
  let server: ServerProcess;
  beforeEach(async () => {
    const folder = await createTempFolder();
    const dataDir = join(folder, 'data');
    await mkdir(dataDir);
    const url = await createReleaseDatabase(engine, dataDir);
    server = new ServerProcess(folder, 0, url === null ? {} : { DATABASE_URL: url });
  });
  afterEach(() => server.remove());

  /** Reads the names of the applied migrations and the number of users. */
  const contents = async () => {
    const database = await openDatabase(server.env.DATABASE_URL ?? null, server.dataDir, () => undefined);
    const applied = await database.reader.query('select name from schema_migrations order by number', []);
    const [[users] = []] = await database.reader.query('select count(*) from users', []);
    await database.close();
    return { applied: applied.flat(), users: Number(users) };
  };
  const list = `The next start migrates the database (${later.length}):\n${later.map(({ number, name }) => `  ${number} ${name}\n`).join('')}`;

  it('lists the migrations, copies an SQLite database, and explains the way back', async () => {
    const before = await contents();
    expect(before.applied).toEqual([first?.name]);
    const check = () => server.run(['update', '--check']);
    const result = await check();
    expect(result.code).toBe(0);
    expect(result.output.startsWith(`${header}${list}`)).toBe(true);
    const text = result.output.slice(header.length + list.length);
    expect(await contents()).toEqual(before);
    if (engine === 'postgres') {
      expect(text).toBe(`Back it up before, because Potager does not copy PostgreSQL databases:
  pg_dump --format=custom --file=before-${next}.dump "$DATABASE_URL"
Stop all processes on it before the start: none of an earlier version can use it then.
Once this version has started, earlier ones refuse the database.
To go back: stop all servers, restore the dump into an empty database (pg_restore --exit-on-error --no-owner --dbname="$DATABASE_URL" FILE), and start the earlier version. Changes since the dump are lost.
`);
      return;
    }
    const copy = join(server.dataDir, 'copies', `before-${next}-check.sqlite`);
    const path = databasePath(server.dataDir);
    expect(text).toBe(`The database was copied to ${copy}. Migrations do not change photos and keys.
Once this version has started, earlier ones refuse the database.
To go back: stop the server, delete potager.sqlite, potager.sqlite-wal and potager.sqlite-shm in ${server.dataDir}, copy ${copy} to ${path}, and start the earlier version. Changes since the copy are lost.
`);
    expect((await stat(copy)).mode & 0o777).toBe(0o600);
    await check();
    expect(await readdir(join(server.dataDir, 'copies'))).toEqual([`before-${next}-check.sqlite`]);

    expect((await server.run(['migrate'])).code).toBe(0);
    expect((await check()).output).toBe(upToDate);
    for (const end of ['', '-wal', '-shm']) await rm(`${path}${end}`, { force: true });
    await copyFile(copy, path);
    expect(await contents()).toEqual(before);
  });

  it('names the server that uses the folder', async () => {
    await writeFile(join(server.dataDir, 'serve.lock'), `${process.pid}\n`);
    const { code, output } = await server.run(['update', '--check']);
    expect(code).toBe(0);
    expect(output).toContain(
      `Process ${process.pid} is serving ${server.dataDir}: stop it before you start another version.\n${list}`,
    );
  });

  it('fails when the database cannot be read', async () => {
    if (engine === 'sqlite') await writeFile(databasePath(server.dataDir), 'x'.repeat(8192));
    const url = engine === 'postgres' ? { DATABASE_URL: 'postgres://potager:s3cret@127.0.0.1:1/potager' } : {};
    const result = await server.run(['update', '--check'], url);
    expect(result).toMatchObject({ code: 1, stdout: '' });
    expect(result.output).toMatch(engine === 'sqlite' ? /potager\.sqlite|damaged/ : /DATABASE_URL/);
    expect(result.output).not.toMatch(/s3cret|^ +at /m);
    expect(await readdir(server.dataDir)).not.toContain('copies');
  });

  it('refuses to copy an SQLite database while the disk is almost full', async () => {
    const result = await server.run(['update', '--check'], { MIN_FREE_BYTES: '999999999999999' });
    if (engine === 'postgres') expect(result.code).toBe(0);
    else expect(result).toMatchObject({ code: 1, output: expect.stringContaining('of free space') });
  });
});

describeEngines('update', (engine) => {
  it('explains the update, and does nothing', async () => {
    const server = await prepareServer(engine);
    const { code, output } = await server.run(['update']);
    expect(code).toBe(0);
    expect(output).toMatch(/npm install -g .*\n.*git pull && npm ci\n.*image/);
    await expect(stat(server.dataDir)).rejects.toThrow();
    await server.remove();
  });
});
