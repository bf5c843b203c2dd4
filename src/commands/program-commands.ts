import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import type { Command } from 'commander';
import { errorCode } from '../core/system.ts';
import { withOperations } from './database-session.ts';
import { withExamples } from './examples.ts';
import { CommandError, print, printable, readAll, wholeNumber } from './terminal.ts';

/** Bytes; more than a server accepts. */
const maxProgramSize = 4 * 1024 * 1024;

async function readProgram(file: string): Promise<Buffer> {
  const tooLarge = `A program may have at most ${maxProgramSize / 1024 / 1024} MiB.`;
  if (file === '-') return readAll(process.stdin, maxProgramSize, tooLarge);
  try {
    return await readAll(createReadStream(file), maxProgramSize, tooLarge);
  } catch (error) {
    const code = errorCode(error);
    if (code === undefined) throw error;
    throw new CommandError(`${printable(file)} cannot be read (${code}).`);
  }
}

/** Returns the reason why bytes cannot be parsed as JSON. */
function jsonProblem(bytes: Buffer): string {
  if (!isUtf8(bytes)) return 'it is not encoded in UTF-8';
  try {
    JSON.parse(bytes.toString('utf8'));
    return '';
  } catch (error) {
    return printable(error instanceof Error ? error.message : String(error));
  }
}

async function checkProgram(file: string): Promise<void> {
  const bytes = await readProgram(file);
  if (bytes.toString('utf8').trim() === '')
    throw new CommandError(`${file === '-' ? 'Standard input' : printable(file)} is empty.`);
  const { checkProgramFile } = await import('../operating/program-file.ts');
  const found = checkProgramFile(bytes);
  if (found === 'malformed') throw new CommandError(`The file is not valid JSON: ${jsonProblem(bytes)}.`);
  const { problems, steps, referenceCount, hint } = found;
  for (const { path, message } of problems) print(`${path && `${printable(path)}: `}${printable(String(message))}`);
  if (problems.length > 0) process.exitCode = 1;
  else {
    const unchecked = referenceCount > 0 ? ' References to records were not checked.' : '';
    print(`No problems in ${steps} ${steps === 1 ? 'step' : 'steps'}.${unchecked}`);
  }
  if (hint) print(hint);
}

async function publishSequence(id: number, { copyright }: { copyright?: string }): Promise<void> {
  const isKnown = await withOperations('sequences', (sequences) => sequences.publish(id, copyright));
  if (!isKnown) throw new CommandError(`There is no sequence ${id}.`);
  print(`Published sequence ${id}.`);
}

/** Adds the commands for programs. */
export function addProgramCommands(program: Command): void {
  const check = program
    .command('check')
    .description('validate a program in a file, without a server')
    .argument('<file>', 'JSON file: a sequence, {args, body}, or a list of steps; - for standard input')
    .action(checkProgram);
  withExamples(check, 'check sequence.json', 'check - < sequence.json');

  const sequence = program.command('sequence').description('manage sequences');
  const publish = sequence
    .command('publish')
    .description('publish a sequence, even with steps that users cannot publish')
    .argument('<id>', 'id of the sequence', wholeNumber(1, Number.MAX_SAFE_INTEGER))
    .option('--copyright <text>', 'copyright notice (default: the current one, or the name of its owner)')
    .action(publishSequence);
  withExamples(publish, 'sequence publish 7', 'sequence publish 7 --copyright "2026 Ada Lovelace"');
}
