import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { briefCertificate, certificate, privateKey } from '../../test/support/certificates.ts';
import { checkCertificate } from './certificate.ts';

const day = 86_400_000;
const end = Date.UTC(2120, 0, 1);

describe('checkCertificate', () => {
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

  /** Returns the description, or the error's message. */
  const check = (now: number, host: string | null = null) =>
    checkCertificate({ cert, key, host, now }).catch((error: Error) => error.message);

  it('describes the validity, notes the end two weeks before it, and fails three days before it', async () => {
    expect(await check(Date.UTC(2019, 11, 31))).toBe(`The certificate in ${cert} is not valid before 2020-01-01.`);
    expect(await check(Date.UTC(2026, 0, 1))).toBe(`The certificate in ${cert} is valid until 2120-01-01.`);
    expect(await check(end - 14 * day)).toBe(`The certificate in ${cert} is valid until 2120-01-01.`);
    const ends = (time: string) =>
      `The certificate in ${cert} expires in ${time}, on 2120-01-01, and was not renewed: renew it, and find out why that did not happen by itself.`;
    expect(await check(end - 14 * day + 1)).toEqual({ note: ends('13 days') });
    expect(await check(end - 3 * day)).toEqual({ note: ends('3 days') });
    expect(await check(end - 3 * day + 1)).toBe(ends('2 days'));
    expect(await check(end - 1.5 * 3_600_000)).toBe(ends('1 hour'));
    expect(await check(end)).toBe(`The certificate in ${cert} expired on 2120-01-01.`);
  });

  it('notes the end of a certificate for hours only when it was not renewed in time', async () => {
    writeFileSync(cert, briefCertificate);
    const at = (hour: number) => check(Date.UTC(2026, 0, 1, hour));
    expect(await at(1)).toBe(`The certificate in ${cert} is valid until 2026-01-01.`);
    expect(await at(9)).toBe(`The certificate in ${cert} is valid until 2026-01-01.`);
    expect(await at(10)).toMatchObject({ note: expect.stringContaining('expires in 2 hours, on 2026-01-01') });
    expect(await at(11)).toMatchObject({ note: expect.stringContaining('expires in 1 hour,') });
    expect(await check(Date.UTC(2026, 0, 1, 11, 1))).toContain('expires in less than an hour,');
  });

  it.each(['garden.example', 'GARDEN.example', 'north.beds.example', '127.0.0.1', '192.168.1.20'])(
    'accepts a certificate for %s',
    async (host) => {
      expect(await check(Date.UTC(2026, 0, 1), host)).toContain(`is for ${host} and is valid`);
    },
  );

  it.each(['example', 'beds.example', 'a.b.beds.example', '127.0.0.2', '::1'])(
    'rejects a certificate that is not for %s',
    async (host) => {
      expect(await check(Date.UTC(2026, 0, 1), host)).toContain(
        `is not valid for ${host}, which clients connect to, but for garden`,
      );
    },
  );

  it('requires readable PEM files', async () => {
    writeFileSync(key, 'nothing');
    expect(await check(0)).toBe(`TLS_KEY: ${key} does not contain a private key without a passphrase in PEM format.`);
    rmSync(key);
    expect(await check(0)).toBe(`TLS_KEY: ${key} cannot be read (ENOENT).`);
    writeFileSync(cert, privateKey);
    expect(await check(0)).toBe(`TLS_CERT: ${cert} does not contain a certificate in PEM format.`);
  });
});
