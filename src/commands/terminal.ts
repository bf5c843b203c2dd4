import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { InvalidArgumentError } from 'commander';

/** An error of a command, whose message is for the user. */
export class CommandError extends Error {}

/** A command line with wrong arguments or options: nothing was done. */
export class UsageError extends CommandError {}

const maxPasswordSize = 1024;

/** Prints a line to standard output. */
export const print = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

/** Returns text without control characters, which could control the terminal. */
export const printable = (value: string | number): string => String(value).replaceAll(/\p{Cc}/gu, '\ufffd');

/** Returns a value as JSON, in which control characters are escaped, even if JSON allows them. */
export const jsonText = (value: unknown): string =>
  JSON.stringify(value, null, 2).replaceAll(
    /[\u007f-\u009f]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** Reads a line without echo. */
function typedPassword(): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const reader = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  // Not before the terminal has stopped echoing the input.
  process.stderr.write('Password: ');
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

/** Asks a question on the terminal and reads a line of standard input. Throws CommandError if there is none. */
export async function readAnswer(question: string): Promise<string> {
  process.stderr.write(question);
  const reader = createInterface({ input: process.stdin });
  try {
    for await (const line of reader) return line;
  } finally {
    reader.close();
  }
  throw new CommandError('\nThere was no answer. Nothing was done.');
}

/** The error of an address without an account. */
export const unknownUser = (email: string): CommandError =>
  new CommandError(`No user has the address ${printable(email)}.`);

/** Returns a parser of arguments that are whole numbers in a range. */
export const wholeNumber =
  (min: number, max: number) =>
  (text: string): number => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= min && value <= max))
      throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
    return value;
  };
