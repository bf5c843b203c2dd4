import type { Foundation } from '../foundation.ts';
import type { GlobalConfig } from './global-config.ts';
import type { KeyPair } from './key-pair.ts';
import { databaseKeyStore, fileKeyStore, keyFile, loadKeyPair, lostKeyMessage } from './key-pair.ts';

/** Loads the key pair of a server, or generates it on the first start. Throws an Error if it is lost or invalid. */
export function loadServerKey({ server, dataDir, ownsDatabase }: Foundation, config: GlobalConfig): Promise<KeyPair> {
  const path = keyFile(dataDir);
  return loadKeyPair(ownsDatabase ? fileKeyStore(path) : databaseKeyStore(server), async () => {
    // Each server stores its key before the config. [ADR 37]
    if (ownsDatabase && (await config.exists())) throw new Error(lostKeyMessage(path));
  });
}
