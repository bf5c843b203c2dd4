import { rm } from 'node:fs/promises';
import type { Clock } from '../core/clock.ts';
import { currentTimestamp } from '../core/clock.ts';
import type { Logger } from '../core/logger.ts';
import type { DialectSql, SchemaChange } from './schema-editor.ts';
import { forDialect, SchemaEditor } from './schema-editor.ts';
import type { Database, Reader } from './session.ts';
import { quoteName, sql } from './sql.ts';

/** An update of many rows. If it is interrupted, it starts over: repeating it must give the same result. */
export interface Backfill {
  readonly table: string;
  /** The assignments of an `update` statement. */
  readonly set: DialectSql;
  /** A condition on the rows to update. */
  readonly where?: DialectSql;
  /** Rows per transaction. */
  readonly batchSize?: number;
}

/** A step of the schema's history; the number is a 14-digit time. Never change a released migration. */
export type Migration = { readonly number: number; readonly name: string } & (
  | {
      /** Runs in one transaction. */
      change(schema: SchemaChange): void;
    }
  | {
      /** Runs in a transaction per batch. */
      readonly backfill: Backfill;
    }
);

const defaultBatchSize = 10_000;

/** The database has migrations that this program does not know. */
export class NewerDatabaseError extends Error {
  constructor(unknown: readonly number[]) {
    super(
      `The database has migrations that this version of Potager does not know: ${unknown.join(', ')}. Run the newer version that applied them.`,
    );
    this.name = 'NewerDatabaseError';
  }
}

/**
 * Applies all migrations that the database does not have yet, in ascending order, even those older than the newest applied
 * one (ADR 19). Returns their names. Throws {@link NewerDatabaseError}.
 */
export async function migrate(
  database: Database,
  migrations: readonly Migration[],
  options: { clock: Clock; log: Logger; copies: string },
): Promise<string[]> {
  const { clock, log } = options;
  assertAscending(migrations);
  return database.withMigrationLock(async () => {
    const { columnType, tableSuffix } = database.dialect;
    await database.script([
      `create table if not exists schema_migrations (number ${columnType('bigint')} primary key, name text not null, applied_at ${columnType('time')} not null)${tableSuffix}`,
    ]);
    const pending = await pendingMigrations(database, migrations);
    const [first] = pending;
    let copy: string | null = null;
    if (first && pending.length < migrations.length) {
      copy = await database.copy(options.copies, `before-${first.number}-${clock.now()}.sqlite`);
      if (copy) log.info({ copy }, 'copied the database before its migration');
    }
    const names: string[] = [];
    for (const migration of pending) {
      try {
        if (!(await apply(database, migration, clock))) continue;
      } catch (error) {
        // Nothing has changed: the copies of a service that restarts again and again would fill the disk.
        if (copy && migration === first && 'change' in migration) await rm(copy, { force: true });
        throw error;
      }
      names.push(migration.name);
      // A new database gets one line in all.
      const level = pending.length === migrations.length ? 'debug' : 'info';
      log[level]({ migration: migration.name, number: migration.number }, 'applied a migration');
    }
    if (first && pending.length === migrations.length) log.info({}, 'created the database');
    return names;
  });
}

function assertAscending(migrations: readonly Migration[]): void {
  for (const [index, { number, name }] of migrations.entries()) {
    const before = migrations[index - 1];
    if (before && before.number >= number)
      throw new Error(`migration ${number} (${name}) must have a greater number than ${before.number} before it`);
  }
}

/** Returns false if another process has applied the migration concurrently. */
async function apply(database: Database, migration: Migration, clock: Clock): Promise<boolean> {
  if ('backfill' in migration) await runBackfill(database, migration.backfill);
  return database.migration(async (session) => {
    if ((await appliedMigrations(session)).includes(migration.number)) return false;
    if ('change' in migration) {
      const editor = new SchemaEditor(database.dialect);
      migration.change(editor);
      await editor.run(session);
    }
    const insert = database.dialect.compile(
      sql`insert into schema_migrations (number, name, applied_at) values (${migration.number}, ${migration.name}, ${currentTimestamp(clock)})`,
    );
    await session.query(insert.sql, insert.parameters, false);
    return true;
  });
}

/** Updates the rows in batches of ascending ids. */
async function runBackfill(database: Database, backfill: Backfill): Promise<void> {
  const { dialect } = database;
  const { batchSize = defaultBatchSize, set, where = '1 = 1' } = backfill;
  const table = quoteName(backfill.table);
  const [assignments, condition] = [forDialect(set, dialect.name), forDialect(where, dialect.name)];
  const batch = (after: number, through: number) =>
    `update ${table} set ${assignments} where id > ${after} and id <= ${through} and (${condition})`;
  for (let after = 0; ; ) {
    const next = `select max(id) from (select id from ${table} where id > ${after} order by id limit ${batchSize}) ids`;
    const [[last] = []] = await database.reader.query(next, [], false);
    if (last === null || last === undefined) return;
    const through = Number(last);
    await database.transaction(null, async (session) => {
      for (const statement of [...dialect.withoutTimeouts, batch(after, through)])
        await session.query(statement, [], false);
      return async () => undefined;
    });
    after = through;
  }
}

/** Finds the table of the applied migrations. */
const findTable: DialectSql = {
  sqlite: "select 1 from sqlite_schema where name = 'schema_migrations'",
  postgres: "select 1 where to_regclass('schema_migrations') is not null",
};

/** Returns the migrations that the database does not have yet, which are all if it is empty. Throws {@link NewerDatabaseError}. */
export async function pendingMigrations(
  { reader, dialect }: Pick<Database, 'reader' | 'dialect'>,
  migrations: readonly Migration[],
): Promise<Migration[]> {
  const isNew = (await reader.query(forDialect(findTable, dialect.name), [], false)).length === 0;
  const applied = isNew ? [] : await appliedMigrations(reader);
  const unknown = applied.filter((number) => !migrations.some((migration) => migration.number === number));
  if (unknown.length > 0) throw new NewerDatabaseError(unknown);
  return migrations.filter(({ number }) => !applied.includes(number));
}

/** Reads the numbers of the applied migrations, in ascending order. */
async function appliedMigrations(session: Reader): Promise<number[]> {
  const rows = await session.query('select number from schema_migrations order by number', [], false);
  return rows.map(([number]) => Number(number));
}
