import { afterEach, beforeEach, expect, it } from 'vitest';
import { UniqueViolation } from '../../src/db/errors.ts';
import { openDatabase } from '../../src/db/open.ts';
import type { Database, TransactionSession } from '../../src/db/session.ts';
import { createDatabase, dropDatabase } from '../support/databases.ts';

let url = '';
let database: Database;
beforeEach(async () => {
  url = await createDatabase();
  database = await openDatabase(url, '', () => undefined);
  await database.script([
    'create table devices (id bigint primary key, commits bigint)',
    'insert into devices values (1), (2)',
    'create table notes (name text unique, writer xid8 default pg_current_xact_id())',
  ]);
});
afterEach(async () => {
  await database.close();
  await dropDatabase(url);
});

const write = (session: TransactionSession, name: string) =>
  session.query('insert into notes (name) values ($1)', [name]);
const read = async (sql: string) => (await database.reader.query(sql, [])).map(([value]) => value);
const names = () => read('select name from notes order by name');

it('share a commit if they are of one device and arrive while another one runs', async () => {
  const numbers = [1, 2, 3, 4, 5];
  const values = await Promise.all(
    numbers.map((n) =>
      database.transaction(1, async (session) => {
        await write(session, `a${n}`);
        return async () => {
          await write(session, `b${n}`);
          return n;
        };
      }),
    ),
  );
  expect(values).toEqual(numbers);
  expect(await names()).toEqual(['a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'b2', 'b3', 'b4', 'b5']);
  expect(Number((await read('select count(distinct writer) from notes'))[0])).toBeLessThanOrEqual(2);
});

it('do not roll back others if their work or their last statement fails', async () => {
  const attempts: string[] = [];
  const run = (name: string, work: string, last: string) =>
    database.transaction(1, async (session) => {
      attempts.push(name);
      await write(session, work);
      return async () => {
        await write(session, last);
        return name;
      };
    });
  const results = await Promise.allSettled([
    run('one', 'a', 'b'),
    run('two', 'a', 'c'),
    run('three', 'd', 'b'),
    run('four', 'e', 'f'),
    run('five', 'g', 'e'),
  ]);
  const outcome = results.map((result) => (result.status === 'fulfilled' ? result.value : result.reason));
  expect([outcome[0], outcome[3]]).toEqual(['one', 'four']);
  for (const each of [1, 2, 4]) expect(outcome[each]).toBeInstanceOf(UniqueViolation);
  expect(await names()).toEqual(['a', 'b', 'e', 'f']);
});

it('are repeated after a deadlock', async () => {
  let waiting = 2;
  let meet = (): void => undefined;
  const met = new Promise<void>((resolve) => {
    meet = resolve;
  });
  const run = (own: number, other: number) =>
    database.transaction(own, async (session) => {
      await session.query('select 1', []);
      if (--waiting === 0) meet();
      await met;
      await database.lockDevice(session, other);
      return async () => own;
    });
  expect(await Promise.all([run(1, 2), run(2, 1)])).toEqual([1, 2]);
  // One of them ran twice.
  expect(waiting).toBeLessThan(0);
});

it('are not repeated after their connection was lost, since they may have been committed', async () => {
  const attempts: string[] = [];
  const run = (name: string, last: string) =>
    database.transaction(1, async (session) => {
      attempts.push(name);
      await write(session, name);
      return async () => {
        await session.query(last, []);
        return name;
      };
    });
  const results = await Promise.allSettled([
    run('one', 'select 1'),
    run('two', 'select 2'),
    run('three', 'select pg_terminate_backend(pg_backend_pid())'),
  ]);
  // The first one is alone: the others share the next commit.
  expect(results.slice(1)).toMatchObject([
    { status: 'rejected', reason: { code: 'unavailable' } },
    { status: 'rejected', reason: { code: 'unavailable' } },
  ]);
  expect(attempts).toEqual(['one', 'two', 'three']);
});

it('fail if PostgreSQL rolls back instead of committing', async () => {
  const committed = database.transaction(1, async (session) => {
    await write(session, 'a');
    await Promise.resolve(session.query('select 1 / 0', [])).catch(() => undefined);
    return async () => 'done';
  });
  await expect(committed).rejects.toThrow('the transaction was rolled back');
  expect(await names()).toEqual([]);
});

it('roll back to a savepoint that was not sent yet', async () => {
  await database.transaction(1, async (session) => {
    await write(session, 'a');
    session.defer('savepoint nested_1');
    await expect(write(session, 'a')).rejects.toThrow(UniqueViolation);
    await session.rollBackTo('nested_1');
    session.defer('savepoint nested_2');
    await session.rollBackTo('nested_2');
    await write(session, 'b');
    return async () => undefined;
  });
  expect(await names()).toEqual(['a', 'b']);
});
