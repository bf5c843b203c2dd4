import { writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Document } from '../../support/account-transfer.ts';
import { exportAccount, fixture, sendImport, zipArchive } from '../../support/account-transfer.ts';
import type { Account, TestApp } from '../../support/app.ts';
import { startApp } from '../../support/app.ts';
import { canonicalDocument } from '../../support/canonical-document.ts';
import { describeEngines } from '../../support/engines.ts';
import { processedPhotoUrl, solidColorPicture, uploadPhoto } from '../../support/photo-upload.ts';

describeEngines('imported photos', (engine) => {
  let server: TestApp;
  let base: string;
  let photographer: Account;
  let elsewhere: Server;
  let address: string;
  beforeAll(async () => {
    const picture = await solidColorPicture(200);
    elsewhere = createServer((request, response) => {
      const isThere = request.url === '/there.jpg';
      response.writeHead(isThere ? 200 : 404, { 'content-type': 'image/jpeg' });
      response.end(isThere ? picture : 'no');
    });
    await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
    address = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`;
    server = await startApp(engine, { HOST: '127.0.0.1', PORT: '0', FETCH_PRIVATE_ADDRESSES: 'on' });
    await server.app.listen();
    base = `http://127.0.0.1:${(server.app.http.server.address() as AddressInfo).port}`;
    photographer = await server.signUp();
    for (const red of [10, 90]) {
      const id = await uploadPhoto(base, photographer.token, await solidColorPicture(red), {
        x: red,
        name: `Red ${red}`,
      });
      await processedPhotoUrl(base, photographer.token, id);
    }
  });
  afterAll(async () => {
    await server.close();
    elsewhere.close();
  });

  const get = (url: string): Promise<Response> => fetch(url, { headers: { 'user-agent': 'test' } });
  const exportWith = async ({ token }: Account, photos: boolean): Promise<Buffer> => {
    const url = `${base}/api/export_data${photos ? '?photos=true' : ''}`;
    const reply = await fetch(url, { method: 'POST', headers: { authorization: token, 'user-agent': 'test' } });
    expect(reply.status).toBe(200);
    return Buffer.from(await reply.arrayBuffer());
  };
  /** Returns the red of the photos of an account, by ascending id. */
  const reds = async (document: Document): Promise<number[]> => {
    const found: number[] = [];
    for (const { attachment_url } of document.images) {
      const reply = await get(attachment_url.replace(/^https?:\/\/[^/]+/, base));
      expect(reply.status).toBe(200);
      const { data } = await sharp(Buffer.from(await reply.arrayBuffer()))
        .raw()
        .toBuffer({ resolveWithObject: true });
      found.push(Math.round((data[0] ?? 0) / 10) * 10);
    }
    return found;
  };

  it('are read from an archive that a client sends over the network', async () => {
    const archive = await exportWith(photographer, true);
    const account = await server.signUp();
    const reply = await fetch(`${base}/api/import`, {
      method: 'POST',
      headers: { authorization: account.token, 'user-agent': 'test', 'content-type': 'application/zip' },
      body: new Uint8Array(archive),
    });
    expect(reply.status).toBe(200);
    expect(await reply.json()).toMatchObject({ ok: true, taken: { images: 2 }, changed: [] });
    const document = await exportAccount(server, account);
    expect(await reds(document)).toEqual([10, 90]);
    expect(canonicalDocument(document)).toEqual(canonicalDocument(await exportAccount(server, photographer)));
    const own = document.images.map(({ attachment_url }: Document) => attachment_url);
    const other = (await exportAccount(server, photographer)).images.map(
      ({ attachment_url }: Document) => attachment_url,
    );
    expect(own.filter((url: string) => other.includes(url))).toEqual([]);
  });

  it('are read from the storage if a document refers to this server', async () => {
    const account = await server.signUp();
    const { status, json } = await sendImport(server, account, await exportWith(photographer, false));
    expect([status, json.taken.images]).toEqual([200, 2]);
    expect(await reds(await exportAccount(server, account))).toEqual([10, 90]);
  });

  it('are fetched from their address, and omitted if that fails', async () => {
    const document = fixture('plain');
    const [image] = document.images;
    document.images = ['/there.jpg', '/gone.jpg'].map((path, n) => ({
      ...image,
      id: 900 + n,
      attachment_url: address + path,
    }));
    document.images.push({ ...image, id: 902, attachment_url: 'http://127.0.0.1:1/closed.jpg' });
    document.images.push({ ...image, id: 903, attachment_processed_at: null });
    const account = await server.signUp();
    const { status, json } = await sendImport(server, account, document);
    expect(status).toBe(200);
    expect(json.taken.images).toBe(1);
    expect(json.left_out).toEqual([
      { path: '/images/3', message: 'The photo was never uploaded.' },
      { path: '/images/1', message: 'This photo was omitted: Its address returned status 404.' },
      { path: '/images/2', message: 'This photo was omitted: Fetching it from its address failed (refused).' },
    ]);
    const [only] = (await exportAccount(server, account)).images;
    expect(only).toMatchObject({
      created_at: image.created_at,
      attachment_processed_at: image.attachment_processed_at,
      meta: image.meta,
    });
    expect(await reds(await exportAccount(server, account))).toEqual([200]);
  });

  it('are omitted if they are not pictures, and reported if they belong to no image', async () => {
    const account = await server.signUp();
    const archive = await zipArchive({
      'export.json': Buffer.from(JSON.stringify(fixture('plain'))),
      'photos/900.jpg': Buffer.from('<svg onload="alert(1)"/>'),
      'photos/901.jpg': await solidColorPicture(0),
    });
    const { status, json } = await sendImport(server, account, archive);
    expect([status, json.taken.images]).toEqual([200, 0]);
    expect(json.left_out).toEqual([
      { path: '/images', message: 'The archive contains photo 901, but the document has no such image.' },
      { path: '/images/0', message: 'This photo was omitted: It is not a JPEG, PNG, GIF or WebP.' },
    ]);
  });

  it('are deleted with a replaced account, and are in its backup', async () => {
    const account = await server.signUp();
    const archive = await exportWith(photographer, true);
    await sendImport(server, account, archive);
    const before = await exportAccount(server, account);
    const password = { 'x-account-password': 'password123' };
    const { status, json } = await sendImport(
      server,
      account,
      { ...fixture('plain'), images: [] },
      '?mode=replace',
      password,
    );
    expect(status).toBe(200);
    await server.app.runJobs();
    for (const { attachment_url } of before.images)
      expect((await get(attachment_url.replace(/^https?:\/\/[^/]+/, base))).status).toBe(404);
    const back = await server.signUp();
    const file = join(server.settings.DATA_DIR, json.back_up);
    const options = { mode: 'empty', check: false, strict: true } as const;
    expect(await (await server.app.operations.transfer()).importFile(back.email, file, options)).toMatchObject({
      taken: { images: 2 },
    });
    expect(await reds(await exportAccount(server, back))).toEqual([10, 90]);
  });

  it('the operation returns null if there is no such account', async () => {
    const file = join(server.settings.DATA_DIR, 'missing.json');
    writeFileSync(file, '{}');
    const options = { mode: 'empty', check: true, strict: false } as const;
    expect(await (await server.app.operations.transfer()).importFile('unknown@example.com', file, options)).toBeNull();
  });
});
