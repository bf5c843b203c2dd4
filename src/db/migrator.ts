import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../core/clock.ts';
import { currentTimestamp } from '../core/clock.ts';
import type { Logger } from '../core/logger.ts';
import { version } from '../core/version.ts';
import { compareVersions, parseVersion } from '../core/version-comparison.ts';
import { LockTimeout } from './errors.ts';
import type { DialectSql, SchemaChange, SchemaExpansion } from './schema-editor.ts';
import { expansionOf, forDialect, SchemaEditor } from './schema-editor.ts';
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

/** A step of the schema's history; the number is a 14-digit time. Never change a released migration. [ADR 80] */
export type Migration = { readonly number: number; readonly name: string } & (
  | {
      /** Adds parts that processes of earlier versions ignore. Runs in one transaction. */
      expand(schema: SchemaExpansion): void;
    }
  | {
      /** Takes away or restricts parts that earlier versions used. Runs in one transaction. */
      contract(schema: SchemaChange): void;
      /** The first release that works with the database afterwards; it was published before the one with this step. */
      readonly compatibleFrom: string;
    }
  | {
      /** Fills columns that earlier versions ignore. Runs in a transaction per batch. */
      readonly backfill: Backfill;
    }
  | {
      /** A step of 0.2.0 or before: 0.1.0 refuses every database that is newer. Runs in one transaction. */
      change(schema: SchemaChange): void;
    }
);

/** The first release that accepts databases of later ones, if nothing that it uses was taken away. */
const firstAccepting = '0.2.0';

/** Returns the oldest release whose processes may use the database once a step is applied; null: none. */
function compatibleFrom(migration: Migration): string | null {
  if ('change' in migration) return null;
  return 'contract' in migration ? migration.compatibleFrom : firstAccepting;
}

/** Compares releases of this program. Throws if one is not a valid version. */
function compareReleases(one: string, other: string): number {
  const [a, b] = [parseVersion(one), parseVersion(other)];
  if (!a || !b) throw new Error(`${a ? other : one} is not the version of a release`);
  return compareVersions(a, b);
}

/** Returns the newest of some releases, such as 0.10.0 of 0.9.1 and 0.10.0; null if one is null. */
function newestRelease(releases: readonly (string | null)[]): string | null {
  const known = releases.filter((each) => each !== null);
  return known.length < releases.length ? null : (known.sort(compareReleases).at(-1) ?? null);
}

/** Returns the oldest release whose processes may keep running while these migrations are applied; null: all must be stopped. */
export const oldestBeside = (pending: readonly Migration[]): string | null =>
  newestRelease([firstAccepting, ...pending.map(compatibleFrom)]);

const defaultBatchSize = 10_000;

/** A migration in the database. */
interface AppliedMigration {
  readonly number: number;
  readonly name: string;
  /** See {@link compatibleFrom}. */
  readonly compatibleFrom: string | null;
}

/** The database has migrations that this program does not know, and after which it must not use it. */
export class NewerDatabaseError extends Error {
  constructor(refused: readonly AppliedMigration[]) {
    const oldest = newestRelease(refused.map((each) => each.compatibleFrom));
    const known = oldest === null ? 'Run the newer version that applied them' : `Run version ${oldest} or newer`;
    super(
      `The database has migrations that this version of Potager does not know: ${refused.map(({ number }) => number).join(', ')}. ${known}.`,
    );
    this.name = 'NewerDatabaseError';
  }
}

interface MigrationOptions {
  readonly clock: Clock;
  readonly log: Logger;
  /** The folder for copies of SQLite databases. */
  readonly copies: string;
}

/**
 * Applies all migrations that the database does not have yet, in ascending order, even those older than the newest applied
 * one (ADR 19). Returns their names. Throws {@link NewerDatabaseError}.
 */
export async function migrate(
  database: Database,
  migrations: readonly Migration[],
  options: MigrationOptions,
): Promise<string[]> {
  const { clock, log } = options;
  assertAscending(migrations);
  return database.withMigrationLock(async () => {
    const { columnType, tableSuffix } = database.dialect;
    await database.script([
      `create table if not exists schema_migrations (number ${columnType('bigint')} primary key, name text not null, applied_at ${columnType('time')} not null)${tableSuffix}`,
    ]);
    const { pending, newer } = await compareMigrations(database, migrations);
    if (newer.length > 0)
      log.info({ migrations: newer.map(({ name }) => name) }, 'a newer version has added to the database');
    const isNew = pending.length > 0 && pending.length === migrations.length;
    const copy = isNew ? null : await copyBefore(pending, database, options);
    const names: string[] = [];
    for (const migration of pending) {
      const attempt = whenUnlocked(() => apply(database, migration, clock), migration, log);
      const isApplied = await attempt.catch(async (error: unknown) => {
        // Nothing has changed: the copies of a service that restarts again and again would fill the disk.
        if (copy && migration === pending[0] && !('backfill' in migration)) await rm(copy, { force: true });
        throw error;
      });
      if (!isApplied) continue;
      names.push(migration.name);
      // A new database gets one line in all.
      log[isNew ? 'debug' : 'info']({ migration: migration.name, number: migration.number }, 'applied a migration');
    }
    if (isNew) log.info({}, 'created the database');
    return names;
  });
}

