import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import type { Command } from 'commander';
import { bytesOf, CommandError, print, printable, wholeNumber, withApp } from './terminal.ts';

/** Bytes of a program in a file: more than a server takes. */
const longestProgram = 4 * 1024 * 1024;

async function programBytes(file: string): Promise<Buffer> {
  const tooLong = `A program may have at most ${longestProgram / 1024 / 1024} MiB.`;
  if (file === '-') return bytesOf(process.stdin, longestProgram, tooLong);
  try {
    return await bytesOf(createReadStream(file), longestProgram, tooLong);
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error;
    throw new CommandError(`${printable(file)} cannot be read (${String(error.code)}).`);
  }
}

/** Why bytes are no JSON that a server takes, as far as the language tells. */
function jsonFlaw(bytes: Buffer): string {
  if (!isUtf8(bytes)) return 'it is not in UTF-8';
  try {
    JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) return printable(error.message);
  }
  return 'it is nested too deeply';
}

async function checkProgram(file: string): Promise<void> {
  const bytes = await programBytes(file);
  if (bytes.toString('utf8').trim() === '')
    throw new CommandError(`${file === '-' ? 'The standard input' : printable(file)} is empty.`);
  const { checkProgramFile } = await import('../operating/program-file.ts');
  const found = checkProgramFile(bytes);
  if (found === 'malformed') throw new CommandError(`This is no JSON: ${jsonFlaw(bytes)}.`);
  const { problems, steps, referenceCount, hint } = found;
  for (const { path, message } of problems)
    print(path === '' ? printable(message) : `${printable(path)}: ${printable(message)}`);
  if (problems.length > 0) process.exitCode = 1;
  else {
    const unchecked = referenceCount > 0 ? ' Whether the records that it names are there was not checked.' : '';
    print(`No problems in ${steps} ${steps === 1 ? 'step' : 'steps'}.${unchecked}`);
  }
  if (hint) print(hint);
}

async function publishSequence(id: number, { copyright }: { copyright?: string }): Promise<void> {
  const isKnown = await withApp((app) => app.operations.sequences.publish(id, copyright));
  if (!isKnown) throw new CommandError(`There is no sequence ${id}.`);
  print(`Published sequence ${id}.`);
}

/** Adds the commands about programs. */
export function addProgramCommands(program: Command): void {
  program
    .command('check')
    .description('check a program of the robot in a file, without a server')
    .argument('<file>', 'JSON: a sequence, {args, body}, or a list of steps; - is the standard input')
    .action(checkProgram);

  const sequence = program.command('sequence').description('look after programs');
  sequence
    .command('publish')
    .description('share a sequence with everybody, also with steps that people may not share themselves')
    .argument('<id>', 'the number of the sequence', wholeNumber(1, Number.MAX_SAFE_INTEGER))
    .option('--copyright <text>', 'the licence (default: the one that it has, or its owner as its author)')
    .action(publishSequence);
}
