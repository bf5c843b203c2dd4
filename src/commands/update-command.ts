import type { Command } from 'commander';
import { systemClock } from '../core/clock.ts';
import { FreeSpace } from '../core/free-space.ts';
import { version } from '../core/version.ts';
import type { UpdateCheck } from '../operating/update-check.ts';
import { servingProcess } from '../settings/data-folder-lock.ts';
import type { Settings } from '../settings/settings.ts';
import { assertDatabaseKept, withSettingMessage } from './database-session.ts';
import { withExamples } from './examples.ts';
import { explainFileErrors } from './output-files.ts';
import { commandSettings } from './setting-flags.ts';
import { print } from './terminal.ts';

const instructions = `This is Potager ${version}. It does not update itself. Back up first (potager backup FILE), and stop the server,
because its files are replaced. Then install the new version:

  package     npm install -g ./potager-VERSION.tgz
  clone       git pull && npm ci
  container   build or pull the image of the new version; the old one may run meanwhile

Run "potager update --check" with the new version: it says whether the database will be migrated, and copies it.
Then start the server. It migrates the database when it starts.`;

const restoredDump =
  'stop all servers, restore the dump into an empty database (pg_restore --exit-on-error --no-owner --dbname="$DATABASE_URL" FILE)';

/** Prints how to return to the version before, once this one has migrated the database. */
function printWayBack({ DATA_DIR }: Settings, { copy, oldest }: UpdateCheck): void {
  if (oldest !== null) print(`Versions from ${oldest} on can be started again at any time.`);
  print(`Once this version has started, ${oldest === null ? 'earlier ones' : 'those before'} refuse the database.`);
  const restored =
    copy === null
      ? restoredDump
      : `stop the server, delete potager.sqlite, potager.sqlite-wal and potager.sqlite-shm in ${DATA_DIR}, copy ${copy} to ${DATA_DIR}/potager.sqlite`;
  const lost = `Changes since the ${copy === null ? 'dump' : 'copy'} are lost.`;
  print(`To go back${oldest === null ? '' : ' to one of those'}: ${restored}, and start the earlier version. ${lost}`);
}

function printMigrations(settings: Settings, result: UpdateCheck): void {
  const { pending, copy, oldest } = result;
  print(`The next start migrates the database (${pending.length}):`);
  for (const { number, name } of pending) print(`  ${number} ${name}`);
  if (copy === null) {
    print('Back it up before, because Potager does not copy PostgreSQL databases:');
    print(`  pg_dump --format=custom --file=before-${pending[0]?.number}.dump "$DATABASE_URL"`);
    print(
      oldest === null
        ? 'Stop all processes on it before the start: none of an earlier version can use it then.'
        : `Processes of version ${oldest} or newer may keep running: replace one after the other.`,
    );
  } else print(`The database was copied to ${copy}. Migrations do not change photos and keys.`);
  printWayBack(settings, result);
}

async function check(settings: Settings): Promise<void> {
  const { DATABASE_URL: url, DATA_DIR: folder } = settings;
  await assertDatabaseKept(settings);
  const { checkUpdate } = await import('../operating/update-check.ts');
  const freeSpace = new FreeSpace({ minFree: settings.MIN_FREE_BYTES, clock: systemClock });
  const result = await explainFileErrors(checkUpdate({ url, folder, freeSpace }));
  print(`This is Potager ${version} with Node.js ${process.versions.node}.`);
  const server = servingProcess(folder);
  if (server !== null) print(`Process ${server} is serving ${folder}: stop it before you start another version.`);
  if (!result.exists)
    print(`There is no database in ${url === null ? folder : 'DATABASE_URL'} yet: the first start creates it.`);
  else if (result.pending.length > 0) printMigrations(settings, result);
  else {
    print('The database is up to date: this version changes nothing in it, and no copy was made.');
    print('The version that has used it so far can be started again at any time.');
  }
}

async function update({ check: isChecked = false }: { readonly check?: boolean }): Promise<void> {
  if (!isChecked) return print(instructions);
  const settings = commandSettings();
  await check(settings).catch((error: unknown) => {
    throw withSettingMessage(error, settings);
  });
}

/** Adds the command `update`, which changes neither the program nor the database. */
export function addUpdateCommand(program: Command): void {
  const command = program
    .command('update')
    .description('say how to update')
    .option('--check', 'list the migrations that this version would apply, and copy the SQLite database before them')
    .action(update);
  withExamples(command, 'update', 'update --check', 'update --check --data-dir /srv/garden');
}
