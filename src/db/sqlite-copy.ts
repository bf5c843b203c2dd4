import { rmSync, writeFileSync } from 'node:fs';
import type Sqlite from 'better-sqlite3';
import type { RawRow } from './session.ts';
import { openConnection, retain } from './sqlite-connection.ts';

/** How long to wait for another process's lock, in ms. */
const busyTimeout = 5000;

/** Copies a consistent snapshot of an SQLite database that may be in use. The copy is one file with mode 0600. Blocks the process; throws SQLite's errors. */
export function copySqlite(from: string, to: string): void {
  rmSync(to, { force: true });
  // SQLite would create a world-readable file; it keeps the mode of an empty one.
  writeFileSync(to, '', { mode: 0o600, flag: 'wx' });
  const source = openConnection(from, { readonly: true, fileMustExist: true, timeout: busyTimeout });
  try {
    source.exec(`vacuum into '${to.replaceAll("'", "''")}'`);
  } catch (error) {
    rmSync(to, { force: true });
    throw error;
  } finally {
    source.close();
  }
}

/**
 * Like {@link copySqlite}, but in steps of a hundred pages between which the process does other work, and including free pages. The
 * snapshot is taken at the first step. Rejects with SQLite's errors.
 */
export async function copySqliteInSteps(from: string, to: string): Promise<void> {
  rmSync(to, { force: true });
  writeFileSync(to, '', { mode: 0o600, flag: 'wx' });
  const source = openConnection(from, { readonly: true, fileMustExist: true, timeout: busyTimeout });
  try {
    // Outside a transaction, SQLite would restart the copy after each write of another connection.
    source.exec('begin; select count(*) from sqlite_schema');
    await source.backup(to);
    source.exec('commit');
    const copy = openConnection(to, { fileMustExist: true });
    // One file, which read-only connections can open.
    copy.exec('pragma journal_mode = delete');
    copy.close();
  } catch (error) {
    rmSync(to, { force: true });
    throw error;
  } finally {
    source.close();
  }
}

/** Sets columns of all rows of a database file, which no other process uses, to null; none if its schema lacks one. */
export function clearColumns(path: string, table: string, columns: readonly string[]): void {
  const connection = openConnection(path, { fileMustExist: true });
  try {
    const known = connection.prepare<[string], { name: string }>('select name from pragma_table_info(?)').all(table);
    if (!columns.every((column) => known.some(({ name }) => name === column))) return;
    connection.exec(`update "${table}" set ${columns.map((column) => `"${column}" = null`).join(', ')}`);
    connection.exec('pragma journal_mode = delete');
  } finally {
    connection.close();
  }
}

/** A read-only connection to a database file that no other process uses. */
export class SqliteCopy {
  readonly #connection: Sqlite.Database;

  /** Throws SQLite's error if the file is not a database. */
  constructor(path: string) {
    this.#connection = openConnection(path, { readonly: true, fileMustExist: true });
  }

  /** The numbers of the applied migrations, in ascending order; none if there is no migrations table. */
  get migrations(): readonly number[] {
    const [known] = this.rows(`select count(*) from sqlite_schema where type = 'table' and name = 'schema_migrations'`);
    if (known?.[0] === 0) return [];
    return this.rows('select number from schema_migrations order by number').map(([number]) => Number(number));
  }

  /** Returns the errors that SQLite's integrity and foreign key checks found; empty if there are none. */
  problems(): readonly string[] {
    const broken = this.rows('pragma integrity_check(10)').map(([text]) => String(text));
    const dangling = this.rows('pragma foreign_key_check').map(
      ([table, row, parent]) => `row ${row} of ${table} refers to a missing row of ${parent}`,
    );
    return [...broken.filter((text) => text !== 'ok'), ...dangling.slice(0, 10)];
  }

  rows(sql: string, parameters: readonly unknown[] = []): RawRow[] {
    return retain(this.#connection.prepare<unknown[], RawRow>(sql))
      .raw()
      .all(...parameters) as RawRow[];
  }

  close(): void {
    this.#connection.close();
  }
}
