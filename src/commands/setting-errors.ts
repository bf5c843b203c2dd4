import { relative } from 'node:path';
import { Failure } from '../core/errors.ts';
import { errorCode } from '../core/system.ts';
import { databaseProblem } from '../doctor/database-errors.ts';
import type { Settings } from '../settings/settings.ts';

type ServerSettings = Pick<
  Settings,
  'DATABASE_URL' | 'DATA_DIR' | 'HOST' | 'PORT' | 'MQTT_PORT' | 'MQTTS_PORT' | 'TLS_CERT' | 'TLS_HOST'
>;

/** Returns the message for an error that a setting causes, or null. */
type Explanation = (error: unknown, settings: ServerSettings) => string | null;

const isListenError = (error: unknown): error is Error & { readonly port?: unknown; readonly address?: unknown } =>
  error instanceof Error && 'syscall' in error && (error.syscall === 'listen' || error.syscall === 'bind');

/** Messages for the codes of errors of listening, by port and the name of its setting. */
const portMessages: Readonly<Record<string, (port: unknown, name: string) => string>> = {
  EADDRINUSE: (port, name) =>
    `${name}: port ${port} is in use by another program. Stop that program, or set ${name} to another port.`,
  EACCES: (port, name) =>
    `${name}: port ${port} may only be opened by an administrator. Set ${name} to a port above 1023.`,
};

const portMessage: Explanation = (error, { MQTT_PORT, MQTTS_PORT, TLS_CERT }) => {
  if (!isListenError(error)) return null;
  const { port } = error;
  const name = port === MQTT_PORT ? 'MQTT_PORT' : port === MQTTS_PORT && TLS_CERT !== null ? 'MQTTS_PORT' : 'PORT';
  return portMessages[String(errorCode(error))]?.(port, name) ?? null;
};

/** The host that cannot be listened on: an address of another machine, or a name without an address. */
function failedHost(error: unknown): unknown {
  if (isListenError(error)) return errorCode(error) === 'EADDRNOTAVAIL' ? error.address : null;
  return error instanceof Error && 'hostname' in error ? error.hostname : null;
}

const hostMessage: Explanation = (error, settings) => {
  const host = failedHost(error);
  const name = (['HOST', 'TLS_HOST'] as const).find((each) => host !== null && host === settings[each]);
  return name === undefined
    ? null
    : `${name}: ${settings[name]} is not an address of this machine. Set ${name} to one of its addresses, or leave it unset.`;
};

/** The path that a system error is about. */
const pathOf = (error: unknown): string | null =>
  error instanceof Error && 'path' in error && typeof error.path === 'string' ? error.path : null;

const databaseMessage: Explanation = (error, { DATABASE_URL }) => {
  if (DATABASE_URL === null) return null;
  const problem = databaseProblem(error, DATABASE_URL);
  return problem && `DATABASE_URL: ${problem}`;
};

/** Messages for the codes of errors of files below the data folder. */
const folderMessages: Readonly<Record<string, (path: string) => string>> = Object.fromEntries([
  [
    'EROFS',
    (path: string) =>
      `DATA_DIR: ${path} cannot be written, because its file system is read-only. Mount it for writing, name the folder in ReadWritePaths of the systemd unit, or set DATA_DIR to another folder.`,
  ],
  ...['EACCES', 'EPERM', 'ENOENT'].map((code) => [
    code,
    (path: string) =>
      `DATA_DIR: ${path} cannot be written (${code}). Correct its owner and permissions, or set DATA_DIR to another folder.`,
  ]),
  ...['ENOTDIR', 'EEXIST'].map((code) => [
    code,
    (path: string) => `DATA_DIR: ${path} is not a folder. Set DATA_DIR to another path.`,
  ]),
]);

const isWithin = (path: string, folder: string): boolean => !relative(folder, path).startsWith('..');

const folderMessage: Explanation = (error, { DATA_DIR }) => {
  const cause = error instanceof Failure ? error.cause : error;
  const path = pathOf(cause);
  if (path === null || !(isWithin(path, DATA_DIR) || isWithin(DATA_DIR, path))) return null;
  return folderMessages[String(errorCode(cause))]?.(path) ?? null;
};

const explanations: readonly Explanation[] = [portMessage, hostMessage, databaseMessage, folderMessage];

/** Returns the remedy for an error, beginning with the name of the setting that causes it; null for other errors. */
export function settingErrorMessage(error: unknown, settings: ServerSettings): string | null {
  for (const explain of explanations) {
    const message = explain(error, settings);
    if (message !== null) return message;
  }
  return null;
}
