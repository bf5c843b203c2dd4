import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock, timestamp } from '../../src/core/clock.ts';
import { column } from '../../src/db/columns.ts';
import { migrations } from '../../src/db/migrations/list.ts';
import type { Migration } from '../../src/db/migrator.ts';
import { migrate, NewerDatabaseError, pendingMigrations } from '../../src/db/migrator.ts';
import { openPostgres } from '../../src/db/postgres.ts';
import type { SchemaChange } from '../../src/db/schema-editor.ts';
import type { Database } from '../../src/db/session.ts';
import { openSqlite } from '../../src/db/sqlite.ts';
import { dumpSchema, readTable } from '../support/database-schema.ts';
import { createDatabase, dropDatabase } from '../support/databases.ts';
import { describeEngines, itAnyEngine } from '../support/engines.ts';

const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const times = `'2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'`;

const step = (number: number, change: (schema: SchemaChange) => void): Migration => ({
  number,
  name: `step ${number}`,
  change(schema) {
    // As the migration of that name does, before any back-fill.
    if (number === 1) schema.addColumn('schema_migrations', 'compatible_from', column.text().nullable());
    change(schema);
  },
});

const beds = step(1, (schema) => {
  schema.createTable('gardens', { name: column.text() });
  schema.createTable(
    'beds',
    {
      garden_id: column.bigint().references('gardens'),
      name: column.text(),
      is_raised: column.boolean(),
      note: column.text().nullable(),
      parent_id: column.bigint().nullable().references('beds', 'set null'),
    },
    { unique: [['garden_id', 'name']], indexes: [['note'], ['parent_id']] },
  );
  schema.createTable('plants', { bed_id: column.bigint().references('beds'), name: column.text() });
  schema.execute(`insert into gardens (created_at, updated_at, name) values (${times}, 'Home')`);
  for (const [name, note, parent] of [
    ['north', `'cold'`, 'null'],
    ['south', 'null', '1'],
    ['last', 'null', '1'],
  ])
    schema.execute(
      `insert into beds (created_at, updated_at, garden_id, name, is_raised, note, parent_id) values (${times}, 1, '${name}', true, ${note}, ${parent})`,
    );
  schema.execute(`insert into plants (created_at, updated_at, bed_id, name) values (${times}, 2, 'Leek')`);
  schema.execute('delete from beds where id = 3');
});

