import { resolve } from 'node:path';
import type { Command } from 'commander';
import { explainFileErrors, formatSize } from './output-files.ts';
import { CommandError, print, printable, withApp } from './terminal.ts';

async function exportAccount(email: string, file: string, { force = false }: { force?: boolean }): Promise<void> {
  const ending = /\.(zip|json)$/i.exec(file)?.[1]?.toLowerCase();
  if (!ending) throw new CommandError('Name the file .zip to have the photos too, or .json for the data alone.');
  const options = { withPhotos: ending === 'zip', replaces: force };
  const size = await explainFileErrors(
    withApp((app) => app.operations.exports.exportToFile(email, resolve(file), options)),
  );
  if (size === null) throw new CommandError(`There is no user with the address ${printable(email)}.`);
  print(`Wrote the account of ${printable(email)} to ${printable(file)} (${formatSize(size)}).`);
}

/** Adds the command that writes an account to a file. */
export function addExportCommand(program: Command): void {
  program
    .command('export')
    .description('write an account to a file: all of its data, and its photos')
    .argument('<email>', 'the address of one of its users')
    .argument('<file>', 'ends with .zip (data and photos) or .json (data alone)')
    .option('--force', 'replace a file of that name')
    .action(exportAccount);
}
