import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextIteration } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from './session.ts';
import { openSqlite } from './sqlite.ts';

describe('the SQLite reader', () => {
  let folder: string;
  let database: Database;
  let otherProcess: Sqlite.Database;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'potager-sqlite-'));
    const path = join(folder, 'potager.sqlite');
    database = openSqlite(path);
    await database.script(['create table pots (name text not null) strict']);
    otherProcess = new Sqlite(path);
  });
  afterAll(async () => {
    await database.close();
    otherProcess.close();
    rmSync(folder, { recursive: true });
  });

  const names = async () => (await database.reader.query('select name from pots order by name', [])).flat().join('');

  it('sees commits of this process immediately', async () => {
    expect(await names()).toBe('');
    const count = database.externalCommits();
    await database.transaction(null, async (session) => {
      await session.query("insert into pots values ('a')", []);
      return async () => undefined;
    });
    expect(await names()).toBe('a');
    expect(database.externalCommits()).toBe(count);
  });

  it('sees commits of another process, and counts them, in the next iteration of the event loop', async () => {
    await nextIteration();
    const count = database.externalCommits();
    expect(await names()).toBe('a');
    otherProcess.exec("insert into pots values ('b')");
    expect([await names(), database.externalCommits()]).toEqual(['a', count]);
    await nextIteration();
    expect(database.externalCommits()).not.toBe(count);
    expect(await names()).toBe('ab');
  });

  it('does not count commits that its reads have not seen', async () => {
    await nextIteration();
    const count = database.externalCommits();
    otherProcess.exec("insert into pots values ('c')");
    expect([await names(), database.externalCommits()]).toEqual(['abc', count]);
    await nextIteration();
    expect(await names()).toBe('abc');
    expect(database.externalCommits()).not.toBe(count);
  });

  it('counts commits of another process again after a commit of this one', async () => {
    let count: number | null = null;
    setImmediate(() => {
      count = database.externalCommits();
      otherProcess.exec("insert into pots values ('d')");
    });
    await database.transaction(null, async (session) => {
      await session.query("insert into pots values ('e')", []);
      return async () => undefined;
    });
    expect(database.externalCommits()).not.toBe(count);
  });

  it('remains usable after a failed statement', async () => {
    expect(() => database.reader.query('select missing', [])).toThrow('no such column');
    expect(await names()).toBe('abcde');
  });
});
