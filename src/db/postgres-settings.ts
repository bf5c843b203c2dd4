import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { unavailable } from './errors.ts';

/** How long the server may take to answer on a connection while another one has a transaction, in ms. */
const maxDelay = 4000;

/** The settings of each connection, by their names, as PostgreSQL shows them. The URL, the role, the database or a pooler may have set others. */
const settings = {
  TimeZone: 'UTC',
  DateStyle: 'ISO, MDY',
  // The shortest digits in which JavaScript reads the same number.
  extra_float_digits: '1',
  client_encoding: 'UTF8',
  standard_conforming_strings: 'on',
  default_transaction_isolation: 'read committed',
  statement_timeout: '20s',
  idle_in_transaction_session_timeout: '10s',
} as const;

const entries = Object.entries(settings);
/** The statement that gives a connection these settings. */
export const setAll = `select ${entries.map(([name, value]) => `set_config('${name}', '${value}', false)`).join(', ')}`;
const readAll = `select ${entries.map(([name]) => `current_setting('${name}')`).join(', ')}`;

/** The setting that marks a connection; PostgreSQL accepts any name with a prefix. */
const mark = 'potager.connection';

/** Returns the failure of a connection that does not keep its settings. Its code chooses the remedy for operators. */
function unkept(reason: string): Error {
  return unavailable(Object.assign(new Error(reason), { code: 'SESSION' }));
}

/** Makes the settings that statements rely on, and reads them back in a transaction of its own. Throws Failure `unavailable` if one does not hold. */
export async function prepareConnection(client: pg.Client): Promise<void> {
  const [, { rows }] = await Promise.all([
    client.query(setAll),
    client.query<string[]>({ text: readAll, rowMode: 'array' }),
  ]);
  const [different] = entries.flatMap(([name, value], index) => {
    const found = rows[0]?.[index];
    return found === value ? [] : [`the connection has ${name} = ${found} although ${value} was set`];
  });
  if (different) throw unkept(different);
}

/** Throws Failure `unavailable` if a pooler gives the transactions of a client to connections of others: settings, timeouts and LISTEN are lost there. */
export async function assertOwnConnection(url: string, client: pg.Client): Promise<void> {
  const own = randomUUID();
  const other = new pg.Client({ connectionString: url, connectionTimeoutMillis: maxDelay });
  other.on('error', () => undefined);
  try {
    await client.query(`select set_config('${mark}', $1, false)`, [own]);
    await other.connect();
    // A pooler hands out the connection that was used last: this transaction keeps it.
    await other.query('begin');
    const found = client.query<{ mark: string | null }>(`select current_setting('${mark}', true) as mark`);
    const result = await Promise.race([found, sleep(maxDelay, null, { ref: false })]);
    found.catch(() => undefined);
    if (result?.rows[0]?.mark !== own) throw unkept('a connection pooler gives each transaction another connection');
  } finally {
    void other.end().catch(() => undefined);
  }
}
