import type { Clock } from '../core/clock.ts';
import { currentTimestamp } from '../core/clock.ts';
import type { Logger } from '../core/logger.ts';
import type { Column } from './columns.ts';
import type { Dialect } from './dialect.ts';

import type { Database, Session } from './session.ts';
import { quoteName, sql } from './sql.ts';

/** What a migration may do: the column vocabulary, written once for both engines. */
export interface SchemaChange {
  createTable(
    name: string,
    columns: Readonly<Record<string, Column>>,
    keys?: { unique?: readonly string[][]; indexes?: readonly string[][] },
  ): void;
  addColumn(table: string, name: string, column: Column): void;
  createIndex(table: string, columns: readonly string[], unique?: boolean): void;
}

/** One numbered, immutable step of the schema. The number is a 14-digit time, as exports show it. */
export interface Migration {
  readonly number: number;
  readonly name: string;
  change(schema: SchemaChange): void;
}

/** The newer database was made by a newer program; this one leaves it alone. */
export class NewerDatabaseError extends Error {
  constructor(found: number, known: number) {
    super(
      `The database is at version ${found}, this program knows versions up to ${known}. Please use the newer program.`,
    );
    this.name = 'NewerDatabase';
  }
}

/** PostgreSQL cuts names at 63 bytes; ours stay below by keeping the beginning and a checksum of the rest. */
export function indexName(table: string, columns: readonly string[], unique: boolean): string {
  const name = `${table}_${columns.join('_')}_${unique ? 'key' : 'index'}`;
  if (name.length <= 60) return name;
  let checksum = 0;
  for (const character of name) checksum = (checksum * 31 + character.charCodeAt(0)) % 1_000_003;
  return `${name.slice(0, 50)}_${checksum}`;
}

/** The statements of one migration on one engine. */
export function statementsOf(migration: Migration, dialect: Dialect): string[] {
  const statements: string[] = [];
  const add = (text: string): void => {
    statements.push(text);
  };
  const definition = (name: string, column: Column): string => {
    const parts = [quoteName(name), dialect.columnType(column.type)];
    if (!column.isNullable) parts.push('not null');
    if (column.type === 'boolean' && dialect.name === 'sqlite') parts.push(`check (${quoteName(name)} in (0, 1))`);
    const key = column.foreignKey;
    if (key) parts.push(`references ${quoteName(key.table)} (id) on delete ${key.onDelete}`);
    return parts.join(' ');
  };
  const createIndex = (table: string, columns: readonly string[], unique = false): void =>
    add(
      `create ${unique ? 'unique ' : ''}index ${quoteName(indexName(table, columns, unique))} on ${quoteName(table)} (${columns
        .map(quoteName)
        .join(', ')})`,
    );
  migration.change({
    createTable(name, columns, keys = {}) {
      const time = dialect.columnType('time');
      const lines = [
        `id ${dialect.idColumn}`,
        `created_at ${time} not null`,
        `updated_at ${time} not null`,
        ...Object.entries(columns).map(([column, type]) => definition(column, type)),
      ];
      add(`create table ${quoteName(name)} (${lines.join(', ')})${dialect.tableSuffix}`);
      for (const columns of keys.unique ?? []) createIndex(name, columns, true);
      for (const columns of keys.indexes ?? []) createIndex(name, columns);
    },
    addColumn: (table, name, column) => add(`alter table ${quoteName(table)} add column ${definition(name, column)}`),
    createIndex,
  });
  return statements;
}

/** Brings the database to the newest version. Gives the names of the migrations that ran. Throws {@link NewerDatabaseError}. */
export async function migrate(
  database: Database,
  migrations: readonly Migration[],
  options: { clock: Clock; log: Logger; copies: string },
): Promise<string[]> {
  const { clock, log } = options;
  const newest = migrations.at(-1)?.number ?? 0;
  return database.withMigrationLock(async () => {
    await database.script([
      `create table if not exists schema_migrations (number ${database.dialect.columnType('bigint')} primary key, name text not null, applied_at ${database.dialect.columnType('time')} not null)${database.dialect.tableSuffix}`,
    ]);
    const version = await schemaVersion(database.reader);
    if (version > newest) throw new NewerDatabaseError(version, newest);
    const pending = migrations.filter(({ number }) => number > version);
    if (pending.length > 0 && version > 0) {
      const copy = await database.copy(options.copies, `before-${pending[0]?.number}-${clock.now()}.sqlite`);
      if (copy) log.info({ copy }, 'the database was copied before its migration');
    }
    const applied: string[] = [];
    for (const migration of pending) {
      await database.transaction(null, async (session) => {
        // Another process may have been faster.
        if ((await schemaVersion(session)) >= migration.number) return;
        for (const statement of statementsOf(migration, database.dialect)) await session.query(statement, [], false);
        const insert = database.dialect.compile(
          sql`insert into schema_migrations (number, name, applied_at) values (${migration.number}, ${migration.name}, ${currentTimestamp(clock)})`,
        );
        await session.query(insert.sql, insert.parameters, false);
        applied.push(migration.name);
      });
      log.info({ migration: migration.name }, 'migrated');
    }
    return applied;
  });
}

/** The number of the newest migration that ran, 0 for an empty database. */
export async function schemaVersion(session: Session): Promise<number> {
  const rows = await session.query('select max(number) from schema_migrations', [], false);
  return Number(rows[0]?.[0] ?? 0);
}
