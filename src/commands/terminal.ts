import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { InvalidArgumentError } from 'commander';
import { diskErrorMessage } from '../core/disk-errors.ts';
import { Failure } from '../core/errors.ts';
import type { CommandSession, OperationOpeners, OperationsBySubject } from '../operations.ts';
import type { Settings } from '../settings/settings.ts';
import { readSettings } from '../settings/settings.ts';

/** An error of a command, whose message is for the user. */
export class CommandError extends Error {}

const maxPasswordSize = 1024;

/** Prints a line to standard output. */
export const print = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

/** Returns text without control characters, which could control the terminal. */
export const printable = (value: string | number): string => String(value).replaceAll(/\p{Cc}/gu, '\ufffd');

/** Throws CommandError if the SQLite database of the data folder is lost. */
export async function assertDatabaseKept({ DATABASE_URL, DATA_DIR }: Settings): Promise<void> {
  const { lostDatabase } = await import('../backup/lost-database.ts');
  const message = DATABASE_URL === null ? await lostDatabase(DATA_DIR) : null;
  if (message !== null) throw new CommandError(message);
}

/** Returns a CommandError that names the data folder for errors of its disk, and other errors unchanged. */
export function withDiskMessage(error: unknown, { DATABASE_URL, DATA_DIR }: Settings): unknown {
  if (DATABASE_URL !== null && error instanceof Failure) return error;
  const message = diskErrorMessage(error, DATA_DIR);
  return message === null ? error : new CommandError(message, { cause: error });
}

/** Runs a command on the database, which another process may be serving. Logs are written to standard error. */
export async function withDatabase<T>(work: (session: CommandSession) => Promise<T> | T): Promise<T> {
  const settings = readSettings(process.env);
  const { pino } = await import('pino');
  const level = settings.LOG_LEVEL === 'info' ? 'warn' : settings.LOG_LEVEL;
  const logger = pino({ level, base: null }, pino.destination({ dest: 2, sync: true }));
  const { openCommandSession } = await import('../operations.ts');
  await assertDatabaseKept(settings);
  const session = await openCommandSession(settings, logger).catch((error: unknown) => {
    throw withDiskMessage(error, settings);
  });
  try {
    return await work(session);
  } finally {
    await session.close();
  }
}

/** Runs a command with the operations on a subject. */
export const withOperations = <Subject extends keyof OperationsBySubject, T>(
  subject: Subject,
  work: (operations: OperationsBySubject[Subject]) => Promise<T>,
): Promise<T> =>
  withDatabase(async ({ operations }: { readonly operations: OperationOpeners }) => work(await operations[subject]()));

/** Reads a line without echo. */
function typedPassword(): Promise<string> {
  process.stderr.write('Password: ');
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const reader = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  return new Promise<string>((resolve, reject) => {
    reader.once('line', resolve);
    // Ctrl+C and Ctrl+D.
    reader.once('SIGINT', () => reader.close());
    reader.once('close', () => reject(new CommandError('No password was given.')));
  }).finally(() => {
    reader.close();
    process.stderr.write('\n');
  });
}

/** Reads a stream. Throws CommandError with the message `tooLarge` beyond `maxSize` bytes. */
export async function readAll(stream: AsyncIterable<Buffer>, maxSize: number, tooLarge: string): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of stream) {
    parts.push(part);
    size += part.length;
    if (size > maxSize) throw new CommandError(tooLarge);
  }
  return Buffer.concat(parts);
}

async function pipedPassword(): Promise<string> {
  const bytes = await readAll(process.stdin, maxPasswordSize, 'The password is too long.');
  return bytes.toString('utf8').replace(/\r?\n$/, '');
}

/** Returns the given password, or reads it from the terminal or from a pipe. Throws CommandError if there is none. */
export async function readPassword(given: string | undefined): Promise<string> {
  const password = given ?? (await (process.stdin.isTTY ? typedPassword() : pipedPassword()));
  if (password === '') throw new CommandError('No password was given: type it, pipe it, or use --password.');
  return password;
}

/** Returns a parser of arguments that are whole numbers in a range. */
export const wholeNumber =
  (min: number, max: number) =>
  (text: string): number => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= min && value <= max))
      throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
    return value;
  };
