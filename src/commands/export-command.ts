import type { Command } from 'commander';
import { withOperations } from './database-session.ts';
import { withExamples } from './examples.ts';
import { explainFileErrors, formatSize, outputPath } from './output-files.ts';
import { print, printable, UsageError, unknownUser } from './terminal.ts';

async function exportAccount(email: string, file: string, { force = false }: { force?: boolean }): Promise<void> {
  const ending = /\.(zip|json)$/i.exec(file)?.[1]?.toLowerCase();
  if (!ending) throw new UsageError('The file must end with .zip (data and photos) or .json (data only).');
  const options = { withPhotos: ending === 'zip', replaces: force };
  const path = await outputPath(file);
  const size = await explainFileErrors(
    withOperations('transfer', (transfer) => transfer.exportToFile(email, path, options)),
  );
  if (size === null) throw unknownUser(email);
  print(`Exported the account of ${printable(email)} to ${printable(file)} (${formatSize(size)}).`);
}

/** Adds the command `export`. */
export function addExportCommand(program: Command): void {
  const command = program
    .command('export')
    .description('export all data of an account to a file, optionally with its photos')
    .argument('<email>', 'address of a user of the account')
    .argument('<file>', 'file to write, ending with .zip (data and photos) or .json (data only)')
    .option('--force', 'overwrite an existing file')
    .action(exportAccount);
  withExamples(command, 'export ada@example.com ada.zip', 'export ada@example.com ada.json --force');
}
