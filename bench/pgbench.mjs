// What PostgreSQL itself does: pgbench with prepared statements on the rows that the server reads and changes.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { connections, seconds } from './server-process.mjs';

/** Folder of Debian's packages postgresql-15 and so on. */
const debian = '/usr/lib/postgresql';
const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
const folders = [
  ...(process.env.PATH ?? '').split(delimiter),
  ...versions.map((version) => join(debian, version, 'bin')),
];
const program = folders.map((folder) => join(folder, 'pgbench')).find((path) => existsSync(path));

/** The prepared select of a point, by which a share is measured. */
export const selectOf = ({ device, point }) => `select * from points where device_id = ${device} and id = ${point};\n`;

/** The statements of a change of a point, and their transaction. */
export const changeOf = ({ device, point }) => `begin;
select 1 from devices where id = ${device} for update;
${selectOf({ device, point })}update points set x = x + 1, updated_at = now() where device_id = ${device} and id = ${point} returning *;
insert into changes (created_at, updated_at, device_id, request, actor_kind, resource, record_id, action, byte_size, before, after, label, origin)
  values (now(), now(), ${device}, 'bench', 'user', 'Point', ${point}, 'updated', 900, repeat('b', 350), repeat('a', 350), 'NONE', 'browser');
commit;
`;

/** Returns the transactions per second of scripts, in turns; null where pgbench is missing. Rejects with its output if it fails. */
export async function pgbench(url, scripts) {
  if (!program) return null;
  const folder = mkdtempSync(join(tmpdir(), 'potager-pgbench-'));
  const files = scripts.flatMap((script, index) => {
    const file = join(folder, `${index}.sql`);
    writeFileSync(file, script);
    return ['--file', file];
  });
  const load = ['--client', connections, '--jobs', 2, '--time', seconds].map(String);
  const args = ['--no-vacuum', '--protocol', 'prepared', ...load, ...files, url];
  try {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (text) => {
        output += text;
      });
    await new Promise((resolve) => child.once('close', resolve));
    const [, perSecond] = /^tps = ([\d.]+)/m.exec(output) ?? [];
    if (perSecond === undefined) throw new Error(`pgbench failed:\n${output}`);
    return Number(perSecond);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
