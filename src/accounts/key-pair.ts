import type { KeyObject } from 'node:crypto';
import { createPrivateKey, createPublicKey, generateKeyPair } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { createDurableFolder, FileExistsError, writeDurableFile } from '../core/durable-file.ts';
import { errorCode } from '../core/system.ts';
import { column } from '../db/columns.ts';
import { UniqueViolation } from '../db/errors.ts';
import type { ServerScope } from '../db/scope.ts';
import { table } from '../db/table.ts';

/** Storage of the server's private key, which must never change. [rule A23] */
export interface KeyStore {
  /** The path of its file; undefined: it is none. */
  readonly path?: string;
  /** Returns the key in PEM, null before the first start. */
  read(): Promise<string | null>;
  /** Stores a new key unless another process has stored one; returns the stored key. */
  write(pem: string): Promise<string>;
}

/** The RSA key pair that signs tokens and decrypts credentials. */
export type KeyPair = ReturnType<typeof parseKeyPair>;

const generate = promisify(generateKeyPair);

const anotherKey =
  'create another with "potager create-key": all users must sign in again, and all robots must be configured again.';

/** Returns the remedy for a lost key of a server. */
export const lostKeyMessage = (path: string): string =>
  `The key ${path} is missing, but the database was used with one. Restore the file from a backup. If it is lost, ${anotherKey}`;

/** Returns the remedy for a stored key that is none, as power losses and worn SD cards leave files. */
const damagedKeyMessage = (path: string | undefined, problem: string): string =>
  path === undefined
    ? `The stored key of the server ${problem}.`
    : `The key ${path} ${problem}. Restore the file from a backup. If there is none, move the file away, and ${anotherKey}`;

/** Loads the key pair, or generates one (RSA 2048) on the first start, unless `assertFirstStart` throws. Throws an Error if the stored key is not RSA with at least 2048 bits. */
export async function loadKeyPair(
  store: KeyStore,
  assertFirstStart: () => Promise<void> = async () => undefined,
): Promise<KeyPair> {
  const stored = await store.read();
  if (stored !== null) return parseKeyPair(stored, store.path);
  await assertFirstStart();
  const { privateKey } = await generate('rsa', { modulusLength: 2048 });
  return parseKeyPair(await store.write(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()));
}

/** Throws an Error unless the text is a private RSA key of at least 2048 bits. `path`: of its file. */
export function parseKeyPair(pem: string, path?: string) {
  let privateKey: KeyObject;
  try {
    privateKey = createPrivateKey(pem);
  } catch {
    // Without the cause, whose message could quote the key.
    throw new Error(damagedKeyMessage(path, 'is not a private key in PEM format'));
  }
  if (privateKey.asymmetricKeyType !== 'rsa' || (privateKey.asymmetricKeyDetails?.modulusLength ?? 0) < 2048)
    throw new Error(damagedKeyMessage(path, 'is not an RSA key of at least 2048 bits'));
  const publicKey = createPublicKey(privateKey);
  return {
    privateKey,
    publicKey,
    /** PKCS#8 PEM; never leaves the server. */
    privatePem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    /** SPKI PEM (`PUBLIC KEY`), exactly one entry. [rule A22] */
    publicPem: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  };
}

/** Returns the path of the key in a data folder. */
export const keyFile = (dataFolder: string): string => join(dataFolder, 'keys', 'tokens.pem');

/** Stores the key in a file with mode 0600. Processes that start at the same time end up with the same key. */
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
    path,
    read,
    async write(pem) {
      await createDurableFolder(dirname(path), 0o700);
      try {
        await writeDurableFile(path, pem);
        return pem;
      } catch (error) {
        const kept = error instanceof FileExistsError ? await read() : null;
        if (kept === null) throw error;
        return kept;
      }
    },
  };
}

/** The server's private key on PostgreSQL, where several processes share it. */
export const serverKeys = table(
  'server_keys',
  { name: column.text(), pem: column.text() },
  { reach: 'server', unique: [['name']] },
);

const name = 'tokens';

/** Stores the key in the database. */
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
