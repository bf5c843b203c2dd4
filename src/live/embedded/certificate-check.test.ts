import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { certificate, privateKey } from '../../../test/support/certificates.ts';
import { checkCertificate } from './certificate-check.ts';

const day = 86_400_000;
const end = Date.UTC(2120, 0, 1);

describe('a certificate', () => {
  let folder: string;
  let cert: string;
  let key: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'potager-certificate-'));
    cert = join(folder, 'cert.pem');
    key = join(folder, 'key.pem');
    writeFileSync(cert, certificate);
    writeFileSync(key, privateKey);
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** The sentence, or the failure's. */
  const told = (now: number, host: string | null = null) =>
    checkCertificate({ cert, key, host, now }).catch((error: Error) => error.message);

  it('is told when it ends, in good time', async () => {
    expect(await told(Date.UTC(2019, 11, 31))).toBe(`The certificate in ${cert} is valid only from 2020-01-01 on.`);
    expect(await told(Date.UTC(2026, 0, 1))).toBe(`The certificate in ${cert} is valid until 2120-01-01.`);
    expect(await told(end - 14 * day)).toBe(`The certificate in ${cert} is valid until 2120-01-01.`);
    expect(await told(end - 14 * day + 1)).toBe(
      `The certificate in ${cert} expires in 13 days, on 2120-01-01: renew it.`,
    );
    expect(await told(end)).toBe(`The certificate in ${cert} expired on 2120-01-01.`);
  });

  it.each(['garden.example', 'GARDEN.example', 'north.beds.example', '127.0.0.1', '192.168.1.20'])(
    'is for %s',
    async (host) => {
      expect(await told(Date.UTC(2026, 0, 1), host)).toContain(`is for ${host} and is valid`);
    },
  );

  it.each(['example', 'beds.example', 'a.b.beds.example', '127.0.0.2', '::1'])('is not for %s', async (host) => {
    expect(await told(Date.UTC(2026, 0, 1), host)).toContain(`is not for ${host}, which robots dial, but for garden`);
  });

  it('has to be there and to be one', async () => {
    writeFileSync(key, 'nothing');
    expect(await told(0)).toBe(`TLS_KEY names ${key}, which does not hold a private key (PEM) without a passphrase.`);
    rmSync(key);
    expect(await told(0)).toBe(`TLS_KEY names ${key}, which cannot be read (ENOENT).`);
    writeFileSync(cert, privateKey);
    expect(await told(0)).toBe(`TLS_CERT names ${cert}, which does not hold a certificate (PEM).`);
  });
});
