#!/usr/bin/env node
import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Command, CommanderError } from 'commander';
import { addBackupCommands } from './commands/backup-commands.ts';
import { addCompletionCommands } from './commands/completion-commands.ts';
import { addDeviceCommands } from './commands/device-commands.ts';
import { addExamplesToHelp, withExamples } from './commands/examples.ts';
import { addExportCommand } from './commands/export-command.ts';
import { errorMessage, exitCodeOf } from './commands/failures.ts';
import { addImportCommand } from './commands/import-command.ts';
import { addJobCommands } from './commands/job-commands.ts';
import { addMoveCommand } from './commands/move-command.ts';
import { addOperatingCommands } from './commands/operating-commands.ts';
import { addPhotosCommand } from './commands/photos-command.ts';
import { addProgramCommands } from './commands/program-commands.ts';
import { addServerCommands } from './commands/server-commands.ts';
import { addCommonFlags } from './commands/setting-flags.ts';
import { addSettingsCommand } from './commands/settings-command.ts';
import { print, readPassword } from './commands/terminal.ts';
import { addTokenCommands } from './commands/token-commands.ts';
import { addUpdateCommand } from './commands/update-command.ts';
import { addUserCommands } from './commands/user-commands.ts';
import { reportLateError } from './core/library-errors.ts';
import { errorCode } from './core/system.ts';
import { version } from './core/version.ts';
import { addRobotCommand } from './robot/robot-command.ts';

/** Returns the command that started the program: installed, or by npm in a clone. */
const programName = ({ npm_lifecycle_event, npm_package_name }: NodeJS.ProcessEnv): string =>
  npm_package_name === 'potager' && ['potager', 'start'].includes(npm_lifecycle_event ?? '')
    ? 'npm run potager --'
    : 'potager';

/** Removes the value of an unknown option from an error: it may be a secret whose flag is misspelled. */
const withoutValue = (message: string): string => message.replace(/^(error: unknown option '[^=']*)=.*'/s, "$1'");

/** Returns the program with all of its commands. It throws CommanderError instead of exiting. */
export function commandLine(name = 'potager'): Command {
  const program = new Command(name)
    .description('A self-hosted server for garden robots.')
    .version(version)
    .exitOverride()
    .configureOutput({ outputError: (message, write) => write(withoutValue(message)) })
    .configureHelp({ showGlobalOptions: true });
  addCommonFlags(program);
  addServerCommands(program);
  addSettingsCommand(program);
  addBackupCommands(program);
  addMoveCommand(program);
  addPhotosCommand(program);
  addUserCommands(program);
  addTokenCommands(program);
  addDeviceCommands(program);
  addExportCommand(program);
  addImportCommand(program);
  addUpdateCommand(program);
  addJobCommands(program);
  addOperatingCommands(program);
  addProgramCommands(program);
  const robot = addRobotCommand(program, { askPassword: () => readPassword(undefined), print });
  withExamples(robot, 'robot --email ada@example.com', 'robot --server https://garden.example --websocket --speed 400');
  addCompletionCommands(program);
  withExamples(program, '--port 8080 --data-dir /srv/garden', 'user create ada@example.com');
  addExamplesToHelp(program);
  return program;
}

/** Whether a word asks for the help or the version. */
const informs = (word: string): boolean => ['-h', '--help', '-V', '--version'].includes(word);

/** Whether words name a command. Each flag before it has a value. */
function namesCommand([first, ...rest]: readonly string[]): boolean {
  if (first === undefined) return false;
  return !first.startsWith('-') || namesCommand(first.includes('=') ? rest : rest.slice(1));
}

/** Adds `serve` where no command is named. Not commander's default command, which would take an unknown command for its argument. */
export const withCommand = (words: readonly string[]): readonly string[] =>
  words.some(informs) || namesCommand(words) ? words : ['serve', ...words];

/** Ends the process, unless a library threw for which something fails instead. */
function onUncaught(error: Error): void {
  if (reportLateError(error) !== null) return;
  process.stderr.write(`${error.stack ?? error}\n`);
  process.exit(1);
}

/** Runs a command line in the form of `process.argv`. Exits with 2 and a message if it is wrong, with 1 if it fails; `serve` always exits. */
export async function run(argv: readonly string[]): Promise<void> {
  // Everything in the data folder and every output file is for its owner only, SQLite's and sharp's files included.
  process.umask(0o077);
  // The reader may close the pipe early: `potager openapi | head`.
  process.stdout.on('error', (error) => process.exit(errorCode(error) === 'EPIPE' ? 0 : 1));
  process.on('uncaughtException', onUncaught);
  const program = commandLine(programName(process.env));
  try {
    await program.parseAsync(withCommand(argv.slice(2)), { from: 'user' });
  } catch (error) {
    // Commander has printed its message, or the help.
    if (!(error instanceof CommanderError)) process.stderr.write(`${errorMessage(error)}\n`);
    process.exit(exitCodeOf(error));
  } finally {
    process.off('uncaughtException', onUncaught);
  }
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url))
  await run(process.argv);
