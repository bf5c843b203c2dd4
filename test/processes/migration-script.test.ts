import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { version } from '../../src/core/version.ts';

const root = resolve(import.meta.dirname, '../..');

/** The files that the script reads and starts. */
const parts = [
  'src',
  'test',
  'scripts',
  'docs/reference/schema',
  'package.json',
  'biome.json',
  'tsconfig.json',
  'vitest.config.ts',
];

let copy: string;
beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), 'potager-migration-'));
  const filter = (path: string) => basename(path) !== 'node_modules';
  for (const part of parts) await cp(join(root, part), join(copy, part), { recursive: true, filter });
  for (const packages of ['node_modules', 'scripts/node_modules'])
    await symlink(join(root, packages), join(copy, packages));
});
afterAll(() => rm(copy, { recursive: true, force: true }));

/** Runs the script, which runs the test of the schema on both engines. */
const run = (...words: string[]) =>
  new Promise<{ readonly code: unknown; readonly lines: readonly string[] }>((done) => {
    const env = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '' };
    execFile(process.execPath, ['scripts/migration.mjs', ...words], { cwd: copy, env }, (error, stdout, stderr) =>
      done({ code: error?.code ?? 0, lines: `${stdout}${stderr}`.trim().split('\n') }),
    );
  });

async function edit(path: string, ...changes: readonly (readonly [from: string, to: string])[]): Promise<void> {
  let text = await readFile(join(copy, path), 'utf8');
  for (const [from, to] of changes) {
    expect(text).toContain(from);
    text = text.replace(from, to);
  }
  await writeFile(join(copy, path), text);
}

/** Runs the script, and returns the written files, with N as the number. */
async function written(name: string): Promise<string> {
  const { code, lines } = await run(name);
  const [, path = '', number = ''] =
    /^(src\/db\/migrations\/(\d{14})-[a-z-]+\.ts) is written\.$/.exec(lines[0] ?? '') ?? [];
  expect([code, lines.slice(1)], lines.join('\n')).toEqual([
    0,
    ['Both engines have the declared tables, and docs/reference/schema is updated.'],
  ]);
  expect(path).toBe(`src/db/migrations/${number}-${name}.ts`);
  expect(
    Math.abs(Date.parse(number.replace(/(....)(..)(..)(..)(..)(..)/, '$1-$2-$3T$4:$5:$6Z')) - Date.now()),
  ).toBeLessThan(600_000);
  const text = await readFile(join(copy, path), 'utf8');
  return text.replace(number, 'N').replace(String(Number(number) + 1), 'N + 1');
}

const sensors = 'src/garden/sensors.ts';
const label = '    label: text().required().label(labels.name),\n';

