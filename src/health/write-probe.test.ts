import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createMigratedDatabase, dropDatabase } from '../../test/support/databases.ts';
import { describeAnyEngine, describeEngines } from '../../test/support/engines.ts';
import { Failure } from '../core/errors.ts';
import { noRecords } from '../db/announced-records.ts';
import { ChangeLog } from '../db/change-log.ts';
import { openDatabase } from '../db/open.ts';
import { createScopeFactory } from '../db/scopes.ts';
import type { Database } from '../db/session.ts';
import { jobSchedules } from '../jobs/schedules.ts';
import { WriteProbe, writeRow, writeTemporaryFile } from './write-probe.ts';

const logged: unknown[] = [];
const note = (object: object, message: string) => void logged.push([object, message]);
const log = { debug: note, info: note, warn: note, error: note };
const clock = { time: Date.UTC(2026, 10, 22), now: () => clock.time };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'potager-probe-'));
  logged.length = 0;
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describeAnyEngine('a write probe', () => {
  it('writes once in half a minute, and every two seconds after a failure', async () => {
    let writes = 0;
    let failure: unknown = null;
    const write = async () => {
      writes++;
      if (failure) throw failure;
    };
    const probe = new WriteProbe({ name: 'disk', write, clock, log });
    const outcomeIn = async (ms: number) => {
      clock.time += ms;
      return [await probe.isWritable(), writes];
    };
    expect(await outcomeIn(0)).toEqual([true, 1]);
    failure = Object.assign(new Error('full'), { code: 'ENOSPC' });
    expect(await outcomeIn(29_999)).toEqual([true, 1]);
    expect(await outcomeIn(1)).toEqual([false, 2]);
    expect(await outcomeIn(1999)).toEqual([false, 2]);
    expect(await outcomeIn(1)).toEqual([false, 3]);
    failure = null;
    expect(await outcomeIn(2000)).toEqual([true, 4]);
    expect(await outcomeIn(2000)).toEqual([true, 4]);
    expect(logged).toEqual([
      [{ reason: 'ENOSPC' }, 'the disk cannot be written'],
      [{}, 'the disk can be written again'],
    ]);
    // Another process holds the lock.
    failure = new Failure('unavailable');
    (failure as Failure).cause = Object.assign(new Error('busy'), { code: 'SQLITE_BUSY' });
    expect(await outcomeIn(30_000)).toEqual([true, 5]);
  });

  it('does not make the caller wait for long, and waits for a pending write', async () => {
    let writes = 0;
    let end = (): void => undefined;
    const write = () => {
      writes++;
      return new Promise<void>((resolve) => {
        end = resolve;
      });
    };
    const probe = new WriteProbe({ name: 'disk', write, clock, log, timeout: 10 });
    expect(await probe.isWritable()).toBe(true);
    clock.time += 60_000;
    expect(await probe.isWritable()).toBe(true);
    expect(writes).toBe(1);
    end();
  });

  it('writes a file and deletes it', async () => {
    await writeTemporaryFile(join(folder, 'photos', 'incoming'));
    expect(readdirSync(join(folder, 'photos', 'incoming'))).toEqual([]);
    writeFileSync(join(folder, 'file'), '');
    await expect(writeTemporaryFile(join(folder, 'file'))).rejects.toThrow();
  });
});

describeEngines('a write probe of the database', (engine) => {
  let url: string | null;
  let database: Database;
  beforeEach(async () => {
    url = await createMigratedDatabase(engine, folder);
    database = await openDatabase(url, folder, () => undefined);
  });
  afterEach(async () => {
    await database.close();
    if (url) await dropDatabase(url);
  });

  it('recognizes a database that is read-only', async () => {
    const scopes = () =>
      createScopeFactory({
        database,
        clock,
        changeLog: new ChangeLog(),
        records: noRecords,
      })(log);
    await scopes().insert(jobSchedules, { name: 'sweep', next_at: '2026-11-23T00:00:00.000Z' });
    const probe = new WriteProbe({ name: 'database', write: () => writeRow(scopes()), clock, log });
    clock.time += 60_000;
    expect(await probe.isWritable()).toBe(true);
    const [row] = await scopes().rows(jobSchedules);
    expect([row?.next_at, row?.updated_at]).toEqual(['2026-11-23T00:00:00.000Z', new Date(clock.time).toISOString()]);
    if (url === null) await database.script(['pragma query_only = on']);
    else {
      await database.script([
        `alter database "${new URL(url).pathname.slice(1)}" set default_transaction_read_only = on`,
      ]);
      await database.close();
      database = await openDatabase(url, folder, () => undefined);
    }
    clock.time += 30_000;
    expect(await probe.isWritable()).toBe(false);
    expect(logged).toEqual([
      [{ reason: engine === 'sqlite' ? 'SQLITE_READONLY' : '25006' }, 'the database cannot be written'],
    ]);
  });
});
