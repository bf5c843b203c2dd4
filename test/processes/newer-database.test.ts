import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { version } from '../../src/core/version.ts';
import { column } from '../../src/db/columns.ts';
import { migrations } from '../../src/db/migrations/list.ts';
import type { Migration } from '../../src/db/migrator.ts';
import { migrate, oldestBeside } from '../../src/db/migrator.ts';
import { openDatabase } from '../../src/db/open.ts';
import { expansionOf } from '../../src/db/schema-editor.ts';
import type { Database } from '../../src/db/session.ts';
import { uniqueEmail } from '../support/accounts.ts';
import { describeEngines } from '../support/engines.ts';
import { prepareMigratedServer, type ServerProcess } from '../support/servers.ts';

const newest = migrations.at(-1)?.number ?? 0;
const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

const later: Migration = {
  number: 29990101000000,
  name: 'a-later-one',
  expand(schema) {
    schema.createTable('weathers', { summary: column.text() });
    schema.addColumn('users', 'nickname', column.text().nullable());
  },
};
const contraction = (compatibleFrom: string): Migration => ({
  number: 29990103000000,
  name: 'a-contraction',
  compatibleFrom,
  contract: (schema) => schema.dropColumn('tools', 'flow_rate_ml_per_s'),
});
const broken: Migration = {
  number: 29990102000000,
  name: 'a-broken-one',
  expand(schema) {
    schema.createTable('moods', { summary: column.text() });
    schema.createIndex('no_such_table', ['summary']);
  },
};
/** As the releases before 0.2.0 recorded them. */
const undeclared: Migration = { number: 29990104000000, name: 'an-undeclared-one', change: () => undefined };

describeEngines('a database of another version', (engine) => {
  let server: ServerProcess;
  const email = uniqueEmail('version');

  beforeEach(async () => {
    server = await prepareMigratedServer(engine);
    const created = await server.run(['user', 'create', email, '--name', 'Ada', '--password', 'password123']);
    expect(created).toMatchObject({ code: 0 });
  });
  afterEach(() => server.remove());

  async function inDatabase<T>(work: (database: Database) => Promise<T>): Promise<T> {
    const database = await openDatabase(server.env.DATABASE_URL ?? null, server.dataDir, () => undefined);
    try {
      return await work(database);
    } finally {
      await database.close();
    }
  }
  const run = (...added: Migration[]): Promise<string[]> =>
    inDatabase((database) =>
      migrate(database, [...migrations, ...added], {
        clock: systemClock,
        log: silent,
        copies: join(server.dataDir, 'copies'),
      }),
    );

  /** Reads the schema and the rows that the tests compare. */
  const contents = () =>
    inDatabase(async ({ reader, dialect }) => ({
      schema: await reader.query(
        dialect.name === 'sqlite'
          ? 'select type, name, sql from sqlite_schema order by type, name'
          : "select table_name, column_name, data_type from information_schema.columns where table_schema = 'public' order by 1, 2",
        [],
      ),
      migrations: await reader.query('select number, name from schema_migrations order by number', []),
      users: await reader.query('select * from users order by id', []),
    }));

  /** Lists the copies, without the files that SQLite adds when one is opened. */
  const copies = async (): Promise<string[]> =>
    (await readdir(join(server.dataDir, 'copies')).catch(() => [])).filter((name) => !/-(shm|wal)$/.test(name));

  it('is used if a newer version has only added to it', async () => {
    expect(await run(later)).toEqual(['a-later-one']);
    await server.start();
    expect(server.logs()).toContain('"migrations":["a-later-one"],"msg":"a newer version has added to the database"');
    const signedIn = await server.client.post('/api/tokens', { user: { email, password: 'password123' } });
    expect(signedIn.status).toBe(200);
    expect(await server.stop()).toBe(0);
    expect((await server.run(['update', '--check'])).stdout).toContain('The database is up to date');
    expect((await contents()).users).toHaveLength(1);
  });

  it.each([
    [
      'without the release that works with it',
      [later, undeclared],
      `${undeclared.number}. Run the newer version that applied them.`,
      [['serve'], ['migrate'], ['user', 'list'], ['update', '--check']],
    ],
    [
      'by the releases that it does not work with',
      [later, contraction('9.10.0')],
      `${contraction('').number}. Run version 9.10.0 or newer.`,
      [['migrate']],
    ],
  ])('is refused unchanged if it is newer %s', async (_what, added, advice, commands) => {
    await run(...added);
    const before = await contents();
    const filesBefore = await copies();
    for (const words of commands) {
      const { code, stdout, output } = await server.run(words);
      expect([words, code]).toEqual([words, 1]);
      expect(output).toContain(`The database has migrations that this version of Potager does not know: ${advice}`);
      expect(output).not.toMatch(/^ +at /m);
      expect(stdout).not.toContain(email);
    }
    const doctor = await server.run(['doctor']);
    expect(doctor).toMatchObject({ code: 1, stdout: expect.stringMatching(/^FAIL {2}database: .*newer/m) });
    expect(await contents()).toEqual(before);
    expect(await copies()).toEqual(filesBefore);
  });

  it('is used if only parts that earlier versions used were taken away', async () => {
    const names = await run(later, contraction(version));
    expect(names).toEqual(['a-later-one', 'a-contraction']);
    expect(await run()).toEqual([]);
  });

  it('is migrated if it is older, on SQLite after a copy', async () => {
    expect(await copies()).toEqual([]);
    const before = await contents();
    expect(await run(later)).toEqual(['a-later-one']);
    const after = await contents();
    expect(after.migrations).toEqual([...before.migrations, [later.number, later.name]]);
    expect(after.users).toHaveLength(1);
    expect(JSON.stringify(after.schema)).toContain('nickname');

    const created = await copies();
    if (engine === 'postgres') expect(created).toEqual([]);
    else {
      expect(created).toEqual([expect.stringMatching(/^before-29990101000000-\d+\.sqlite$/)]);
      const copy = new Sqlite(join(server.dataDir, 'copies', created[0] ?? ''), { readonly: true });
      expect(copy.prepare('pragma integrity_check').pluck().all()).toEqual(['ok']);
      expect(copy.prepare('select max(number) from schema_migrations').pluck().get()).toBe(newest);
      expect(copy.prepare('select name, email from users').all()).toEqual([{ name: 'Ada', email }]);
      expect(copy.prepare("select count(*) from sqlite_schema where name = 'weathers'").pluck().get()).toBe(0);
      copy.close();
    }

    // Nothing to migrate, hence no second copy.
    expect(await run(later)).toEqual([]);
    expect(await copies()).toEqual(created);
  });

  it('keeps the migrations before a failed one', async () => {
    await expect(run(later, broken)).rejects.toThrow();
    const { schema, migrations: done } = await contents();
    expect(done.at(-1)).toEqual([later.number, later.name]);
    expect(JSON.stringify(schema)).toContain('weathers');
    expect(JSON.stringify(schema)).not.toContain('moods');
  });
});

