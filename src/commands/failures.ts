import { CommanderError } from 'commander';
import { Failure } from '../core/errors.ts';
import { Message } from '../core/message.ts';
import { errorCode } from '../core/system.ts';
import { DataFolderInUseError } from '../settings/data-folder-lock.ts';
import { SettingsError } from '../settings/settings.ts';
import { isDetailed } from './setting-flags.ts';
import { CommandError, UsageError } from './terminal.ts';

/** The exit code of a process that failed: 2 if the command line is wrong or a setting has no valid value, so that trying again is useless; else 1. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  return error instanceof UsageError || error instanceof SettingsError ? 2 : 1;
}

function failureMessage({ code, fields, message, cause }: Failure): string {
  if (code === 'unavailable' && cause instanceof Error) {
    return `The database is unavailable (${errorCode(cause) ?? cause.name}). Check DATABASE_URL or DATA_DIR, or run "potager doctor".`;
  }
  const lines = Object.entries(fields ?? {}).map(
    ([field, sentence]) =>
      `${field}: ${typeof sentence === 'string' || sentence instanceof Message ? sentence : JSON.stringify(sentence)}`,
  );
  return lines.length > 0 ? lines.join('\n') : message;
}

/** Returns the message for errors of a class, and null for others. */
const of =
  <T extends Error>(type: abstract new (...parameters: never[]) => T, message: (error: T) => string) =>
  (error: unknown): string | null =>
    error instanceof type ? message(error) : null;

/** The messages of errors that users can do something about, by class. */
const messages: readonly ((error: unknown) => string | null)[] = [
  of(SettingsError, ({ message }) => `Invalid settings:\n${message}`),
  of(CommandError, ({ message }) => message),
  of(DataFolderInUseError, ({ message }) => message),
  of(Failure, failureMessage),
];

/** Returns the message for an error; unexpected ones have their stack at LOG_LEVEL debug and trace. */
export function errorMessage(error: unknown): string {
  for (const message of messages) {
    const text = message(error);
    if (text !== null) return text;
  }
  if (!(error instanceof Error)) return String(error);
  return isDetailed() && error.stack ? error.stack : error.message;
}
