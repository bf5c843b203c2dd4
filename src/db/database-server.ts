import type { Database } from './session.ts';

/** The name of the connection on which each serving process listens for commits, as PostgreSQL shows it. */
export const listenerName = 'potager listener';

/** Returns the time of PostgreSQL's clock, in ms since the epoch; null on SQLite, which has none. */
export async function databaseTime({ reader, dialect }: Pick<Database, 'reader' | 'dialect'>): Promise<number | null> {
  if (dialect.name === 'sqlite') return null;
  const [[time] = []] = await reader.query('select extract(epoch from clock_timestamp())::float8 * 1000', [], false);
  return Number(time);
}

/** Returns the number of serving processes that are connected to the database; null on SQLite, which has one at most. */
export async function countProcesses({
  reader,
  dialect,
}: Pick<Database, 'reader' | 'dialect'>): Promise<number | null> {
  if (dialect.name === 'sqlite') return null;
  const sql = 'select count(*) from pg_stat_activity where datname = current_database() and application_name = $1';
  const [[count] = []] = await reader.query(sql, [listenerName], false);
  return Number(count);
}
