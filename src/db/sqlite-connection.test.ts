import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { queryObjects } from 'node:v8';
import type Sqlite from 'better-sqlite3';
import { afterAll, expect, test } from 'vitest';
import { openConnection } from './sqlite-connection.ts';

const folder = mkdtempSync(join(tmpdir(), 'potager-connection-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The class of the driver's native backups, which it does not export. */
function backupClass(connection: Sqlite.Database): new () => object {
  const [native] = Object.getOwnPropertySymbols(connection).map((symbol) => Reflect.get(connection, symbol));
  return native.backup(connection, 'main', join(folder, 'first.sqlite'), true).constructor;
}

// Node 24 aborts when it collects one at an unfortunate moment.
test('a finished backup is never garbage-collected', async () => {
  const connection = openConnection(join(folder, 'source.sqlite'), {});
  connection.exec('create table plants (name text)');
  const Backup = backupClass(connection);
  const before = Number(queryObjects(Backup));
  await connection.backup(join(folder, 'second.sqlite'));
  await connection.backup(join(folder, 'third.sqlite'));
  expect(Number(queryObjects(Backup)) - before).toBe(2);
  connection.close();
});
