import { mkdirSync, realpathSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import type { Command } from 'commander';
import { MoveError, TargetError } from '../backup/move-error.ts';
import type { MoveProgress } from '../backup/move-rows.ts';
import type { MoveTarget } from '../backup/server-move.ts';
import { systemClock } from '../core/clock.ts';
import { lockDataFolder } from '../settings/data-folder-lock.ts';
import { declarations } from '../settings/declarations.ts';
import type { Settings } from '../settings/settings.ts';
import { assertDatabaseExists, commandLogger, withSettingMessage } from './database-session.ts';
import { withExamples } from './examples.ts';
import { explainFileErrors } from './output-files.ts';
import { progressPrinter } from './progress.ts';
import { commandSettings, contentOf } from './setting-flags.ts';
import { CommandError, print, printable, UsageError } from './terminal.ts';

/** The word for the value of the setting: a URL in a command line is visible to all users of the machine. */
const databaseSetting = 'DATABASE_URL';

/** Parses the target: a URL of PostgreSQL, given here, in a file or by its setting, or a folder. Throws UsageError. */
function targetOf(text: string, { DATABASE_URL }: Settings): MoveTarget {
  if (text === databaseSetting && DATABASE_URL === null)
    throw new UsageError(`--to ${databaseSetting}: this setting is not set. Set it to the URL of the empty database.`);
  const value = text === databaseSetting ? String(DATABASE_URL) : contentOf('--to', text).trim();
  const { kind } = declarations.DATABASE_URL;
  if (kind.parse(value) !== undefined) return { url: value };
  // A mistyped URL, or a variable of the shell that is not set, is no folder.
  if (text.startsWith('@') || value === '' || /^[a-z][\w+.-]+:/i.test(value))
    throw new UsageError(`--to must be a folder or ${kind.values}.`);
  const folder = resolve(value);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return { folder: realpathSync(folder) };
}

/** Returns an error with its remedy, of the target or of the source. */
async function explained(error: unknown, target: MoveTarget, settings: Settings): Promise<unknown> {
  if (error instanceof MoveError) return new CommandError(printable(error.message));
  if (!(error instanceof TargetError)) return withSettingMessage(error, settings);
  const { databaseProblem } = await import('../doctor/database-errors.ts');
  const problem = 'url' in target ? databaseProblem(error.cause, target.url) : null;
  return problem === null ? error.cause : new CommandError(`--to: ${problem} Nothing was moved.`, { cause: error });
}

async function move({ to }: { readonly to: string }): Promise<void> {
  const settings = commandSettings();
  const target = targetOf(to, settings);
  // Where the setting names the target already, the server is still in the data folder.
  const isSetting = 'url' in target && target.url === settings.DATABASE_URL;
  const source: Settings = isSetting ? { ...settings, DATABASE_URL: null } : settings;
  if ('folder' in target && source.DATABASE_URL === null)
    throw new CommandError(
      'The server is in a folder already (DATABASE_URL is not set). To move it to another folder, stop it and move the folder.',
    );
  await assertDatabaseExists(source);
  const locks = [lockDataFolder(settings.DATA_DIR)];
  try {
    const dataDir = realpathSync(settings.DATA_DIR);
    if ('folder' in target && target.folder.startsWith(join(dataDir, sep)))
      throw new UsageError(`--to must not be within ${dataDir}, whose files are moved, too.`);
    if ('folder' in target && target.folder !== dataDir) locks.push(lockDataFolder(target.folder));
    const { moveServer } = await import('../backup/server-move.ts');
    const showProgress = progressPrinter('rows');
    const onProgress = ({ step, rows, total }: MoveProgress) =>
      showProgress(step === 'copied' ? 'Copied' : 'Checked', rows, total);
    const context = { dataDir, clock: systemClock, log: await commandLogger(settings), onProgress };
    const rows = await explainFileErrors(
      moveServer(source.DATABASE_URL, target, context).catch(async (error: unknown) => {
        throw await explained(error, target, source);
      }),
    );
    print(`Moved the key and ${rows} rows, and checked each.`);
    print(
      'url' in target
        ? `From now on, set DATABASE_URL to that database, and DATA_DIR to ${dataDir} as before, which keeps photos and unsent mails.`
        : `From now on, set DATA_DIR to ${target.folder}, and leave DATABASE_URL unset.`,
    );
    print('The old database is kept as it was, and no server starts on it any more.');
  } finally {
    for (const lock of locks.reverse()) lock.release();
  }
}

/** Adds the command `move`. */
export function addMoveCommand(program: Command): void {
  const command = program
    .command('move')
    .description('move the database and the key of a stopped server to PostgreSQL, or back to a folder')
    .requiredOption(
      '--to <database>',
      'an empty PostgreSQL database (postgres://…, @FILE with its URL, or DATABASE_URL for that setting), or a folder',
    )
    .action(move);
  withExamples(command, 'move --to @/etc/potager/database-url', 'move --to DATABASE_URL', 'move --to /srv/garden');
}
