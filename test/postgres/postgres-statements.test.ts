import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { UniqueViolation } from '../../src/db/errors.ts';
import { openDatabase } from '../../src/db/open.ts';
import type { Database } from '../../src/db/session.ts';
import { createDatabase, dropDatabase } from '../support/databases.ts';

let url = '';
let database: Database;
beforeAll(async () => {
  url = await createDatabase();
  database = await openDatabase(url, '', () => undefined);
  await database.script(['create table notes (id bigint, name text unique)']);
});
afterAll(async () => {
  await database.close();
  await dropDatabase(url);
});

const names = async () => (await database.reader.query('select name from notes order by id', [])).map(([name]) => name);

describe('values', () => {
  it('reach PostgreSQL as they are, and come back', async () => {
    const sql = 'select $1::text, $2::bigint, $3::float8, $4::boolean, $5::text, $6::text[] = array[$7, $8, null]';
    const text = 'é "quoted" \\ {,} 🌱\n';
    const values = [text, 2 ** 53 - 1, -0.1, false, null, [text, '', null], text, ''];
    expect(await database.reader.query(sql, values)).toEqual([[text, 2 ** 53 - 1, -0.1, false, null, true]]);
    // Once more, by the described statement.
    expect(await database.reader.query(sql, values)).toEqual([[text, 2 ** 53 - 1, -0.1, false, null, true]]);
  });

  it('may be longer than the buffer of messages', async () => {
    const long = 'ü'.repeat(200_000);
    const rows = await Promise.all(
      [long, 'short', long].map((text) => database.reader.query('select $1::text', [text])),
    );
    expect(rows.map(([row]) => row?.[0])).toEqual([long, 'short', long]);
  });

  it('are refused where no column has them', async () => {
    await expect(async () => database.reader.query('select $1::text', [{ a: 1 }])).rejects.toThrow('is an object');
    expect(await database.reader.query('select 1', [])).toEqual([[1]]);
  });

  it('may be as many as PostgreSQL takes; more fail alone', async () => {
    const count = async (values: number) => {
      const places = Array.from({ length: values }, (_, index) => `$${index + 1}::int`);
      return database.reader.query(`select 1 where 1 in (${places})`, Array(values).fill(1), false);
    };
    expect(await count(65_535)).toEqual([[1]]);
    const results = await Promise.allSettled([count(65_536), database.reader.query('select 2', [])]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
  });
});

it('keeps connections where DATABASE_URL limits the time of queries, but for those of longer ones', async () => {
  const limited = await openDatabase(`${url}?query_timeout=1000`, '', () => undefined);
  try {
    const rows = await limited.transaction(null, async (session) => {
      await session.query('select 1', []);
      await expect(limited.reader.query('select pg_sleep(60)', [])).rejects.toThrow('unavailable');
      // The time of the first query is over, too.
      const last = await session.query('select 2', []);
      return async () => last;
    });
    expect(rows).toEqual([[2]]);
  } finally {
    await limited.close();
  }
});

describe('statements that are sent together', () => {
  it('end with the first that fails in a transaction, and none of them counts', async () => {
    const outcomes: unknown[] = [];
    await expect(
      database.transaction(null, async (session) => {
        const insert = (id: number, name: string) =>
          session.query('insert into notes values ($1, $2) returning id', [id, name]);
        const sent = [insert(1, 'a'), insert(2, 'a'), insert(3, 'b')];
        outcomes.push(
          ...(await Promise.allSettled(sent)).map((each) => (each.status === 'fulfilled' ? each.value : 0)),
        );
        return async () => Promise.all(sent);
      }),
    ).rejects.toThrow(UniqueViolation);
    expect(outcomes).toEqual([[[1]], 0, 0]);
    expect(await names()).toEqual([]);
  });

  it('continue after a rollback to a savepoint, with statements that were not prepared before', async () => {
    await database.transaction(null, async (session) => {
      await session.query('insert into notes values (1, $1)', ['a']);
      session.defer('savepoint one');
      const failed = session.query('insert into notes values (2, $1)', ['a']);
      const skipped = session.query('insert into notes values (3, $1)', ['c']);
      expect((await Promise.allSettled([failed, skipped])).map(({ status }) => status)).toEqual([
        'rejected',
        'rejected',
      ]);
      await session.rollBackTo('one');
      // PostgreSQL has not seen this one.
      await session.query('insert into notes values (3, $1)', ['c']);
      return async () => undefined;
    });
    expect(await names()).toEqual(['a', 'c']);
  });

  it('fail alone where they are no transaction', async () => {
    const read = (sql: string) => Promise.resolve(database.reader.query(sql, []));
    const results = await Promise.allSettled([read('select 1'), read('select 1 / 0'), read('select 2')]);
    expect(results.map((each) => (each.status === 'fulfilled' ? each.value : null))).toEqual([[[1]], null, [[2]]]);
  });
});
