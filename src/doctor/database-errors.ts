import { Failure } from '../core/errors.ts';
import { errorCode } from '../core/system.ts';

/** A connection to PostgreSQL that failed. */
interface Attempt {
  /** The message of the server or the system, without a full stop at the end. */
  readonly reason: string;
  /** The SQLSTATE, or the code of the system or of TLS; '' if there is none. */
  readonly code: string;
  readonly url: URL;
  /** `host:port`. */
  readonly place: string;
}

/** The problem and the remedy, by a pattern for `code reason`; the first applies. */
const problems: readonly (readonly [RegExp, (attempt: Attempt) => string])[] = [
  [
    /no pg_hba\.conf entry.*no encryption/,
    ({ reason }) => `${reason}. Add ?sslmode=require to the URL, or an entry to pg_hba.conf.`,
  ],
  [
    /does not support SSL/,
    ({ place }) => `PostgreSQL at ${place} has no TLS. Enable it there, or remove sslmode from the URL.`,
  ],
  [
    /^(\w*(CERT|VERIFY)|ERR_TLS)/,
    ({ place, code }) =>
      `the certificate of PostgreSQL at ${place} is not trusted (${code}). Add sslrootcert=FILE with its authority to the URL.`,
  ],
  [/^E[A-Z]+ .*, open '/, ({ reason }) => `${reason}. Correct the file in the URL.`],
  [/password must be a string/, () => 'the URL has no password. Add it.'],
  [/^28P01/, ({ reason }) => `${reason}. Correct the user and the password in the URL.`],
  [/^28/, ({ reason }) => `${reason}. Correct the user in the URL, or pg_hba.conf.`],
  [/^3D000/, ({ reason }) => `${reason}. Create it with createdb, or correct the URL.`],
  [/^(3F|42501)/, ({ reason }) => `${reason}. Grant the user the right to create tables.`],
  [/^53300/, ({ reason }) => `${reason}. Raise max_connections: each server opens up to 11.`],
  [
    /^SESSION/,
    ({ reason, place }) =>
      `${reason}. Connect to PostgreSQL directly, or set the pooler at ${place} to session mode (pool_mode = session).`,
  ],
  [/^57P03/, ({ reason }) => `${reason}. Try again in a moment.`],
  [
    /^(ENOTFOUND|EAI_AGAIN)/,
    ({ url, code }) => `the host ${url.hostname} was not found (${code}). Correct the URL, or check the network.`,
  ],
];

const noResponse = ({ place, code }: Attempt): string =>
  `PostgreSQL at ${place} does not respond${code === '' ? '' : ` (${code})`}. Start it, or correct the URL.`;

/** Returns the problem of a connection to PostgreSQL and the remedy, without the password; null for other errors. */
export function databaseProblem(error: unknown, databaseUrl: string): string | null {
  const isUnavailable = error instanceof Failure && error.code === 'unavailable';
  const cause = isUnavailable ? error.cause : error;
  const code = String(errorCode(cause) ?? '');
  const reason = cause instanceof Error ? cause.message.replace(/\.$/, '') : '';
  const url = new URL(databaseUrl);
  const place = `${url.hostname || 'the local socket'}${url.port === '' ? '' : `:${url.port}`}`;
  const known = problems.find(([pattern]) => pattern.test(`${code} ${reason}`))?.[1] ?? (isUnavailable && noResponse);
  return known ? known({ reason, code, url, place }) : null;
}
