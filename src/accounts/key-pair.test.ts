import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fileKeyStore, loadKeyPair } from './key-pair.ts';

const newKeyPath = async () => join(await mkdtemp(join(tmpdir(), 'potager-keys-')), 'keys', 'tokens.pem');

describe('the key pair', () => {
  it('is generated once and loaded after a restart', async () => {
    const path = await newKeyPath();
    const first = await loadKeyPair(fileKeyStore(path));
    const second = await loadKeyPair(fileKeyStore(path));
    expect(second.publicPem).toBe(first.publicPem);
    expect(first.publicKey.asymmetricKeyDetails?.modulusLength).toBe(2048);
  });

  it('has a public key of one PEM entry', async () => {
    const { publicPem } = await loadKeyPair(fileKeyStore(await newKeyPath()));
    expect(publicPem.match(/-----BEGIN PUBLIC KEY-----/g)).toHaveLength(1);
    expect(publicPem).not.toContain('PRIVATE');
  });

  it('is the same for processes that start concurrently', async () => {
    const path = await newKeyPath();
    const [a, b] = await Promise.all([loadKeyPair(fileKeyStore(path)), loadKeyPair(fileKeyStore(path))]);
    expect(a?.publicPem).toBe(b?.publicPem);
    expect(await readFile(path, 'utf8')).toBe(a?.privatePem);
  });

  it('is stored in a file with mode 0600, without temporary files', async () => {
    const path = await newKeyPath();
    await loadKeyPair(fileKeyStore(path));
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readdir(join(path, '..'))).toEqual(['tokens.pem']);
  });

  it('is refused if it is not RSA, without quoting it', async () => {
    const path = await newKeyPath();
    await loadKeyPair(fileKeyStore(path));
    await writeFile(path, 'secret nonsense');
    await expect(loadKeyPair(fileKeyStore(path))).rejects.toThrow(
      `The key ${path} is not a private key in PEM format. Restore the file from a backup. If there is none, move the file away, and create another with "potager create-key"`,
    );
    // As after a power loss.
    await writeFile(path, '');
    await expect(loadKeyPair(fileKeyStore(path))).rejects.toThrow(/not a private key/);
    const { privateKey } = generateKeyPairSync('ed25519');
    await writeFile(path, privateKey.export({ type: 'pkcs8', format: 'pem' }));
    await expect(loadKeyPair(fileKeyStore(path))).rejects.toThrow(/not an RSA key/);
  });
});