/** Copies the database before its first pending migration. Returns the file, null where there is none. */
async function copyBefore(
  [first]: readonly Migration[],
  database: Database,
  { clock, log, copies }: MigrationOptions,
): Promise<string | null> {
  if (!first) return null;
  const copy = await database.copy(copies, `before-${first.number}-${clock.now()}.sqlite`);
  if (copy) log.info({ copy }, 'copied the database before its migration');
  return copy;
}

function assertAscending(migrations: readonly Migration[]): void {
  for (const [index, { number, name }] of migrations.entries()) {
    const before = migrations[index - 1];
    if (before && before.number >= number)
      throw new Error(`migration ${number} (${name}) must have a greater number than ${before.number} before it`);
  }
}

/** Pauses between attempts to lock a table, in ms: they grow. */
const minLockPause = 250;
const maxLockPause = 10_000;

/** Applies a migration as soon as no other transaction uses its tables: requests are served between its attempts. */
async function whenUnlocked<T>(attempt: () => Promise<T>, { name }: Migration, log: Logger): Promise<T> {
  for (let pause = minLockPause; ; pause = Math.min(2 * pause, maxLockPause)) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof LockTimeout)) throw error;
      log.warn({ migration: name }, 'another transaction uses a table that a migration changes; it is tried again');
      await sleep(pause);
    }
  }
}

/** Returns false if another process has applied the migration concurrently. */
async function apply(database: Database, migration: Migration, clock: Clock): Promise<boolean> {
  if ('backfill' in migration) await runBackfill(database, migration.backfill);
  return database.migration(async (session) => {
    if ((await appliedMigrations(session)).some(({ number }) => number === migration.number)) return false;
    if (!('backfill' in migration)) {
      const editor = new SchemaEditor(database.dialect);
      if ('expand' in migration) migration.expand(expansionOf(editor));
      else if ('contract' in migration) migration.contract(editor);
      else migration.change(editor);
      await editor.run(session);
    }
    const { number, name } = migration;
    const from = compatibleFrom(migration);
    const values = sql`${number}, ${name}, ${currentTimestamp(clock)}`;
    const insert = database.dialect.compile(
      from === null
        ? sql`insert into schema_migrations (number, name, applied_at) values (${values})`
        : sql`insert into schema_migrations (number, name, applied_at, compatible_from) values (${values}, ${from})`,
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

const findTable: DialectSql = {
  sqlite: 'select 1 from sqlite_schema where name = ?',
  postgres: 'select 1 where to_regclass($1) is not null',
};

/** Returns whether a database has a table, whichever version of the schema it has. */
export const hasTable = async (
  { reader, dialect }: Pick<Database, 'reader' | 'dialect'>,
  table: string,
): Promise<boolean> => (await reader.query(forDialect(findTable, dialect.name), [table], false)).length > 0;

/** Returns the migrations that the database does not have yet, which are all if it is empty. Throws {@link NewerDatabaseError}. */
export async function pendingMigrations(
  database: Pick<Database, 'reader' | 'dialect'>,
  migrations: readonly Migration[],
): Promise<Migration[]> {
  return (await compareMigrations(database, migrations)).pending;
}

/** Throws {@link NewerDatabaseError} also for migrations of a newer version that this one tolerates: it does not know their tables and columns. */
export async function assertKnown(
  database: Pick<Database, 'reader' | 'dialect'>,
  migrations: readonly Migration[],
): Promise<void> {
  const { newer } = await compareMigrations(database, migrations);
  if (newer.length > 0) throw new NewerDatabaseError(newer.map((each) => ({ ...each, compatibleFrom: null })));
}

/** Returns the migrations that the database lacks, and the tolerated ones of a newer version. Throws {@link NewerDatabaseError}. */
async function compareMigrations(
  database: Pick<Database, 'reader' | 'dialect'>,
  migrations: readonly Migration[],
): Promise<{ pending: Migration[]; newer: AppliedMigration[] }> {
  const applied = (await hasTable(database, 'schema_migrations')) ? await appliedMigrations(database.reader) : [];
  const known = new Set(migrations.map(({ number }) => number));
  const newer = applied.filter(({ number }) => !known.has(number));
  const refused = newer.filter(
    (each) => each.compatibleFrom === null || compareReleases(version, each.compatibleFrom) < 0,
  );
  if (refused.length > 0) throw new NewerDatabaseError(refused);
  const done = new Set(applied.map(({ number }) => number));
  return { pending: migrations.filter(({ number }) => !done.has(number)), newer };
}

/** Reads the applied migrations, in ascending order. */
async function appliedMigrations(session: Reader): Promise<AppliedMigration[]> {
  // All columns: databases of 0.1.0 have no fourth one.
  const rows = await session.query('select * from schema_migrations order by number', [], false);
  return rows.map(([number, name, , from]) => ({
    number: Number(number),
    name: String(name),
    compatibleFrom: typeof from === 'string' ? from : null,
  }));
}
