import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import type { QuotaName } from '../../../src/core/quotas.ts';
import { setOwnLimit } from '../../../src/quotas/account-quotas.ts';
import { exportAccount, fixture, sendImport } from '../../support/account-transfer.ts';
import type { Account } from '../../support/app.ts';
import { password } from '../../support/app.ts';
import { describeEngines, itAnyEngine } from '../../support/engines.ts';
import { suitePhotoServer } from '../../support/photo-server.ts';
import { solidColorPicture } from '../../support/photo-upload.ts';

describeEngines('an import', (engine) => {
  const server = suitePhotoServer(engine, { QUOTA_PHOTOS: '3', TRUST_PROXY: 'on' });
  let photographer: Account;
  /** An account with three photos, with and without their files. */
  let archive: Buffer;
  let document: object;
  let photoBytes: number;

  const limit = ({ deviceId }: Account, name: QuotaName, value: number) =>
    setOwnLimit(server.app.server().device(deviceId), name, value);
  const usageOf = async ({ token }: Account) => (await server.call('GET', '/api/usage', { token })).json;
  const addPhoto = async (account: Account, red: number) => {
    const { id } = await server.createImage(account, await server.upload(account, await solidColorPicture(red)));
    await server.waitUntilProcessed(account, id);
  };

  beforeAll(async () => {
    photographer = await server.signUp();
    for (const red of [10, 90, 200]) await addPhoto(photographer, red);
    await server.app.runJobs();
    const { photo_bytes } = await usageOf(photographer);
    photoBytes = photo_bytes.used;
    const headers = { authorization: photographer.token, 'user-agent': 'test' };
    const zip = await fetch(`${server.base}/api/export_data?photos=true`, { method: 'POST', headers });
    archive = Buffer.from(await zip.arrayBuffer());
    document = await exportAccount(server, photographer);
  });

  /** Expects that a file is refused, by the import and its check, and that nothing is stored. */
  async function expectRefused(account: Account, content: Buffer | object, message: RegExp, isInCheck = true) {
    const before = await usageOf(account);
    const check = await sendImport(server, account, content, '?mode=merge&check=true');
    expect(check).toMatchObject({ status: 200, json: { ok: !isInCheck } });
    if (isInCheck) expect(check.json.problems).toEqual([{ path: '/images', message: expect.stringMatching(message) }]);
    const { status, json } = await sendImport(server, account, content, '?mode=merge');
    expect([status, json]).toEqual([422, { '/images': expect.stringMatching(message) }]);
    expect(await usageOf(account)).toEqual(before);
    expect(server.storedFiles().filter((path) => path.startsWith(`${account.deviceId}/`))).toHaveLength(
      before.photos.used,
    );
  }

  /** Begins an import, of this machine or of a client of the proxy. */
  const start = ({ token }: Account, address?: string) => {
    const forwarded = address === undefined ? '' : `x-forwarded-for: ${address}\r\n`;
    const socket = connect(server.port, '127.0.0.1');
    socket.write(
      `POST /api/import HTTP/1.1\r\nhost: x\r\nuser-agent: test\r\n${forwarded}authorization: ${token}\r\ntransfer-encoding: chunked\r\n\r\n1\r\n{\r\n`,
    );
    return socket;
  };
  const pending = async (account: Account) => (await usageOf(account)).imports_in_flight.used;
  const plain = { ...fixture('plain'), images: [] };

  it('with more photos than the quota allows is refused, the account’s included', async () => {
    const account = await server.signUp();
    expect((await sendImport(server, account, archive, '?mode=merge&check=true')).json.ok).toBe(true);
    await addPhoto(account, 50);
    await server.app.runJobs();
    const message = /may have at most 3 photos, not 4\. Import fewer photos, or ask the operator/;
    await expectRefused(account, archive, message);
    await expectRefused(account, document, message);
    const { images: _left, ...others } = document as { images: unknown };
    expect((await sendImport(server, account, { ...others, images: [] }, '?mode=merge')).status).toBe(200);
    const file = join(server.settings.DATA_DIR, 'archive.zip');
    writeFileSync(file, archive);
    const transfer = await server.app.operations.transfer();
    const importFile = () => transfer.importFile(account.email, file, { mode: 'merge', check: false, strict: true });
    await expect(importFile()).rejects.toSatisfy(({ fields }) => message.test(fields['/images']));
    await limit(account, 'photos', 4);
    expect(await importFile()).toMatchObject({ taken: { images: 3 } });
  });

  it('with more bytes than the quota allows is refused, at the latest when they were fetched', async () => {
    const account = await server.signUp();
    await limit(account, 'photo_bytes', photoBytes - 1);
    const message = new RegExp(`may have at most ${photoBytes - 1} bytes, not ${photoBytes} bytes\\.`);
    await expectRefused(account, archive, message);
    await expectRefused(account, document, message, false);
    await limit(account, 'photo_bytes', photoBytes);
    expect((await sendImport(server, account, archive)).status).toBe(200);
    expect((await usageOf(account)).photo_bytes.used).toBe(photoBytes);
  });

  it('that replaces an account does not count the photos that it deletes', async () => {
    const account = await server.signUp();
    await addPhoto(account, 50);
    const headers = { 'x-account-password': password };
    const { status, text } = await sendImport(server, account, archive, '?mode=replace', headers);
    expect(status, text).toBe(200);
    await expect.poll(async () => (await usageOf(account)).photos.used).toBe(3);
  });

  // Imports in progress are counted in memory.
  itAnyEngine('is refused while another one into the account is pending, or too many are', async () => {
    const accounts = [];
    for (let i = 0; i < 9; i++) accounts.push(await server.signUp());
    const [first] = accounts;
    if (!first) throw new Error('there is no account');
    const sockets = [start(first)];
    await expect.poll(() => pending(first)).toBe(1);
    expect(await sendImport(server, first, plain)).toMatchObject({
      status: 422,
      json: { error: expect.stringMatching(/^Another import into this account is in progress\./) },
    });
    const last = await server.signUp();
    sockets.push(...accounts.slice(1).map((account) => start(account)));
    for (const account of accounts) await expect.poll(() => pending(account)).toBe(1);
    expect(await sendImport(server, last, plain)).toMatchObject({ status: 429, text: expect.stringMatching(/wait/) });
    for (const socket of sockets) socket.destroy();
    for (const account of accounts) await expect.poll(() => pending(account)).toBe(0);
    for (const account of [first, last]) expect((await sendImport(server, account, plain)).status).toBe(200);
  });
  itAnyEngine(
    'is refused while three of the same network, or IPv6 site, are pending, unlike other networks’',
    async () => {
      const accounts = [];
      for (let i = 0; i < 3; i++) accounts.push(await server.signUp());
      const [stranger, last] = [await server.signUp(), await server.signUp()];
      const sockets = accounts.map((account, i) => start(account, `2001:db8:7:${i}::1`));
      for (const account of accounts) await expect.poll(() => pending(account)).toBe(1);
      const send = (account: Account, address: string) =>
        sendImport(server, account, plain, '', { 'x-forwarded-for': address });
      expect((await send(stranger, '2001:db8:7:9::1')).status).toBe(429);
      expect((await send(last, '2001:db8:8::1')).status).toBe(200);
      for (const socket of sockets) socket.destroy();
      for (const account of accounts) await expect.poll(() => pending(account)).toBe(0);
      expect((await send(stranger, '2001:db8:7:9::1')).status).toBe(200);
    },
  );
});
