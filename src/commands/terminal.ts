import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { InvalidArgumentError } from 'commander';
import { pino } from 'pino';
import type { App } from '../app.ts';
import { readSettings } from '../settings/settings.ts';

/** Why a command was not carried out, in words for its user. */
export class CommandError extends Error {}

const longestPassword = 1024;

/** Writes a line to the standard output. */
export const print = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

/** Text from the database or from a file, harmless to a terminal. */
export const printable = (value: string | number): string => String(value).replaceAll(/\p{Cc}/gu, '\ufffd');

/** Lets a command use the server's insides, without serving. Logs go to the standard error: the output is the command's. */
export async function withApp<T>(work: (app: App) => Promise<T> | T): Promise<T> {
  const settings = readSettings(process.env);
  const level = settings.LOG_LEVEL === 'info' ? 'warn' : settings.LOG_LEVEL;
  const logger = pino({ level, base: null }, pino.destination({ dest: 2, sync: true }));
  const { createApp } = await import('../app.ts');
  const app = await createApp(settings, { logger, isCommand: true });
  try {
    return await work(app);
  } finally {
    await app.close();
  }
}

/** A line that is typed unseen. */
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

/** Everything of a stream. Throws what `tooLong` says when it is more than so many bytes. */
export async function bytesOf(stream: AsyncIterable<Buffer>, most: number, tooLong: string): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of stream) {
    parts.push(part);
    size += part.length;
    if (size > most) throw new CommandError(tooLong);
  }
  return Buffer.concat(parts);
}

async function pipedPassword(): Promise<string> {
  const bytes = await bytesOf(process.stdin, longestPassword, 'The password is too long.');
  return bytes.toString('utf8').replace(/\r?\n$/, '');
}

/** The password that was given, else typed unseen, else piped in. Throws Refusal when there is none. */
export async function readPassword(given: string | undefined): Promise<string> {
  const password = given ?? (await (process.stdin.isTTY ? typedPassword() : pipedPassword()));
  if (password === '') throw new CommandError('No password was given: type it, pipe it in, or use --password.');
  return password;
}

/** Reads an argument that is a whole number within bounds. */
export const wholeNumber =
  (least: number, most: number) =>
  (text: string): number => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= least && value <= most))
      throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
    return value;
  };
