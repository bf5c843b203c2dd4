import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openPostgres } from '../../src/db/postgres.ts';
import { createDatabase, dropDatabase } from '../support/databases.ts';

let url = '';
beforeAll(async () => {
  url = await createDatabase();
});
afterAll(() => dropDatabase(url));

const shown = `select now()::text, '2026-03-01T12:00:00Z'::timestamptz::text, 0.1::float8 + 0.2::float8, current_setting('TimeZone'),
  current_setting('statement_timeout'), current_setting('idle_in_transaction_session_timeout'),
  current_setting('transaction_isolation'), current_setting('search_path')`;

it('the database, the role and the URL cannot change the settings that statements rely on', async () => {
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  const name = new URL(url).pathname.slice(1);
  for (const setting of [
    "timezone to 'Europe/Berlin'",
    "datestyle to 'German'",
    'extra_float_digits to 0',
    "statement_timeout to '1h'",
    "default_transaction_isolation to 'serializable'",
  ])
    await admin.query(`alter database ${name} set ${setting}`);
  await admin.end();
  const database = openPostgres(
    `${url}?options=-c%20timezone%3DAsia/Tokyo%20-c%20search_path%3Dpublic`,
    () => undefined,
  );
  try {
    const [[now, time, sum, ...settings] = []] = await database.reader.query(shown, []);
    expect(Math.abs(Date.parse(String(now)) - Date.now())).toBeLessThan(60_000);
    expect(time).toBe('2026-03-01 12:00:00+00');
    expect(sum).toBe(0.1 + 0.2);
    expect(settings).toEqual(['UTC', '20s', '10s', 'read committed', 'public']);
  } finally {
    await database.close();
  }
});