describe('the migrations', () => {
  const added = migrations.slice(migrations.findIndex(({ name }) => name === 'compatible versions') + 1);

  it('name since 0.2.0 the earlier releases that can run beside them', () => {
    for (const migration of added) {
      expect(migration, migration.name).not.toHaveProperty('change');
      // The removed parts were unused in a release already.
      if ('contract' in migration) expect(oldestBeside([migration, contraction(version)])).toBe(version);
      if ('contract' in migration) expect(migration.compatibleFrom, migration.name).not.toBe(version);
    }
  });

  it('only add, as expansions', () => {
    const calls: string[] = [];
    const expansion = expansionOf({
      createTable: (table) => calls.push(table),
      addColumn: (table, name) => calls.push(`${table}.${name}`),
      createIndex: (table, columns, unique) => calls.push(`${table} (${columns})${unique ? ' unique' : ''}`),
    });
    expansion.createTable('moods', { parent_id: column.bigint().references('moods', 'no action') });
    expansion.addColumn('tools', 'note', column.text().nullable());
    expansion.createIndex('tools', ['note']);
    // Earlier versions leave the column null.
    expansion.createIndex('tools', ['device_id', 'note'], true);
    expect(() => expansion.createIndex('tools', ['device_id', 'name'], true)).toThrow(
      'a unique index of tools could refuse rows of earlier versions',
    );
    expect(() => expansion.addColumn('tools', 'color', column.text())).toThrow('tools.color must be nullable');
    expansion.addColumn('tools', 'kind', column.text().default('steel'));
    expect(() => expansion.createIndex('tools', ['device_id', 'kind'], true)).toThrow('could refuse rows');
    const kept = { tool_id: column.bigint().references('tools', 'no action') };
    expect(() => expansion.createTable('uses', kept)).toThrow('uses.tool_id would keep earlier versions from deleting');
    expect(calls).toEqual(['moods', 'tools.note', 'tools (note)', 'tools (device_id,note) unique', 'tools.kind']);
  });

  it('name the oldest release that can run', () => {
    expect(oldestBeside([later])).toBe('0.2.0');
    expect(oldestBeside([later, contraction('0.10.0'), contraction('0.9.1')])).toBe('0.10.0');
    expect(oldestBeside([later, undeclared])).toBeNull();
  });
});
