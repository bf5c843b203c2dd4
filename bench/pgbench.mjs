// Measures PostgreSQL itself: pgbench with prepared statements on the rows that the server reads and changes.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { resources } from '../dist/resources.js';
import { rounds, seconds } from './load.mjs';
import { programFolders } from './postgres.mjs';
import { connections } from './server-process.mjs';

const folders = [...programFolders, ...(process.env.PATH ?? '').split(delimiter)];
const program = folders.map((folder) => join(folder, 'pgbench')).find((path) => existsSync(path));

const select = ({ device }, table, columns = '*') => `select ${columns} from ${table} where device_id = ${device}`;
const point = (garden) => `${select(garden, 'points')} and id = ${garden.point};\n`;
const lock = ({ device }) => `begin;\nselect 1 from devices where id = ${device} for update;\n`;
const synced = resources.filter(({ options }) => options.sync === 'listed').map(({ name }) => name);

/** The statements of each case for a garden. */
const statements = {
  'show a point': point,
  'list 25 tools': (garden) => `${select(garden, 'tools')};\n`,
  'list 500 points': (garden) => `${select(garden, 'points')} and discarded_at is null;\n`,
  'device/sync': (garden) => `${synced.map((table) => select(garden, table, 'id, updated_at')).join(' union all ')};\n`,
  'change a point': (
    garden,
  ) => `${lock(garden)}${point(garden)}update points set x = x + 1, updated_at = now() where device_id = ${garden.device} and id = ${garden.point} returning *;
insert into changes (created_at, updated_at, device_id, request, actor_kind, resource, record_id, action, byte_size, before, after, label, origin)
  values (now(), now(), ${garden.device}, 'bench', 'user', 'Point', ${garden.point}, 'updated', 900, repeat('b', 350), repeat('a', 350), 'NONE', 'browser');
commit;
`,
  'change a 20-step sequence': (garden) => `${lock(garden)}${select(garden, 'sequences')} and id = ${garden.sequence};
update sequences set body = body, updated_at = now() where device_id = ${garden.device} and id = ${garden.sequence} returning *;
insert into changes (created_at, updated_at, device_id, request, actor_kind, resource, record_id, action, byte_size, before, after, label, origin)
  values (now(), now(), ${garden.device}, 'bench', 'user', 'Sequence', ${garden.sequence}, 'updated', 3000, repeat('b', 1400), repeat('a', 1400), 'NONE', 'browser');
commit;
`,
  'post a log': (
    garden,
  ) => `${lock(garden)}insert into logs (created_at, updated_at, device_id, channels, message, type, verbosity, x, y, z, posted)
  values (now(), now(), ${garden.device}, '["ticker"]', 'Moving to (1, 2, 3)', 'info', 1, 1, 2, 3, true) returning *;
commit;
`,
};

/** Returns the transactions per second of a case, in the gardens in turn, and PostgreSQL's CPU time of each, in µs; null where pgbench is missing. Rejects with its output if it fails. */
export async function pgbench({ url, cpuTime }, name, gardens) {
  if (!program) return null;
  const folder = mkdtempSync(join(tmpdir(), 'potager-pgbench-'));
  const files = gardens.flatMap((garden, index) => {
    const file = join(folder, `${index}.sql`);
    writeFileSync(file, statements[name](garden));
    return ['--file', file];
  });
  const load = ['--client', connections, '--jobs', 2, '--time', rounds * seconds].map(String);
  const args = ['--no-vacuum', '--protocol', 'prepared', ...load, ...files, url];
  try {
    const before = cpuTime();
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (text) => {
        output += text;
      });
    await new Promise((resolve) => child.once('close', resolve));
    const [, count] = /transactions actually processed: (\d+)/.exec(output) ?? [];
    if (count === undefined) throw new Error(`pgbench failed:\n${output}`);
    const [, perSecond] = /^tps = ([\d.]+)/m.exec(output) ?? [];
    return { perSecond: Number(perSecond ?? 0), cpu: ((cpuTime() - before) / Number(count)) * 1e6 };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
