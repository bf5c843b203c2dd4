import { hasTable } from '../db/migrator.ts';
import type { Database } from '../db/session.ts';
import type { Foundation } from '../foundation.ts';
import type { GlobalConfig } from './global-config.ts';
import type { KeyPair } from './key-pair.ts';
import { databaseKeyStore, fileKeyStore, keyFile, loadKeyPair, lostKeyMessage, parseKeyPair } from './key-pair.ts';

/** Loads the key pair of a server, or generates it on the first start. Throws an Error if it is lost or invalid. */
export function loadServerKey({ server, dataDir, ownsDatabase }: Foundation, config: GlobalConfig): Promise<KeyPair> {
  const path = keyFile(dataDir);
  return loadKeyPair(ownsDatabase ? fileKeyStore(path) : databaseKeyStore(server), async () => {
    // Each server stores its key before the config. [ADR 37]
    if (ownsDatabase && (await config.exists())) throw new Error(lostKeyMessage(path));
  });
}

/** Throws an Error if the key of an SQLite database is lost or invalid, before anything is changed. */
export async function assertKeyKept(database: Database, dataDir: string): Promise<void> {
  const path = keyFile(dataDir);
  const stored = await fileKeyStore(path).read();
  if (stored !== null) parseKeyPair(stored, path);
  else if (await hasTable(database, 'global_config')) {
    const [[count] = []] = await database.reader.query('select count(*) from global_config', []);
    if (Number(count) > 0) throw new Error(lostKeyMessage(path));
  }
}
