import { Failure } from '../core/errors.ts';
import type { Message } from '../core/message.ts';
import { say } from './messages.ts';

/** A unique index has these values already: 422 `{error}`. */
export class UniqueViolation extends Failure {
  readonly table: string;
  readonly columns: readonly string[];

  /** `labelOf`: the label of a column. */
  constructor(table: string, columns: readonly string[], labelOf: (name: string) => string | Message = String) {
    const own = columns.filter((column) => column !== 'device_id');
    const [first = ''] = own;
    const sentence = say.taken(own.join(' and ').replaceAll('_', ' '), labelOf(first));
    super('refused', sentence, { places: { [first]: sentence } });
    this.table = table;
    this.columns = columns;
  }
}

/** A row references a missing row, or a row to be deleted is still referenced: 422 `{error}`. */
export class ForeignKeyViolation extends Failure {
  constructor() {
    super('refused', say.unrelated);
  }
}

/** A table was locked by another transaction for longer than this one may wait: 503. */
export class LockTimeout extends Failure {
  constructor() {
    super('unavailable');
  }
}

/** The engine aborted the transaction because of a deadlock or a concurrent update; it can be retried. */
export class SerializationFailure extends Error {
  constructor() {
    super('the transaction was aborted because of a concurrent one');
    this.name = 'SerializationFailure';
  }
}

interface DriverError {
  code?: unknown;
  message?: unknown;
  detail?: unknown;
  table?: unknown;
}

const unavailableCodes = new Set([
  'SQLITE_FULL',
  'SQLITE_NOMEM',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOTFOUND',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EAI_AGAIN',
  'ENOENT',
  '53300',
  '53100',
  '53200',
  // A read-only transaction: a standby.
  '25006',
  // statement_timeout and idle_in_transaction_session_timeout, mostly while waiting for a lock.
  '57014',
  '25P03',
  // A prepared statement that another one on its connection failed to prepare.
  '26000',
  '42P05',
]);

/** Prefixes of further codes. */
const unavailablePrefixes = [
  // A statement on a connection that was closed a moment ago.
  'ERR_STREAM',
  'ERR_SOCKET',
  'SQLITE_IOERR',
  'SQLITE_READONLY',
  'SQLITE_CANTOPEN',
  'SQLITE_BUSY',
  'SQLITE_LOCKED',
  '08',
  '57P',
];

/** Converts a driver's error to one of this module or to Failure `unavailable`; returns any other error unchanged. */
export function translateError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { code, message, detail, table } = error as DriverError;
  if (typeof code === 'string') {
    if (code === 'SQLITE_CONSTRAINT_UNIQUE') {
      const names = String(message).replace('UNIQUE constraint failed: ', '').split(', ');
      const [owner = ''] = (names[0] ?? '').split('.');
      return new UniqueViolation(
        owner,
        names.map((name) => name.slice(owner.length + 1)),
      );
    }
    if (code === '23505') {
      const columns = /^Key \(([^)]+)\)=/.exec(String(detail))?.[1]?.split(', ') ?? [];
      return new UniqueViolation(String(table), columns);
    }
    if (code === 'SQLITE_CONSTRAINT_FOREIGNKEY' || code === '23503') return new ForeignKeyViolation();
    if (code === '40001' || code === '40P01') return new SerializationFailure();
    if (code === '55P03') return new LockTimeout();
    if (unavailableCodes.has(code) || unavailablePrefixes.some((prefix) => code.startsWith(prefix)))
      return unavailable(error);
  }
  // pg sets no code for these.
  if (
    /Connection terminated|Client has encountered a connection error|Client was closed|timeout exceeded when trying to connect|Query read timeout/.test(
      String(message),
    )
  )
    return unavailable(error);
  return error;
}

/** Returns 503 for an error of the connection, which leaves the commit unknown. */
export function unavailable(cause: Error): Failure {
  const failure = new Failure('unavailable');
  failure.cause = cause;
  return failure;
}