it('the script writes additions to declarations, then removals, as both engines have it', async () => {
  expect(await run('beds')).toEqual({
    code: 1,
    lines: ['docs/reference/schema has the declared tables: there is nothing to migrate.'],
  });
  expect(await run('Beds of mine')).toEqual({
    code: 1,
    lines: ['Name the migration after what it adds, in kebab-case: npm run migration -- compost-bins'],
  });

  await edit(sensors, [label, `${label}    depth: integer().required().addition(),\n`]);
  expect(await run('depths')).toEqual({
    code: 1,
    lines: ['sensors.depth needs a default, or null must be possible: rows that exist have no value.'],
  });

  // Nothing is left of a migration that the test of the schema refuses.
  const leftovers = async () => [
    ...(await readdir(join(copy, 'src/db/migrations'))),
    ...(await Promise.all(
      ['postgres', 'sqlite'].map((name) => readFile(join(copy, `docs/reference/schema/${name}.sql`), 'utf8')),
    )),
  ];
  const before = await leftovers();
  const schemaTest = await readFile(join(copy, 'test/api/schema.test.ts'), 'utf8');
  await writeFile(join(copy, 'test/api/schema.test.ts'), 'throw new Error("no database");\n');
  await edit(sensors, ['depth: integer().required()', 'depth: integer().default(5)']);
  const refused = await run('depths');
  expect(refused.code).toBe(1);
  expect(refused.lines.join('\n')).toMatch(/no database.*It is deleted, and docs\/reference\/schema is as before\.$/s);
  expect(await leftovers()).toEqual(before);
  await writeFile(join(copy, 'test/api/schema.test.ts'), schemaTest);
  await edit(sensors, ['depth: integer().default(5)', 'depth: integer().required()']);

  await edit(
    sensors,
    [
      'depth: integer().required()',
      "depth: integer().default(5),\n    bed_id: bigint().nullable().references('beds', 'set null', 'null').addition(),\n    code: integer().nullable().unique()",
    ],
    ['import { custom', 'import { bigint, custom'],
  );
  await edit(
    'src/resources.ts',
    ['  ...loggedResources,\n', '  ...loggedResources,\n  bedParts,\n  beds,\n'],
    [
      '/** Every table',
      `const beds = table('beds', { device_id: column.bigint().references('devices'), name: column.text(), notes: column.text().nullable() }, { reach: 'device', unique: [['device_id', 'name']] });
const bedParts = table('bed_parts', { bed_id: column.bigint().references('beds') }, { reach: 'server' });
/** Every table`,
    ],
  );
  await edit('src/resources.ts', [
    "import type { Table } from './db/table.ts';",
    "import { column } from './db/columns.ts';\nimport { type Table, table } from './db/table.ts';",
  ]);
  expect(await written('beds')).toBe(`import { column } from '../columns.ts';
import type { Migration } from '../migrator.ts';

/** Adds beds, bed_parts, sensors.depth, sensors.bed_id, sensors.code, a unique index of sensors, and an index of sensors. */
export const beds: Migration = {
  number: N,
  name: 'beds',
  expand(schema) {
    schema.createTable(
      'beds',
      { device_id: column.bigint().references('devices'), name: column.text(), notes: column.text().nullable() },
      { unique: [['device_id', 'name']] },
    );
    schema.createTable('bed_parts', { bed_id: column.bigint().references('beds') }, { indexes: [['bed_id']] });
    schema.addColumn('sensors', 'depth', column.integer().default(5));
    schema.addColumn('sensors', 'bed_id', column.bigint().nullable().references('beds', 'set null'));
    schema.addColumn('sensors', 'code', column.integer().nullable());
    schema.createIndex('sensors', ['device_id', 'code'], true);
    schema.createIndex('sensors', ['bed_id']);
  },
};
`);
  for (const engine of ['sqlite', 'postgres'])
    expect(await readFile(join(copy, `docs/reference/schema/${engine}.sql`), 'utf8')).toMatch(
      /^ {2}"?depth"? integer not null default 5/m,
    );

  await edit(
    'src/resources.ts',
    ['  bedParts,\n', ''],
    [', notes: column.text().nullable()', ''],
    ['name: column.text()', 'name: column.text().nullable()'],
    ["unique: [['device_id', 'name']]", "indexes: [['device_id', 'name']]"],
  );
  await edit(
    sensors,
    ['integer().default(5)', 'float().default(5)'],
    ['import { bigint, custom', 'import { bigint, custom, float'],
  );
  expect(await run('floats')).toEqual({
    code: 1,
    lines: ['sensors.depth was column.integer() and is column.float() now: add a new column instead.'],
  });
  await edit(sensors, ['float().default(5)', 'integer().default(5)']);
  expect(await written('fewer-beds')).toBe(`import type { Migration } from '../migrator.ts';

/** Adds an index of beds. */
export const fewerBeds: Migration = {
  number: N,
  name: 'fewer beds',
  expand(schema) {
    schema.createIndex('beds', ['device_id', 'name']);
  },
};

/** Drops or restricts beds.name, beds.notes, a unique index of beds, and bed_parts. */
export const endOfFewerBeds: Migration = {
  number: N + 1,
  name: 'end of fewer beds',
  compatibleFrom: '${version}',
  contract(schema) {
    schema.setNullable('beds', 'name', true);
    schema.dropColumn('beds', 'notes');
    schema.dropIndex('beds', ['device_id', 'name'], true);
    schema.dropTable('bed_parts');
  },
};
`);
  expect(await readdir(join(copy, 'docs/reference/schema'))).toEqual(['postgres.sql', 'sqlite.sql']);
});
