import { Failure } from '../core/errors.ts';

/** A unique set of columns has these values already. Clients are told as of any broken rule of a model: 422 `{error}`. */
export class UniqueViolation extends Failure {
  readonly table: string;
  readonly columns: readonly string[];
  constructor(table: string, columns: readonly string[]) {
    const names = columns.filter((column) => column !== 'device_id').map((column) => column.replaceAll('_', ' '));
    super('refused', `This ${names.join(' and ')} is taken already.`);
    this.table = table;
    this.columns = columns;
  }
}

/** A row points to nothing, or something points to the row that should go. */
export class ForeignKeyViolation extends Failure {
  constructor() {
    super('refused', 'This depends on a record that is not there, or another record depends on it.');
  }
}

/** The engine gave up a transaction for another one; it may be tried again. */
export class SerializationFailure extends Error {
  constructor() {
    super('two transactions collided');
    this.name = 'Collision';
  }
}

interface DriverError {
  code?: unknown;
  message?: unknown;
  detail?: unknown;
  table?: unknown;
}

const unreachable = new Set([
  'SQLITE_FULL',
  'SQLITE_CANTOPEN',
  'SQLITE_READONLY',
  'SQLITE_NOMEM',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOTFOUND',
  'ETIMEDOUT',
  'EAI_AGAIN',
  'ENOENT',
  '53300',
  '53100',
  '53200',
  // A statement or an idle transaction ran out of time, mostly behind somebody's lock.
  '57014',
  '25P03',
]);

/** Families of codes. */
const unreachableFamilies = ['SQLITE_IOERR', 'SQLITE_BUSY', 'SQLITE_LOCKED', '08', '57P'];

/** Turns a driver's error into one of ours; what is no database failure comes back as it is. */
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
    if (unreachable.has(code) || unreachableFamilies.some((family) => code.startsWith(family))) return withCause(error);
  }
  // pg has no codes for these.
  if (
    /Connection terminated|Client has encountered a connection error|timeout exceeded when trying to connect/.test(
      String(message),
    )
  )
    return withCause(error);
  return error;
}

function withCause(cause: Error): Failure {
  const failure = new Failure('unavailable');
  failure.cause = cause;
  return failure;
}
