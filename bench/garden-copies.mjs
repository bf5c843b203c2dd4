// Copies gardens within the database of a stopped server: rows are copied as the server wrote them, under new ids.
import { join } from 'node:path';
import Database from 'better-sqlite3';
import pg from 'pg';
import { tables } from '../dist/resources.js';

function openSqlite(folder) {
  const database = new Database(join(folder, 'potager.sqlite'));
  // Nothing is lost with these copies: they have the references of the gardens that are copied.
  database.exec('pragma synchronous = off; pragma foreign_keys = off; pragma cache_size = -262144');
  return {
    run: (sql) => database.prepare(sql).run(),
    rows: (sql) => database.prepare(sql).all(),
    numbers: (count) =>
      `(with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count}) select i from n) as numbers`,
    close() {
      database.prepare('pragma wal_checkpoint(truncate)').all();
      database.close();
    },
  };
}

async function openPostgres(url) {
  const client = new pg.Client(url);
  await client.connect();
  // As above.
  await client.query('set synchronous_commit = off');
  await client.query('set session_replication_role = replica').catch(() => undefined);
  return {
    run: (sql) => client.query(sql),
    rows: async (sql) => (await client.query(sql)).rows,
    numbers: (count) => `(select i from generate_series(1, ${count}) as series(i)) as numbers`,
    async close() {
      // Autovacuum would do so minutes later.
      await client.query('vacuum analyze');
      await client.end();
    },
  };
}

/** A value that is unique in all gardens, and so not copied as it is. */
const isUnique = ({ unique, owner }, name) => unique.some((columns) => columns[0] !== owner && columns.includes(name));

/** Returns the expression of a column's value in the garden `target`, from the value in the row `source`. */
function expressionOf(table, name) {
  const { type, foreignKey } = table.columns[name];
  if (name === table.owner) return 'target.id';
  if (foreignKey?.table === 'users') return '(select min(id) from users where device_id = target.id)';
  // All copied changes were announced already.
  if (table.name === 'change_cursors' && name === 'position') return '(select max(id) from changes)';
  return type === 'text' && isUnique(table, name) ? `target.id || '-' || source."${name}"` : `source."${name}"`;
}

/**
 * Copies gardens of a data folder, or of the PostgreSQL database at `url`, until there are `count` more: each `every`th one a copy of
 * the device `large`, the others of the device `small`, whose points and logs are copied `times` times. The gardens have no records
 * that refer to others, except to their users. Returns the ids of the devices that are copies of `large`.
 */
export async function copyGardens({ folder, url }, { small, large, count, every, times }) {
  const database = url ? await openPostgres(url) : openSqlite(folder);
  const first = Number((await database.rows('select max(id) as id from devices'))[0].id);
  const isLarge = `(target.id - ${first}) % ${every} = 0`;
  // Parents come before their children.
  for (const table of tables.filter(({ owner }) => owner !== null)) {
    const columns = Object.keys(table.columns).filter((name) => name !== 'id');
    const insert = `insert into ${table.name} (${columns.map((name) => `"${name}"`).join(', ')})`;
    if (table.owner === 'id') {
      const values = columns.map((name) => `"${name}"`).join(', ');
      await database.run(
        `${insert} select ${values} from ${table.name}, ${database.numbers(count)} where id = ${small} order by i`,
      );
      continue;
    }
    const values = columns.map((name) => expressionOf(table, name)).join(', ');
    const isRepeated = ['points', 'logs'].includes(table.name);
    const numbers = database.numbers(isRepeated ? times : 1);
    // Logs of all gardens are written in turn, other records while a garden is set up.
    const order = table.name === 'logs' ? 'i, source.id, target.id' : 'target.id, i, source.id';
    const copy = (source, repetitions, condition) =>
      `select ${values} from devices as target cross join ${repetitions} cross join ${table.name} as source where source."${table.owner}" = ${source} and target.id > ${first} and ${condition} order by ${order}`;
    await database.run(`${insert} ${copy(small, numbers, `not ${isLarge}`)}`);
    await database.run(`${insert} ${copy(large, database.numbers(1), isLarge)}`);
  }
  const devices = await database.rows(
    `select id from devices as target where id > ${first} and ${isLarge} order by id`,
  );
  await database.close();
  return devices.map(({ id }) => Number(id));
}
