import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { Option } from 'commander';
import { Failure } from '../core/errors.ts';
import { DiskAlmostFull } from '../core/free-space.ts';
import type { ImportMode, ImportReport, Note } from '../transfer/import-report.ts';
import { importModes } from '../transfer/import-report.ts';
import { withOperations } from './database-session.ts';
import { withExamples } from './examples.ts';
import { CommandError, print, printable, unknownUser } from './terminal.ts';

interface ImportCommandOptions {
  readonly mode?: ImportMode;
  readonly check?: boolean;
  readonly strict?: boolean;
  readonly encoding?: string;
}

function printNotes(title: string, notes: readonly Note[]): void {
  if (notes.length === 0) return;
  print(`${title}:`);
  for (const { path, message } of notes)
    print(`  ${printable(path === '' ? '' : `${path}: `)}${printable(String(message))}`);
}

function printCounts(title: string, counts: Readonly<Record<string, number>>): void {
  const nonZero = Object.entries(counts).filter(([, count]) => count > 0);
  if (nonZero.length > 0) print(`${title}: ${nonZero.map(([key, count]) => `${count} ${key}`).join(', ')}.`);
}

function printReport(report: ImportReport): void {
  printNotes('Problems', report.problems);
  printNotes('Changed', report.changed);
  printNotes('Omitted', report.left_out);
  if (report.unlisted > 0) print(`And ${report.unlisted} more.`);
  printCounts('Unchanged', report.reused);
  printCounts(report.check ? 'Would be imported' : 'Imported', report.taken);
  if (report.back_up) print(`The previous data is in ${printable(report.back_up)} in the data folder.`);
}

/** Formats the problems of a rejected file, one per line. */
function formatFailure(failure: Failure): string {
  if (failure instanceof DiskAlmostFull) return printable(failure.details);
  const { fields, message } = failure;
  const lines = Object.entries(fields ?? {}).map(([path, sentence]) =>
    path === 'error' ? printable(String(sentence)) : `${printable(path)}: ${printable(String(sentence))}`,
  );
  return lines.length > 0 ? ['The file cannot be imported.', ...lines].join('\n  ') : printable(message);
}

async function importAccount(email: string, file: string, options: ImportCommandOptions): Promise<void> {
  const { check = false, strict = false, encoding = null } = options;
  const isTable = /\.(?:csv|tsv|txt)$/i.test(file);
  const { mode = isTable ? 'merge' : 'empty' } = options;
  const path = resolve(file);
  const found = await stat(path).catch(() => null);
  if (!found?.isFile()) throw new CommandError(`File not found: ${printable(file)}.`);
  const request = { mode, check, strict };
  const report = await withOperations('transfer', (transfer) =>
    isTable ? transfer.importTable(email, path, { ...request, encoding }) : transfer.importFile(email, path, request),
  ).catch((error: unknown) => {
    throw error instanceof Failure ? new CommandError(formatFailure(error)) : error;
  });
  if (report === null) throw unknownUser(email);
  printReport(report);
  if (!report.ok) throw new CommandError('The file cannot be imported: see the problems above.');
  if (check) print('Nothing was imported.');
}

/** Adds the command `import`. */
export function addImportCommand(program: Command): void {
  const command = program
    .command('import')
    .description('import an account from an export of Potager or of the vendor')
    .argument('<email>', 'address of a user of the account')
    .argument('<file>', 'JSON, a ZIP archive with photos, or a table of plants (.csv, .tsv, .txt)')
    .addOption(
      new Option(
        '--mode <mode>',
        'empty: the account must be empty (the default); merge: add to its data (always for tables); replace: delete its data first',
      ).choices(importModes),
    )
    .option('--check', 'report what would be imported, without importing')
    .option('--strict', 'reject the file if any of its data would be changed or omitted')
    .option('--encoding <name>', 'of a table that is neither UTF-8 nor UTF-16, like windows-1252')
    .action(importAccount);
  withExamples(
    command,
    'import ada@example.com ada.zip',
    'import ada@example.com ada.zip --check',
    'import ada@example.com export.json --mode replace',
    'import ada@example.com plants.csv',
  );
}
