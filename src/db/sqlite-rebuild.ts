import type { TransactionSession } from './session.ts';
import { quoteName } from './sql.ts';

/** Splits the column definitions of a `create table` statement; the keys are the columns' names. */
export function columnDefinitions(createTable: string): Map<string, string> {
  const list = createTable.slice(createTable.indexOf('(') + 1, createTable.lastIndexOf(')'));
  const definitions: string[] = [''];
  let depth = 0;
  let quote = '';
  for (const character of list) {
    if (quote !== '') quote = character === quote ? '' : quote;
    else if (character === '"' || character === "'") quote = character;
    else if (character === '(') depth++;
    else if (character === ')') depth--;
    if (character === ',' && depth === 0 && quote === '') definitions.push('');
    else definitions.push(`${definitions.pop() ?? ''}${character}`);
  }
  return new Map(
    definitions.map((definition) => {
      const text = definition.trim();
      return [/^"?(\w+)"?/.exec(text)?.[1] ?? '', text];
    }),
  );
}

/**
 * Rebuilds a table with changed column definitions, where SQLite's `alter table` cannot: steps 3 to 9 of the procedure
 * in its documentation. The caller turns foreign keys off before the transaction and checks them before the commit. Indexes
 * that contain a dropped column are dropped.
 */
export async function rebuildTable(
  session: TransactionSession,
  table: string,
  change: (definitions: Map<string, string>) => void,
): Promise<void> {
  const run = (statement: string, ...parameters: unknown[]) => session.query(statement, parameters, false);
  const [[createTable] = []] = await run(`select sql from sqlite_schema where type = 'table' and name = ?`, table);
  if (typeof createTable !== 'string') throw new Error(`there is no table ${table}`);
  const definitions = columnDefinitions(createTable);
  change(definitions);
  const columns = [...definitions.keys()];
  const indexes = await run(
    `select sql from sqlite_schema i where type = 'index' and tbl_name = ?
       and not exists (select 1 from pragma_index_info(i.name) where name not in (select value from json_each(?)))`,
    table,
    JSON.stringify(columns),
  );
  const rebuilt = `new_${table}`;
  const names = columns.map(quoteName).join(', ');
  await run(`create table ${quoteName(rebuilt)} (${[...definitions.values()].join(', ')}) strict`);
  await run(`insert into ${quoteName(rebuilt)} (${names}) select ${names} from ${quoteName(table)}`);
  // The rebuilt table must not reuse ids of deleted rows. [decision 53]
  await run('delete from sqlite_sequence where name = ?', rebuilt);
  await run(
    'insert into sqlite_sequence (name, seq) select ?, seq from sqlite_sequence where name = ?',
    rebuilt,
    table,
  );
  await run(`drop table ${quoteName(table)}`);
  await run(`alter table ${quoteName(rebuilt)} rename to ${quoteName(table)}`);
  for (const [createIndex] of indexes) await run(String(createIndex));
}
