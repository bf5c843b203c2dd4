import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';

async function command(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: `${inject('postgresServer')}/postgres` });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

/** Makes an empty PostgreSQL database and gives its address (`postgres://…`). All are gone at the end of the run. */
export async function createDatabase(): Promise<string> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  await command(`create database ${name}`);
  return `${inject('postgresServer')}/${name}`;
}

/** Removes a database that {@link createDatabase} made, whoever is still connected. */
export async function dropDatabase(url: string): Promise<void> {
  await command(`drop database if exists ${new URL(url).pathname.slice(1)} with (force)`);
}
