import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { cp } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import { inject } from 'vitest';
import { keyFile } from '../../src/accounts/key-pair.ts';
import { databasePath } from '../../src/db/open.ts';
import { templateDatabase } from './database-template.ts';
import type { Engine } from './engines.ts';

const templates = new Map<Engine, Promise<string>>();

/** Returns the place of an engine's template, which the first caller of the run has made: the URL of the PostgreSQL server, or the data folder of SQLite. */
function templateOf(engine: Engine): Promise<string> {
  const known = templates.get(engine) ?? requestTemplate(engine);
  templates.set(engine, known);
  return known;
}

async function requestTemplate(engine: Engine): Promise<string> {
  const [response] = (await once(get(`${inject('templates')}/${engine}`), 'response')) as [IncomingMessage];
  const answer = await text(response);
  if (response.statusCode !== 200) throw new Error(answer);
  return answer;
}

let pool: pg.Pool | null = null;

/** Executes a statement on a connection that the databases of a worker share: a connection of its own takes as much CPU time as half of a database. */
async function command(sql: string): Promise<void> {
  const server = await templateOf('postgres');
  if (!pool) {
    pool = new pg.Pool({
      connectionString: `${server}/postgres`,
      idleTimeoutMillis: 0,
      allowExitOnIdle: true,
    });
    // The server ends after the tests.
    pool.on('error', () => undefined);
  }
  await pool.query(sql);
}

async function copyDatabase(template: string): Promise<string> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  await command(`create database ${name} template ${template} strategy file_copy`);
  return `${await templateOf('postgres')}/${name}`;
}

/** Creates an empty PostgreSQL database and returns its URL. */
export const createDatabase = (): Promise<string> => copyDatabase('template0');

/** Drops a database of {@link createDatabase} and closes its connections. */
export async function dropDatabase(url: string): Promise<void> {
  await command(`drop database if exists ${new URL(url).pathname.slice(1)} with (force)`);
}

/** Closes the connections of a database of {@link createDatabase} and refuses new ones, or accepts them again. */
export async function setAvailability(url: string, isAvailable: boolean): Promise<void> {
  const name = new URL(url).pathname.slice(1);
  await command(`alter database ${name} with allow_connections ${isAvailable}`);
  if (!isAvailable) await command(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
}

/**
 * Copies the run's template, a migrated database with a key pair, and returns the URL of the PostgreSQL database, or null
 * for SQLite, whose files are copied to the data folder. Existing files are kept.
 */
export async function createMigratedDatabase(engine: Engine, dataFolder: string): Promise<string | null> {
  if (engine === 'postgres') return copyDatabase(templateDatabase);
  const template = await templateOf('sqlite');
  for (const path of [databasePath, keyFile]) await cp(path(template), path(dataFolder), { force: false });
  return null;
}
