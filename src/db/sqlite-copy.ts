import { rmSync, writeFileSync } from 'node:fs';
import Sqlite from 'better-sqlite3';
import type { RawRow } from './session.ts';

/** How long another process's exclusive moment is waited for, in ms. */
const patience = 5000;

/** Copies an SQLite database as it is at one moment, while others may read and write it. The copy is one file for its owner alone. Blocks the process; throws what SQLite says. */
export function copySqlite(from: string, to: string): void {
  rmSync(to, { force: true });
  // SQLite would make a file that everybody may read; an empty one it takes as it is.
  writeFileSync(to, '', { mode: 0o600, flag: 'wx' });
  const source = new Sqlite(from, { readonly: true, fileMustExist: true, timeout: patience });
  try {
    source.prepare('vacuum into ?').run(to);
  } catch (error) {
    rmSync(to, { force: true });
    throw error;
  } finally {
    source.close();
  }
}

/** A database file that nobody else uses, opened for looking at. */
export class SqliteCopy {
  readonly #connection: Sqlite.Database;

  /** Throws what SQLite says when it is no database. */
  constructor(path: string) {
    this.#connection = new Sqlite(path, { readonly: true, fileMustExist: true });
  }

  /** The number of the newest migration that ran; 0 when it is no database of this program. */
  get schemaVersion(): number {
    const [known] = this.rows(`select count(*) from sqlite_schema where type = 'table' and name = 'schema_migrations'`);
    if (known?.[0] === 0) return 0;
    return Number(this.rows('select max(number) from schema_migrations')[0]?.[0] ?? 0);
  }

  /** What is broken in it, in SQLite's words; empty when it is whole. */
  problems(): readonly string[] {
    const broken = this.rows('pragma integrity_check(10)').map(([text]) => String(text));
    const dangling = this.rows('pragma foreign_key_check').map(
      ([table, row, parent]) => `row ${row} of ${table} names a row of ${parent} that is not there`,
    );
    return [...broken.filter((text) => text !== 'ok'), ...dangling.slice(0, 10)];
  }

  rows(sql: string): RawRow[] {
    return this.#connection.prepare<unknown[], RawRow>(sql).raw().all() as RawRow[];
  }

  close(): void {
    this.#connection.close();
  }
}
