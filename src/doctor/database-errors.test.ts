import { describe, expect, it } from 'vitest';
import { Failure } from '../core/errors.ts';
import { databaseProblem } from './database-errors.ts';

const url = 'postgres://potager:hunter2@db.example:5433/my%20garden';

const failed = (message: string, code?: string): Error => Object.assign(new Error(message), code && { code });

function unavailable(cause?: Error): Failure {
  const failure = new Failure('unavailable');
  failure.cause = cause;
  return failure;
}

describe('a connection to PostgreSQL that failed', () => {
  it.each([
    [
      failed('no pg_hba.conf entry for host "10.0.0.7", user "potager", database "garden", no encryption', '28000'),
      'no pg_hba.conf entry for host "10.0.0.7", user "potager", database "garden", no encryption. Add ?sslmode=require to the URL, or an entry to pg_hba.conf.',
    ],
    [
      failed('The server does not support SSL connections'),
      'PostgreSQL at db.example:5433 has no TLS. Enable it there, or remove sslmode from the URL.',
    ],
    [
      failed('self-signed certificate', 'DEPTH_ZERO_SELF_SIGNED_CERT'),
      'the certificate of PostgreSQL at db.example:5433 is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT). Add sslrootcert=FILE with its authority to the URL.',
    ],
    [
      unavailable(failed("ENOENT: no such file or directory, open '/etc/ca.pem'", 'ENOENT')),
      "ENOENT: no such file or directory, open '/etc/ca.pem'. Correct the file in the URL.",
    ],
    [failed('SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string'), 'the URL has no password. Add it.'],
    [
      failed('role "potager" does not exist', '28000'),
      'role "potager" does not exist. Correct the user in the URL, or pg_hba.conf.',
    ],
    [
      failed('database "my garden" does not exist', '3D000'),
      'database "my garden" does not exist. Create it with createdb, or correct the URL.',
    ],
    [
      failed('permission denied for schema public', '42501'),
      'permission denied for schema public. Grant the user the right to create tables.',
    ],
    [
      unavailable(failed('sorry, too many clients already', '53300')),
      'sorry, too many clients already. Raise max_connections: each server opens up to 11.',
    ],
    [
      unavailable(failed('the database system is starting up', '57P03')),
      'the database system is starting up. Try again in a moment.',
    ],
    [
      unavailable(failed('getaddrinfo ENOTFOUND db.example', 'ENOTFOUND')),
      'the host db.example was not found (ENOTFOUND). Correct the URL, or check the network.',
    ],
    [
      unavailable(failed('timeout exceeded when trying to connect')),
      'PostgreSQL at db.example:5433 does not respond. Start it, or correct the URL.',
    ],
    [unavailable(), 'PostgreSQL at db.example:5433 does not respond. Start it, or correct the URL.'],
  ])('%s', (error, sentence) => {
    expect(databaseProblem(error, url)).toBe(sentence);
  });

  it('is not any other error', () => {
    expect(databaseProblem(new Error('x'), url)).toBeNull();
    expect(databaseProblem(failed('listen EADDRINUSE', 'EADDRINUSE'), url)).toBeNull();
    expect(databaseProblem(new Failure('not_found'), url)).toBeNull();
  });
});
