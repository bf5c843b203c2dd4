import { column } from '../db/columns.ts';
import { UniqueViolation } from '../db/errors.ts';
import type { ServerScope } from '../db/scope.ts';
import { table } from '../db/table.ts';
import type { KeyStore } from './key-pair.ts';

/** The server's private key where several processes share a database: each must sign with the same one. */
export const serverKeys = table(
  'server_keys',
  { name: column.text(), pem: column.text() },
  { reach: 'server', unique: [['name']] },
);

const name = 'tokens';

/** Keeps the key in the database. */
export function databaseKeyStore(scope: () => ServerScope): KeyStore {
  const read = async (): Promise<string | null> => (await scope().first(serverKeys, { where: { name } }))?.pem ?? null;
  return {
    read,
    async write(pem) {
      try {
        return (await scope().insert(serverKeys, { name, pem })).pem;
      } catch (error) {
        const kept = error instanceof UniqueViolation ? await read() : null;
        if (kept === null) throw error;
        return kept;
      }
    },
  };
}
