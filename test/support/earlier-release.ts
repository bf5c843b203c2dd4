import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import pg from 'pg';
import { databasePath } from '../../src/db/open.ts';
import { createDatabase } from './databases.ts';
import type { Engine } from './engines.ts';

/** Creates a database of release 0.1.0 with rows in every table, and returns its URL (null for SQLite). */
export async function createReleaseDatabase(engine: Engine, folder: string): Promise<string | null> {
  const dump = readFileSync(join(import.meta.dirname, `../fixtures/release-0.1.0/${engine}.sql`), 'utf8');
  if (engine === 'sqlite') {
    const database = new Sqlite(databasePath(folder));
    database.exec(dump);
    database.close();
    return null;
  }
  const url = await createDatabase();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(dump);
  await client.end();
  return url;
}
