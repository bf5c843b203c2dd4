import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { addBackupCommands } from './commands/backup-commands.ts';
import { addDeviceCommands } from './commands/device-commands.ts';
import { addExportCommand } from './commands/export-command.ts';
import { addImportCommand } from './commands/import-command.ts';
import { addJobCommands } from './commands/job-commands.ts';
import { addOperatingCommands } from './commands/operating-commands.ts';
import { addProgramCommands } from './commands/program-commands.ts';
import { addServerCommands } from './commands/server-commands.ts';
import { CommandError, print, readPassword } from './commands/terminal.ts';
import { addUserCommands } from './commands/user-commands.ts';
import { Failure } from './core/errors.ts';
import { version } from './core/version.ts';
import { addRobotCommand } from './robot/robot-command.ts';
import { DataFolderInUseError } from './settings/data-folder-lock.ts';
import { SettingsError } from './settings/settings.ts';

function commandLine(): Command {
  const program = new Command('potager')
    .description('A self-hosted server for garden robots. Settings are environment variables: see docs/settings.md.')
    .version(version);
  addServerCommands(program);
  addProgramCommands(program);
  addRobotCommand(program, { askPassword: () => readPassword(undefined), print });
  addUserCommands(program);
  addDeviceCommands(program);
  addOperatingCommands(program);
  addJobCommands(program);
  addExportCommand(program);
  addImportCommand(program);
  addBackupCommands(program);
  return program;
}

/** Returns the message for an error, with its stack at LOG_LEVEL debug and trace. */
function errorMessage(error: unknown): string {
  if (error instanceof SettingsError) return `Invalid settings:\n${error.message}`;
  if (error instanceof CommandError || error instanceof DataFolderInUseError) return error.message;
  if (error instanceof Failure && error.code === 'unavailable' && error.cause instanceof Error) {
    const reason = 'code' in error.cause ? String(error.cause.code) : error.cause.name;
    return `The database is unavailable (${reason}). Check DATABASE_URL or DATA_DIR, or run "potager doctor".`;
  }
  if (error instanceof Failure)
    return error.fields
      ? Object.entries(error.fields)
          .map(([field, sentence]) => `${field}: ${typeof sentence === 'string' ? sentence : JSON.stringify(sentence)}`)
          .join('\n')
      : error.message;
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? String(error.code) : '';
  if (code === 'EADDRINUSE')
    return `The port is in use by another program. Stop it, or set PORT or MQTT_PORT. (${error.message})`;
  if (code === 'EADDRNOTAVAIL') return `HOST is not an address of this machine. (${error.message})`;
  if (code === 'EACCES') return `Permission denied. (${error.message})`;
  const isDetailed = ['debug', 'trace'].includes(process.env.LOG_LEVEL ?? '');
  return isDetailed && error.stack ? error.stack : error.message;
}

/** Runs a command line in the form of `process.argv`. Exits with 1 and a message if it fails; `serve` always exits. */
export async function run(words: readonly string[]): Promise<void> {
  // Everything in the data folder and every output file is for its owner only, SQLite's and sharp's files included.
  process.umask(0o077);
  // The reader may close the pipe early: `potager openapi | head`.
  process.stdout.on('error', (error) => process.exit('code' in error && error.code === 'EPIPE' ? 0 : 1));
  try {
    // Not commander's default command, which would take an unknown command for its argument.
    await commandLine().parseAsync(words.length > 2 ? words : [...words, 'serve']);
  } catch (error) {
    process.stderr.write(`${errorMessage(error)}\n`);
    process.exit(1);
  }
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url))
  await run(process.argv);
