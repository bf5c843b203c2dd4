// Writes a migration from the difference between the declared tables and docs/reference/schema, which it updates.
//   npm run migration -- compost-bins
import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from './build.mjs';

const root = resolve(import.meta.dirname, '..');
const read = (path) => readFileSync(join(root, path), 'utf8');

/** Types of columns by their names in PostgreSQL; SQLite has fewer. */
const types = {
  text: 'text',
  integer: 'integer',
  bigint: 'bigint',
  'double precision': 'float',
  boolean: 'boolean',
  'timestamp(3) with time zone': 'time',
  json: 'json',
};

/** The columns that every table has without a declaration. */
const standardColumns = ['id', 'created_at', 'updated_at'];

/** A difference that becomes no migration; the message names the remedy. */
class Unwritable extends Error {}

/** Returns the tables of docs/reference/schema, in the form of declared ones. */
function documentedTables() {
  const text = read('docs/reference/schema/postgres.sql');
  const tables = new Map();
  for (const [, name, lines] of text.matchAll(/^create table (\w+) \(\n(.*?)\n\);/gms)) {
    const foreignKeys = new Map(
      [...lines.matchAll(/FOREIGN KEY \("?(\w+)"?\) REFERENCES (\w+)\(id\)(?: ON DELETE (CASCADE|SET NULL))?/g)].map(
        ([, column, table, onDelete = 'no action']) => [column, { table, onDelete: onDelete.toLowerCase() }],
      ),
    );
    const columns = [
      ...lines.matchAll(/^ {2}"?(\w+)"? ([a-z][a-z0-9 ()]*?)( not null)?( default .*| generated .*)?,?$/gm),
    ].map(([, column, type, notNull]) => [
      column,
      { type: types[type], isNullable: notNull === undefined, foreignKey: foreignKeys.get(column) ?? null },
    ]);
    const indexes = [
      ...text.matchAll(new RegExp(`^CREATE (UNIQUE )?INDEX \\w+ ON public\\.${name} USING btree \\((.*)\\);$`, 'gm')),
    ].map(([, isUnique, list]) => ({ isUnique, columns: list.replaceAll('"', '').split(', ') }));
    const listed = (ofKind) => indexes.filter(ofKind).map((index) => index.columns);
    tables.set(name, {
      columns: Object.fromEntries(columns),
      unique: listed(({ isUnique }) => isUnique),
      indexes: listed(({ isUnique }) => !isUnique),
    });
  }
  return tables;
}

const quoted = (value) => JSON.stringify(value);

/** Writes a column as migrations do: `column.text().nullable()`. */
function columnText({ type, isNullable, foreignKey, initial }) {
  const { table, onDelete } = foreignKey ?? {};
  const action = onDelete === 'cascade' ? '' : `, ${quoted(onDelete)}`;
  return [
    `column.${type}()`,
    isNullable ? '.nullable()' : '',
    foreignKey ? `.references(${quoted(table)}${action})` : '',
    initial === undefined ? '' : `.default(${quoted(initial)})`,
  ].join('');
}

function createTable({ name, columns, unique, indexes }) {
  const own = Object.entries(columns).filter(([column]) => !standardColumns.includes(column));
  // No row of a new table needs a default.
  const texts = own.map(([column, declared]) => `${column}: ${columnText({ ...declared, initial: undefined })}`);
  const keys = Object.entries({ unique, indexes }).filter(([, lists]) => lists.length > 0);
  const options = keys.length > 0 ? `, ${quoted(Object.fromEntries(keys))}` : '';
  return `schema.createTable(${quoted(name)}, { ${texts.join(', ')} }${options});`;
}

/** Returns tables in an order in which each refers only to earlier ones, or to itself. */
function inOrder(tables) {
  const ordered = new Set();
  const add = (table) => {
    const targets = Object.values(table.columns).map(({ foreignKey }) => foreignKey?.table);
    for (const target of tables)
      if (targets.includes(target.name) && target !== table && !ordered.has(target)) add(target);
    ordered.add(table);
  };
  for (const table of tables) add(table);
  return [...ordered];
}

