// The limit of changes on SQLite: the statements of a changed point by the driver alone, without HTTP, rules and announcements.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { fillDatabase } from './filled-server.mjs';

const changes = 6400;
const rounds = Number(process.env.ROUNDS ?? 5);
/** Numbers of changes that share a commit: one, and those of an iteration of the event loop under load. */
const batches = [1, 4, 16, 32];

const folder = mkdtempSync(join(tmpdir(), 'potager-bench-writes-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
await fillDatabase({ DATA_DIR: folder, EMAIL_VERIFICATION: 'off', RATE_LIMITS: 'off' }, 2);
const database = new Sqlite(
  join(
    folder,
    readdirSync(folder).find((name) => name.endsWith('.sqlite')),
  ),
);
database.exec(
  'pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on; pragma temp_store = memory',
);

const point = database.prepare('select device_id, id from points order by id desc limit 1').raw().get();
const now = new Date().toISOString();
const [before, after] = ['b'.repeat(350), 'a'.repeat(350)];
const select = database.prepare('select * from points where device_id = ? and id = ?').raw();
const update = database.prepare('update points set x = ?, updated_at = ? where device_id = ? and id = ?');
const insert = database.prepare(
  `insert into changes (created_at, updated_at, device_id, request, actor_kind, resource, record_id, action, byte_size, before, after, label, origin)
     values (?, ?, ?, 'bench', 'user', 'Point', ?, 'updated', 900, ?, ?, 'NONE', 'browser')`,
);
const commit = database.prepare('commit');

/** Changes a point as often as said, so many times in each commit. */
function change(count, batch) {
  for (let turn = 0; turn < count; turn++) {
    if (turn % batch === 0) database.exec('begin immediate');
    select.get(...point);
    update.run(turn % 1000, now, ...point);
    insert.run(now, now, ...point, before, after);
    if (turn % batch === batch - 1) commit.run();
  }
}

console.log('| changes per commit | CPU µs of a change |\n| ---: | ---: |');
for (const batch of batches) {
  const times = [];
  for (let round = 0; round <= rounds; round++) {
    const began = process.cpuUsage();
    change(changes, batch);
    const { user, system } = process.cpuUsage(began);
    // The first round fills caches.
    if (round > 0) times.push((user + system) / changes);
  }
  console.log(`| ${batch} | ${times.sort((a, b) => a - b)[Math.floor(rounds / 2)].toFixed(1)} |`);
}
database.close();
process.exit(0);
