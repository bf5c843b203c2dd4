import { existsSync } from 'node:fs';
import { fileKeyStore, keyFile, loadKeyPair } from '../accounts/key-pair.ts';
import { FileExistsError } from '../core/durable-file.ts';

/** Creates the key of a data folder after it was lost, and returns its path. Throws FileExistsError. */
export async function createKey(dataFolder: string): Promise<string> {
  const path = keyFile(dataFolder);
  if (existsSync(path)) throw new FileExistsError(path);
  await loadKeyPair(fileKeyStore(path));
  return path;
}
