import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { Option } from 'commander';
import { Failure } from '../core/errors.ts';
import type { ImportMode } from '../transfer/import-modes.ts';
import { importModes } from '../transfer/import-modes.ts';
import type { ImportReport, Note } from '../transfer/import-report.ts';
import { CommandError, print, printable, withApp } from './terminal.ts';

interface ImportCommandOptions {
  readonly mode: ImportMode;
  readonly check?: boolean;
  readonly strict?: boolean;
}

function printNotes(title: string, notes: readonly Note[]): void {
  if (notes.length === 0) return;
  print(`${title}:`);
  for (const { path, message } of notes) print(`  ${printable(path === '' ? '' : `${path}: `)}${printable(message)}`);
}

function printCounts(title: string, counts: Readonly<Record<string, number>>): void {
  const told = Object.entries(counts).filter(([, count]) => count > 0);
  if (told.length > 0) print(`${title}: ${told.map(([key, count]) => `${count} ${key}`).join(', ')}.`);
}

function printReport(report: ImportReport): void {
  printNotes('Problems', report.problems);
  printNotes('Changed', report.changed);
  printNotes('Left out', report.left_out);
  if (report.unlisted > 0) print(`And ${report.unlisted} more.`);
  printCounts('In use as they are', report.reused);
  printCounts(report.check ? 'Would be taken' : 'Taken', report.taken);
  if (report.back_up) print(`What was there before is in ${printable(report.back_up)} in the data folder.`);
}

/** All that keeps a file out, a line each. */
function refusalOf({ fields, message }: Failure): string {
  const lines = Object.entries(fields ?? {}).map(([path, sentence]) =>
    path === 'error' ? printable(String(sentence)) : `${printable(path)}: ${printable(String(sentence))}`,
  );
  return lines.length > 0 ? ['This cannot be imported.', ...lines].join('\n  ') : printable(message);
}

async function importAccount(email: string, file: string, options: ImportCommandOptions): Promise<void> {
  const { mode, check = false, strict = false } = options;
  const path = resolve(file);
  const found = await stat(path).catch(() => null);
  if (!found?.isFile()) throw new CommandError(`There is no file ${printable(file)}.`);
  const wish = { mode, check, strict };
  const report = await withApp((app) => app.operations.imports.importFile(email, path, wish)).catch(
    (error: unknown) => {
      throw error instanceof Failure ? new CommandError(refusalOf(error)) : error;
    },
  );
  if (report === null) throw new CommandError(`There is no user with the address ${printable(email)}.`);
  printReport(report);
  if (!report.ok) throw new CommandError('This cannot be imported: see the problems above.');
  if (check) print('Nothing was stored.');
}

/** Adds the command that takes an account in. */
export function addImportCommand(program: Command): void {
  program
    .command('import')
    .description('take in an account that was exported, here or from the vendor: JSON, or a ZIP archive with photos')
    .argument('<email>', 'the address of one of its users')
    .argument('<file>')
    .addOption(
      new Option(
        '--mode <mode>',
        'what becomes of what the account holds: it must be empty, is merged with what comes, or replaced by it',
      )
        .choices(importModes)
        .default('empty'),
    )
    .option('--check', 'only say what would be done')
    .option('--strict', 'refuse a file of which anything would be changed or lost')
    .action(importAccount);
}
