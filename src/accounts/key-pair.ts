import type { KeyObject } from 'node:crypto';
import { createPrivateKey, createPublicKey, generateKeyPair, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { createDurableFolder, errorCode, FileExistsError, writeDurableFile } from '../core/durable-file.ts';

/** Where the server's private key is kept. It must never change: robots keep what was encrypted with it for ever. [client FBOS] */
export interface KeyStore {
  /** The key as PEM text, or null before the first start. */
  read(): Promise<string | null>;
  /** Keeps a new key unless another process kept one first; gives the one that is kept. */
  write(pem: string): Promise<string>;
}

/** The RSA key that signs tokens and reads encrypted credentials. */
export interface KeyPair {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  /** PKCS#8 PEM; never leaves the server. */
  readonly privatePem: string;
  /** SPKI PEM (`PUBLIC KEY`), exactly one entry. [client FBOS] */
  readonly publicPem: string;
}

const generate = promisify(generateKeyPair);

/** Reads the key pair, or makes one (RSA 2048) on the first start. Throws an Error if what is stored is no RSA key of at least 2048 bits. */
export async function loadKeyPair(store: KeyStore): Promise<KeyPair> {
  const stored = await store.read();
  if (stored !== null) return keyPairOf(stored);
  const { privateKey } = await generate('rsa', { modulusLength: 2048 });
  return keyPairOf(await store.write(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()));
}

function keyPairOf(pem: string): KeyPair {
  let privateKey: KeyObject;
  try {
    privateKey = createPrivateKey(pem);
  } catch {
    // The cause could quote the key.
    throw new Error('The stored key of the server is not a private key in PEM form.');
  }
  if (privateKey.asymmetricKeyType !== 'rsa' || (privateKey.asymmetricKeyDetails?.modulusLength ?? 0) < 2048)
    throw new Error('The stored key of the server is not an RSA key of at least 2048 bits.');
  const publicKey = createPublicKey(privateKey);
  return {
    privateKey,
    publicKey,
    privatePem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    publicPem: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  };
}

/** The file of the key in a data folder. */
export const keyFile = (dataFolder: string): string => join(dataFolder, 'keys', 'tokens.pem');

/** Keeps the key in a file that only its owner may read. Two processes that start together end up with the same key. */
export function fileKeyStore(path: string): KeyStore {
  const read = async (): Promise<string | null> => {
    try {
      return await readFile(path, 'utf8');
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return null;
      throw error;
    }
  };
  return {
    read,
    async write(pem) {
      await createDurableFolder(dirname(path), 0o700);
      try {
        await writeDurableFile(path, pem, { temporary: `${path}.${randomUUID()}` });
        return pem;
      } catch (error) {
        const kept = error instanceof FileExistsError ? await read() : null;
        if (kept === null) throw error;
        return kept;
      }
    },
  };
}
