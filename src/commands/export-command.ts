import { resolve } from 'node:path';
import type { Command } from 'commander';
import { plain, print, Refusal, withApp } from './terminal.ts';
import { inWords, sized } from './written-files.ts';

async function exportAccount(email: string, file: string, { force = false }: { force?: boolean }): Promise<void> {
  const ending = /\.(zip|json)$/i.exec(file)?.[1]?.toLowerCase();
  if (!ending) throw new Refusal('Name the file .zip to have the photos too, or .json for the data alone.');
  const options = { withPhotos: ending === 'zip', replaces: force };
  const size = await inWords(withApp((app) => app.operations.exports.write(email, resolve(file), options)));
  if (size === null) throw new Refusal(`There is no user with the address ${plain(email)}.`);
  print(`Wrote the account of ${plain(email)} to ${plain(file)} (${sized(size)}).`);
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