describeEngines('migrations', (engine) => {
  let folder: string;
  let url: string | null;
  let database: Database;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'potager-migrations-'));
    url = engine === 'postgres' ? await createDatabase() : null;
    database = url ? openPostgres(url, () => undefined) : openSqlite(join(folder, 'potager.sqlite'));
  });

  afterEach(async () => {
    await database.close();
    if (url) await dropDatabase(url);
    rmSync(folder, { recursive: true });
  });

  const run = (...list: Migration[]) =>
    migrate(database, list, { clock: systemClock, log: silent, copies: join(folder, 'copies') });
  const query = async (text: string) => database.reader.query(text, [], false);
  const write = (text: string) =>
    database.transaction(null, async (session) => {
      await session.query(text, [], false);
      return async () => undefined;
    });

  describe('are applied as a set', () => {
    const [one, two, three] = [1, 2, 3].map((number) =>
      step(number, (schema) => schema.createTable(`table_${number}`, { name: column.text() })),
    ) as [Migration, Migration, Migration];

    it('applies a migration that is older than the newest applied one', async () => {
      expect(await run(one, three)).toEqual(['step 1', 'step 3']);
      expect(await pendingMigrations(database, [one, two, three])).toEqual([two]);
      expect(await run(one, two, three)).toEqual(['step 2']);
      expect(await query('select number, name from schema_migrations order by number')).toEqual([
        [1, 'step 1'],
        [2, 'step 2'],
        [3, 'step 3'],
      ]);
      expect(await query('select count(*) from table_2')).toEqual([[0]]);
      expect(await run(one, two, three)).toEqual([]);
    });

    it('refuses a database with a migration that the program does not know, even an older one', async () => {
      await run(one, two, three);
      const start = run(one, three);
      await expect(start).rejects.toBeInstanceOf(NewerDatabaseError);
      await expect(start).rejects.toThrow('does not know: 2. Run the newer version');
    });

    it('refuses a list that does not ascend or has a number twice', async () => {
      await expect(run(two, one)).rejects.toThrow('migration 1 (step 1) must have a greater number than 2');
      await expect(run(one, two, two)).rejects.toThrow('migration 2 (step 2) must have a greater number than 2');
      await expect(query('select * from schema_migrations')).rejects.toThrow();
    });

    it('applies each once when several processes start together', async () => {
      const other = url ? openPostgres(url, () => undefined) : openSqlite(join(folder, 'potager.sqlite'));
      const options = { clock: systemClock, log: silent, copies: join(folder, 'copies') };
      const names = await Promise.all([run(one, two, three), migrate(other, [one, two, three], options)]);
      expect(names.flat().sort()).toEqual(['step 1', 'step 2', 'step 3']);
      await other.close();
    });
  });

  describe('change the schema', () => {
    const ids = () => query('select id from beds order by id');

    it('drop a column with its indexes and keep everything else', async () => {
      await run(beds);
      const before = await readTable(database, 'beds');
      await run(
        beds,
        step(2, (schema) => schema.dropColumn('beds', 'note')),
        step(3, (schema) => schema.dropColumn('beds', 'parent_id')),
      );
      const { note: _note, parent_id: _parent, ...columns } = before.columns;
      expect(await readTable(database, 'beds')).toEqual({
        columns,
        foreignKeys: ['garden_id → gardens cascade'],
        indexes: ['key garden_id,name'],
      });
      expect(await query('select id, garden_id, name from beds order by id')).toEqual([
        [1, 1, 'north'],
        [2, 1, 'south'],
      ]);
      expect(await query('select bed_id, name from plants')).toEqual([[2, 'Leek']]);
    });

    it('keep foreign keys, checks and used ids when a table is rebuilt', async () => {
      await run(
        beds,
        step(2, (schema) => schema.setNullable('beds', 'name', true)),
        step(3, (schema) => schema.setNullable('beds', 'is_raised', true)),
      );
      await write(`insert into beds (created_at, updated_at, garden_id) values (${times}, 1)`);
      expect(await ids()).toEqual([[1], [2], [4]]);
      if (engine === 'sqlite')
        expect(await query(`select strict from pragma_table_list where name = 'beds'`)).toEqual([[1]]);
      await expect(write(`insert into beds (created_at, updated_at, garden_id) values (${times}, 9)`)).rejects.toThrow(
        'does not exist',
      );
      await expect(
        write(`insert into plants (created_at, updated_at, bed_id, name) values (${times}, 9, 'Beet')`),
      ).rejects.toThrow('does not exist');
      await expect(
        write(`insert into beds (created_at, updated_at, garden_id, is_raised) values (${times}, 1, 2)`),
      ).rejects.toThrow();
      await write('delete from beds where id = 1');
      expect(await query('select id, parent_id from beds order by id')).toEqual([
        [2, null],
        [4, null],
      ]);
      await write('delete from gardens');
      expect(await query('select count(*) from plants')).toEqual([[0]]);
    });

    it('make a column nullable and required again', async () => {
      await run(beds);
      const before = await dumpSchema(database);
      const nullable = step(2, (schema) => schema.setNullable('beds', 'name', true));
      await run(beds, nullable);
      expect((await readTable(database, 'beds')).columns.name?.nullable).toBe(true);
      await run(
        beds,
        nullable,
        step(3, (schema) => schema.setNullable('beds', 'name', false)),
      );
      expect(await dumpSchema(database)).toBe(before);
    });

    it('fail for a column that does not exist', async () => {
      await run(beds);
      await expect(
        run(
          beds,
          step(2, (schema) => schema.dropColumn('beds', 'depth')),
        ),
      ).rejects.toThrow('depth');
      await expect(
        run(
          beds,
          step(2, (schema) => schema.setNullable('beds', 'depth', true)),
        ),
      ).rejects.toThrow('depth');
      await expect(
        run(
          beds,
          step(2, (schema) => schema.renameColumn('beds', 'depth', 'x')),
        ),
      ).rejects.toThrow('depth');
    });

    it('do not require a column that has nulls', async () => {
      await run(beds);
      const before = await dumpSchema(database);
      const required = step(2, (schema) => {
        schema.addColumn('beds', 'width', column.float().nullable());
        schema.setNullable('beds', 'note', false);
      });
      await expect(run(beds, required)).rejects.toThrow();
      expect(await dumpSchema(database)).toBe(before);
      expect(await query('select max(number) from schema_migrations')).toEqual([[1]]);
    });

    it('give a new column its default in rows of before and of earlier versions, also after a rebuild', async () => {
      const defaults = step(2, (schema) => {
        schema.addColumn('beds', 'is_full', column.boolean().default(true));
        schema.addColumn('beds', 'color', column.text().default("it's, (green)"));
        schema.addColumn('beds', 'width', column.float().default(-1.5));
        schema.addColumn('beds', 'rows', column.bigint().nullable().default(12));
        schema.addColumn('beds', 'meta', column.json<object>().default({ a: ["'"] }));
        schema.addColumn('beds', 'dug_at', column.time().default(timestamp(0)));
      });
      await run(
        beds,
        defaults,
        step(3, (schema) => schema.setNullable('beds', 'is_raised', true)),
      );
      await write(`insert into beds (created_at, updated_at, garden_id, name) values (${times}, 1, 'east')`);
      const rows = await query('select is_full, color, width, rows, meta, dug_at from beds');
      expect(rows).toHaveLength(3);
      for (const [isFull, color, width, count, meta, dugAt] of rows) {
        expect([Boolean(isFull), color, width, Number(count)]).toEqual([true, "it's, (green)", -1.5, 12]);
        expect(String(typeof meta === 'string' ? meta : JSON.stringify(meta))).toBe(`{"a":["'"]}`);
        expect(new Date(String(dugAt)).getTime()).toBe(0);
      }
      expect(await readTable(database, 'beds')).toMatchObject({
        columns: { is_full: { nullable: false }, rows: { nullable: true } },
      });
    });

    it('rename a column and its indexes', async () => {
      await run(
        beds,
        step(2, (schema) => schema.renameColumn('beds', 'note', 'remark')),
        step(3, (schema) => schema.renameColumn('beds', 'garden_id', 'place_id')),
        step(4, (schema) => schema.dropIndex('beds', ['remark'])),
        step(5, (schema) => schema.dropIndex('beds', ['place_id', 'name'], true)),
        step(6, (schema) => schema.createIndex('beds', ['place_id'])),
      );
      expect(await readTable(database, 'beds')).toMatchObject({
        columns: { remark: { nullable: true } },
        foreignKeys: ['parent_id → beds set null', 'place_id → gardens cascade'],
        indexes: ['index parent_id', 'index place_id'],
      });
      expect(await query('select place_id, remark from beds where id = 1')).toEqual([[1, 'cold']]);
    });

    it('drop a table, unless another one refers to it', async () => {
      await run(
        beds,
        step(2, (schema) => schema.dropTable('plants')),
      );
      await expect(query('select * from plants')).rejects.toThrow();
      // Without rows that refer to it, only the schema shows it.
      await write('delete from beds');
      const drop = step(3, (schema) => schema.dropTable('gardens'));
      await expect(
        run(
          beds,
          step(2, () => undefined),
          drop,
        ),
      ).rejects.toThrow('gardens');
      expect(await query('select count(*) from gardens')).toEqual([[1]]);
    });

    it('quote every name', async () => {
      const named = step(1, (schema) => {
        schema.createTable('group', { order: column.boolean(), select: column.text().nullable() });
        schema.createTable(
          'user',
          { table: column.bigint().references('group'), all: column.text().nullable() },
          { unique: [['table', 'all']], indexes: [['table']] },
        );
        schema.addColumn('user', 'from', column.boolean().nullable());
        schema.addColumn('user', 'to', column.bigint().nullable().references('user', 'set null'));
        schema.execute(`insert into "group" (created_at, updated_at, "order") values (${times}, true)`);
        schema.execute(`insert into "user" (created_at, updated_at, "table", "from") values (${times}, 1, false)`);
      });
      await run(
        named,
        step(2, (schema) => {
          schema.renameColumn('user', 'all', 'where');
          schema.setNullable('group', 'order', true);
          schema.dropColumn('group', 'select');
          schema.dropIndex('user', ['table']);
          schema.createIndex('user', ['where', 'from']);
        }),
        { number: 3, name: 'where', backfill: { table: 'user', set: `"where" = 'here'` } },
      );
      expect(await readTable(database, 'user')).toMatchObject({
        foreignKeys: ['table → group cascade', 'to → user set null'],
        indexes: ['index where,from', 'key table,where'],
      });
      expect(Object.keys((await readTable(database, 'group')).columns)).toEqual([
        'id',
        'created_at',
        'updated_at',
        'order',
      ]);
      expect(await query('select count("order") from "group"')).toEqual([[1]]);
      expect(await query('select "table", "where" from "user"')).toEqual([[1, 'here']]);
    });

    it('run SQL of one engine, whose dangling references are an error', async () => {
      const perEngine = { sqlite: `update beds set note = 'file'`, postgres: `update beds set note = 'server'` };
      await run(
        beds,
        step(2, (schema) => schema.execute(perEngine)),
      );
      const note = engine === 'sqlite' ? 'file' : 'server';
      expect(await query('select note from beds order by id')).toEqual([[note], [note]]);
      const dangling = step(3, (schema) => schema.execute('update plants set bed_id = 77'));
      await expect(
        run(
          beds,
          step(2, () => undefined),
          dangling,
        ),
      ).rejects.toThrow();
      expect(await query('select bed_id from plants')).toEqual([[2]]);
    });
  });

  describe('back-fill', () => {
    const count = 25;
    const rows = step(2, (schema) => {
      schema.addColumn('plants', 'label', column.text().nullable());
      // Not stored in the order of their ids.
      for (let n = count - 1; n >= 0; n--)
        schema.execute(
          `insert into plants (id, created_at, updated_at, bed_id, name) values (${n + 2}, ${times}, 2, 'P${n}')`,
        );
    });
    const backfill = (where?: string): Migration => ({
      number: 3,
      name: 'labels',
      backfill: {
        table: 'plants',
        // A row that is updated twice shows it.
        set: { sqlite: `label = coalesce(label, '') || name || '!'`, postgres: `label = concat(label, name, '!')` },
        batchSize: 10,
        ...(where && { where }),
      },
    });
    const labels = async () => (await query('select label from plants order by id')).flat();

    it('updates all rows, a transaction per batch', async () => {
      await run(beds, rows);
      const transactions: number[] = [];
      const original = database.transaction.bind(database);
      database.transaction = (deviceId, work) =>
        original(deviceId, async (session) => {
          const result = await work(session);
          const [[done] = []] = await session.query('select count(label) from plants', [], false);
          transactions.push(Number(done));
          return result;
        });
      expect(await run(beds, rows, backfill())).toEqual(['labels']);
      expect(transactions.slice(0, 3)).toEqual([10, 20, count + 1]);
      expect(await labels()).toEqual(['Leek!', ...Array.from({ length: count }, (_, n) => `P${n}!`)]);
    });

    it('updates only the rows of its condition and is not repeated', async () => {
      await run(beds, rows, backfill(`name = 'P3' or name = 'P24'`));
      expect((await labels()).filter(Boolean)).toEqual(['P3!', 'P24!']);
      await write('update plants set label = null');
      expect(await run(beds, rows, backfill())).toEqual([]);
      expect((await labels()).filter(Boolean)).toEqual([]);
    });

    it('starts over after an interruption', async () => {
      await run(beds, rows);
      const original = database.transaction.bind(database);
      let batches = 0;
      database.transaction = (deviceId, work) => {
        if (++batches === 2) throw new Error('killed');
        return original(deviceId, work);
      };
      await expect(run(beds, rows, backfill())).rejects.toThrow('killed');
      expect((await labels()).filter(Boolean)).toHaveLength(10);
      expect(await run(beds, rows, backfill())).toEqual(['labels']);
      expect((await labels()).filter(Boolean)).toHaveLength(count + 1);
    });
  });

  if (engine === 'postgres')
    it('have no timeouts, unlike requests', async () => {
      const timeouts = `current_setting('statement_timeout') || ' ' || current_setting('idle_in_transaction_session_timeout')`;
      const labels = step(2, (schema) => {
        schema.addColumn('plants', 'label', column.text().nullable());
        schema.execute(`update plants set name = ${timeouts}`);
      });
      await run(beds, labels, { number: 3, name: 'labels', backfill: { table: 'plants', set: `label = ${timeouts}` } });
      expect(await query('select name, label from plants')).toEqual([['0 0', '0 0']]);
      expect(await query(`select ${timeouts}`)).toEqual([['20s 10s']]);
    });

  if (engine === 'postgres')
    it('let others write while they wait for a reader', async () => {
      await run(beds);
      const label: Migration = {
        number: 2,
        name: 'label',
        expand: (schema) => schema.addColumn('plants', 'label', column.text().nullable()),
      };
      const reader = new pg.Client({ connectionString: url ?? '' });
      await reader.connect();
      await reader.query('begin; select * from plants');
      let isApplied = false;
      const warnings: unknown[] = [];
      const log = { ...silent, warn: (object: object) => warnings.push(object) };
      const migrated = migrate(database, [beds, label], { clock: systemClock, log, copies: folder }).finally(() => {
        isApplied = true;
      });
      try {
        const waiting = 'select 1 from pg_locks where not granted and relation is not null';
        await vi.waitUntil(async () => (await query(waiting)).length > 0, { timeout: 60_000, interval: 10 });
        await write(`insert into plants (created_at, updated_at, bed_id, name) values (${times}, 2, 'Beet')`);
        expect(isApplied).toBe(false);
        await vi.waitUntil(() => warnings.length > 0, { timeout: 60_000, interval: 10 });
      } finally {
        await reader.end();
      }
      expect(await migrated).toEqual(['label']);
      expect(warnings[0]).toEqual({ migration: 'label' });
      expect(await query('select name, label from plants order by id')).toEqual([
        ['Leek', null],
        ['Beet', null],
      ]);
    });

  it('copy an SQLite database before they change it, not before they create it', async () => {
    await run(beds);
    const copies = () =>
      readdirSync(folder, { recursive: true }).filter((name) => /before-\d+-\d+\.sqlite$/.test(String(name)));
    expect(copies()).toEqual([]);
    await run(
      beds,
      step(2, (schema) => schema.dropTable('plants')),
    );
    expect(copies()).toHaveLength(engine === 'sqlite' ? 1 : 0);
    for (const copy of copies()) {
      const before = openSqlite(join(folder, String(copy)));
      expect(await before.reader.query('select name from plants', [])).toEqual([['Leek']]);
      await before.close();
    }
  });

  it('leave a copy only if something may have changed, and no part of one', async () => {
    await run(beds);
    const copies = () => (existsSync(join(folder, 'copies')) ? readdirSync(join(folder, 'copies')) : []);
    const failing = step(2, (schema) => schema.dropTable('nothing'));
    await expect(run(beds, failing)).rejects.toThrow();
    expect(copies()).toEqual([]);
    const dropped = step(2, (schema) => schema.dropTable('plants'));
    const failingLater = step(3, (schema) => schema.dropTable('nothing'));
    await expect(run(beds, dropped, failingLater)).rejects.toThrow();
    expect(copies()).toEqual(engine === 'sqlite' ? [expect.stringMatching(/^before-2-\d+\.sqlite$/)] : []);
  });
});

itAnyEngine('numbers of migrations are 14-digit times in ascending order', () => {
  const numbers = migrations.map(({ number }) => number);
  expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
  for (const number of numbers) expect(String(number)).toMatch(/^20\d{12}$/);
});

itAnyEngine(
  'every file of migrations is named after the number of its first one, and its migrations are in the list',
  async () => {
    const folder = join(import.meta.dirname, '../../src/db/migrations');
    const files = readdirSync(folder).filter((name) => name !== 'list.ts');
    const inFiles = await Promise.all(
      files.map(async (name) => {
        const found = Object.values<Migration>(await import(join(folder, name)));
        expect(name).toMatch(new RegExp(`^${found[0]?.number}-[a-z0-9-]+\\.ts$`));
        return found;
      }),
    );
    expect(inFiles.flat()).toEqual(migrations);
  },
);