/** Returns statements for the differences: statements that only add, and others. Each is after its subject. Throws {@link Unwritable}. */
function differences(tables) {
  const documented = documentedTables();
  const additions = [];
  const restrictions = [];
  for (const table of inOrder(tables.filter(({ name }) => !documented.has(name))))
    additions.push([table.name, createTable(table)]);
  for (const table of tables.filter(({ name }) => documented.has(name))) {
    const before = documented.get(table.name);
    const call = (method, ...values) => `schema.${method}(${[quoted(table.name), ...values].join(', ')});`;
    for (const [name, column] of Object.entries(table.columns)) {
      const place = `${table.name}.${name}`;
      const old = before.columns[name];
      const typeText = (each) => columnText({ ...each, isNullable: false, initial: undefined });
      if (!old) {
        if (!column.isNullable && column.initial === undefined)
          throw new Unwritable(`${place} needs a default, or null must be possible: rows that exist have no value.`);
        additions.push([place, call('addColumn', quoted(name), columnText(column))]);
      } else if (typeText(column) !== typeText(old))
        throw new Unwritable(`${place} was ${typeText(old)} and is ${typeText(column)} now: add a new column instead.`);
      else if (old.isNullable !== column.isNullable)
        restrictions.push([place, call('setNullable', quoted(name), column.isNullable)]);
    }
    const dropped = Object.keys(before.columns).filter((name) => !Object.hasOwn(table.columns, name));
    for (const name of dropped) restrictions.push([`${table.name}.${name}`, call('dropColumn', quoted(name))]);
    for (const kind of ['unique', 'indexes']) {
      const isIn = (lists, columns) => lists.some((each) => quoted(each) === quoted(columns));
      const [isUnique, what] = kind === 'unique' ? [', true', 'a unique index'] : ['', 'an index'];
      const about = `${what} of ${table.name}`;
      for (const columns of table[kind].filter((each) => !isIn(before[kind], each))) {
        // Earlier versions leave a new column null, and so cannot violate its index.
        const isTolerated = columns.some((name) => !before.columns[name] && table.columns[name].initial === undefined);
        const list = isUnique && !isTolerated ? restrictions : additions;
        list.push([about, call('createIndex', `${quoted(columns)}${isUnique}`)]);
      }
      // An index is dropped with each of its columns.
      for (const columns of before[kind].filter((each) => !isIn(table[kind], each)))
        if (!columns.some((name) => dropped.includes(name)))
          restrictions.push([about, call('dropIndex', `${quoted(columns)}${isUnique}`)]);
    }
  }
  for (const name of documented.keys())
    if (name !== 'schema_migrations' && !tables.some((table) => table.name === name))
      restrictions.push([name, `schema.dropTable(${quoted(name)});`]);
  return { additions, restrictions };
}

/** Writes a migration; the statements come from {@link differences}. */
function migrationText(number, name, method, statements, others = '') {
  const constant = name.replaceAll(/-(.)/g, (_, letter) => letter.toUpperCase());
  const things = new Intl.ListFormat('en').format(new Set(statements.map(([about]) => about)));
  return `/** ${method === 'expand' ? 'Adds' : 'Drops or restricts'} ${things}. */
export const ${constant}: Migration = {
  number: ${number}, name: ${quoted(name.replaceAll('-', ' '))}, ${others}
  ${method}(schema) { ${statements.map(([, text]) => text).join('\n')} },
};
`;
}

/** Writes the file of migrations, and returns its path. Throws {@link Unwritable}. */
async function writeMigrations(name) {
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name))
    throw new Unwritable('Name the migration after what it adds, in kebab-case: npm run migration -- compost-bins');
  await build();
  const { tables } = await import('../dist/resources.js');
  const { additions, restrictions } = differences(tables);
  const number = Number(new Date().toISOString().replaceAll(/\D/g, '').slice(0, 14));
  const texts = [];
  if (additions.length > 0) texts.push(migrationText(number, name, 'expand', additions));
  if (restrictions.length > 0) {
    const compatibleFrom = `compatibleFrom: ${quoted(JSON.parse(read('package.json')).version)},`;
    texts.push(migrationText(number + texts.length, `end-of-${name}`, 'contract', restrictions, compatibleFrom));
  }
  if (texts.length === 0)
    throw new Unwritable('docs/reference/schema has the declared tables: there is nothing to migrate.');
  const imports = `${texts.some((text) => text.includes('column.')) ? "import { column } from '../columns.ts';\n" : ''}import type { Migration } from '../migrator.ts';\n`;
  const path = `src/db/migrations/${number}-${name}.ts`;
  writeFileSync(join(root, path), [imports, ...texts].join('\n'));
  execFileSync(join(root, 'scripts/node_modules/.bin/biome'), ['format', '--write', path], {
    cwd: root,
    stdio: 'ignore',
  });
  return path;
}

try {
  const schemas = readdirSync(join(root, 'docs/reference/schema')).map((name) => `docs/reference/schema/${name}`);
  const before = schemas.map((path) => [path, read(path)]);
  const migration = await writeMigrations(process.argv[2] ?? '');
  const test = ['run', 'test/api/schema.test.ts', '--update'];
  const { status, stdout, stderr } = spawnSync(join(root, 'node_modules/.bin/vitest'), test, {
    cwd: root,
    encoding: 'utf8',
  });
  if (status === 0)
    console.log(
      `${migration} is written.\nBoth engines have the declared tables, and docs/reference/schema is updated.`,
    );
  else {
    console.log(`${stdout}${stderr}${read(migration)}`);
    console.error(
      'The test of the schema failed with this migration. It is deleted, and docs/reference/schema is as before.',
    );
    // The next run would compare with a schema that only one engine has.
    rmSync(join(root, migration));
    for (const [path, text] of before) writeFileSync(join(root, path), text);
  }
  process.exitCode = status ?? 1;
} catch (error) {
  if (!(error instanceof Unwritable)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
