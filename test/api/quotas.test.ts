import type { ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import inject from 'light-my-request';
import { beforeAll, expect, it } from 'vitest';
import { newGuestAddress } from '../../src/accounts/guests.ts';
import { tokenIssuances } from '../../src/accounts/token-issuances.ts';
import { users } from '../../src/accounts/users.ts';
import { languageHeader } from '../../src/core/languages.ts';
import { jobs } from '../../src/jobs/job-rows.ts';
import { images } from '../../src/photos/images.ts';
import { setOwnLimit } from '../../src/quotas/account-quotas.ts';
import type { Account } from '../support/app.ts';
import { password } from '../support/app.ts';
import { describeEngines } from '../support/engines.ts';
import { suitePhotoServer } from '../support/photo-server.ts';
import { picture } from '../support/pictures.ts';

const day = 86_400_000;

describeEngines('quotas', (engine) => {
  const clock = { time: Date.parse('2026-11-22T10:00:00Z'), now: () => clock.time };
  const limits = { QUOTA_PHOTOS: '3', QUOTA_PHOTO_BYTES: '100000', QUOTA_TOKENS: '5', QUOTA_EXPORTS_PER_HOUR: '2' };
  const server = suitePhotoServer(engine, { ...limits, FETCH_PRIVATE_ADDRESSES: 'on' }, clock);
  let photo: Buffer;
  beforeAll(async () => {
    photo = await picture(64, 48);
  });

  const usageOf = async ({ token }: Account) => (await server.call('GET', '/api/usage', { token })).json;

  async function addPhoto(account: Account): Promise<number> {
    const { id } = await server.createImage(account, await server.upload(account, photo));
    await server.waitUntilProcessed(account, id);
    await server.app.runJobs();
    clock.time += 1000;
    return id;
  }

  const listed = async ({ token }: Account): Promise<number[]> => {
    const { json } = await server.call('GET', '/api/images', { token });
    return (json as { id: number }[]).map(({ id }) => id);
  };

  it('are shown with the usage of the account', async () => {
    const account = await server.signUp();
    expect(await usageOf(account)).toEqual({
      photo_bytes: { used: 0, limit: 100_000 },
      photos: { used: 0, limit: 3 },
      published_bytes: { used: 0, limit: 50 * 1024 * 1024 },
      history_bytes: { used: expect.any(Number), limit: 200 * 1024 * 1024 },
      tokens: { used: 1, limit: 5 },
      webhooks: { used: 0, limit: 10 },
      personal_tokens: { used: 0, limit: 100 },
      uploads_in_flight: { used: 0, limit: 20 },
      imports_in_flight: { used: 0, limit: 1 },
      commands_in_flight: { used: 0, limit: 10 },
      exports_per_hour: { used: 0, limit: 2 },
    });
    await addPhoto(account);
    const { photos, photo_bytes } = await usageOf(account);
    expect(photos.used).toBe(1);
    // The upload is deleted.
    expect(photo_bytes.used).toBe(photo.length);
    expect((await server.call('GET', '/api/usage')).status).toBe(401);
  });

  it('refuse a photo only when no photo beyond the listed ones can be deleted, and notify the owner once a day', async () => {
    const account = await server.signUp();
    const { token } = account;
    const first = [await addPhoto(account), await addPhoto(account), await addPhoto(account)];
    const url = `${server.base}/direct_upload/temp/00000000-0000-4000-8000-000000000000.jpg`;
    const refused = { error: expect.stringMatching(/too many photos.*At most 3/) };
    for (let i = 0; i < 2; i++) {
      expect(await server.call('GET', '/api/storage_auth', { token })).toMatchObject({ status: 507, json: refused });
      const created = await server.call('POST', '/api/images', { token, body: { attachment_url: url } });
      expect(created).toMatchObject({ status: 507, json: refused });
    }
    const headers = { [languageHeader]: 'fr' };
    expect(await server.call('POST', '/api/images', { token, body: { attachment_url: url }, headers })).toMatchObject({
      status: 507,
      json: { error: 'Le compte a trop de photos. Supprimez-en. (3 au plus.)' },
    });
    const notices = async () => {
      const { json } = await server.call('GET', '/api/logs', { token });
      return (json as { message: string }[]).filter(({ message }) => message.includes('too many photos')).length;
    };
    expect(await notices()).toBe(1);
    clock.time += day - 10_000;
    await server.call('GET', '/api/storage_auth', { token });
    expect(await notices()).toBe(1);
    clock.time += 20_000;
    await server.call('GET', '/api/storage_auth', { token });
    expect(await notices()).toBe(2);
    expect((await listed(account)).sort()).toEqual(first.sort());

    // With a shorter list, the oldest photos make room.
    await server.app.operations.devices().then((devices) => devices.setLimits(account.email, { photos: 2 }));
    const added = await addPhoto(account);
    expect(await listed(account)).toEqual([added, first[2]]);
    expect((await server.call('GET', `/api/images/${first[0]}`, { token })).status).toBe(404);
  });

  it.each([
    ['photo_bytes', 'photos and uploads'],
    ['photos', 'photos'],
  ] as const)('refuse photos where there may be no %s, in the language of their reader', async (name, none) => {
    const account = await server.signUp();
    const { token } = account;
    await server.call('PATCH', '/api/users', { token, body: { language: 'French' } });
    await setOwnLimit(server.app.server().device(account.deviceId), name, 0);
    const body = { attachment_url: `${server.base}/direct_upload/temp/00000000-0000-4000-8000-000000000000.jpg` };
    const refusal = async (language?: string) => {
      const headers: Record<string, string> = language === undefined ? {} : { [languageHeader]: language };
      return (await server.call('POST', '/api/images', { token, body, headers })).json;
    };
    expect(await refusal()).toEqual({ error: `This account cannot do this: it may have no ${none}.` });
    const french = 'Ce compte ne peut pas avoir de photos.';
    expect(await refusal('fr')).toEqual({ error: french });
    const [notice] = (await server.call('GET', '/api/logs', { token })).json;
    expect(notice.message).toBe(french);
  });

  it('refuse an upload with an earlier permission, and count uploads without an image', async () => {
    const account = await server.signUp();
    const permission = await server.uploadPermission(account);
    await server.app
      .server()
      .device(account.deviceId)
      .transaction((scope) => setOwnLimit(scope, 'photo_bytes', 500));
    const send = () =>
      server.sendForm([
        ['key', permission.key],
        ['file', photo],
      ]);
    expect((await send()).status).toBe(200);
    expect((await usageOf(account)).photo_bytes).toEqual({ used: photo.length, limit: 500 });
    expect(await send()).toMatchObject({ status: 507, text: expect.stringMatching(/storage for photos is full/) });
    expect(server.incomingFiles()).toEqual([]);
  });

  it('count waiting fetches and copies when they are stored', async () => {
    const held: ServerResponse[] = [];
    const elsewhere = createServer((_request, response) => held.push(response));
    await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
    const outside = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`;
    const create = (token: string, attachment_url: string) =>
      server.call('POST', '/api/images', { token, body: { attachment_url } });
    const untilProcessed = () =>
      expect.poll(() => server.app.server().count(jobs, { where: { kind: ['photo_fetch', 'photo_upload'] } })).toBe(0);
    const stored = async (account: Account) =>
      (await server.app.server().device(account.deviceId).rows(images)).map(({ photo_type }) => photo_type !== null);
    const limitBytes = (account: Account, value: number) =>
      server.app
        .server()
        .device(account.deviceId)
        .transaction((scope) => setOwnLimit(scope, 'photo_bytes', value));
    try {
      const account = await server.signUp();
      await limitBytes(account, 1);
      for (const path of ['1.jpg', '2.jpg'])
        expect((await create(account.token, `${outside}/${path}`)).status).toBe(200);
      await expect.poll(() => held.length).toBe(1);
      held[0]?.end(photo);
      await untilProcessed();
      expect([held.length, await stored(account)]).toEqual([1, [true, false]]);

      // An upload that was accepted becomes a photo, but only once.
      const other = await server.signUp();
      await limitBytes(other, photo.length + 1);
      const permission = await server.uploadPermission(other);
      expect((await server.sendForm(Object.entries({ ...permission, file: photo }))).status).toBe(200);
      const url = `${server.base}/direct_upload/${permission.key}`;
      // The second is refused immediately if the first is stored already.
      await Promise.all([create(other.token, url), create(other.token, url)]);
      await untilProcessed();
      expect((await stored(other)).filter(Boolean)).toEqual([true]);
      // The copy keeps no upload.
      expect((await usageOf(other)).photo_bytes.used).toBe(photo.length);
    } finally {
      elsewhere.closeAllConnections();
      elsewhere.close();
    }
  });

  it('limit uploads at the same time', async () => {
    const account = await server.signUp();
    await server.app
      .server()
      .device(account.deviceId)
      .transaction((scope) => setOwnLimit(scope, 'uploads_in_flight', 1));
    const { key } = await server.uploadPermission(account);
    const socket = connect(server.port, '127.0.0.1');
    const part = (name: string, value: string) =>
      `--XX\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
    socket.write(
      'POST /direct_upload HTTP/1.1\r\nhost: x\r\ncontent-type: multipart/form-data; boundary=XX\r\ncontent-length: 50000\r\n\r\n',
    );
    socket.write(`${part('key', key)}--XX\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\nstart`);
    await expect.poll(async () => (await usageOf(account)).uploads_in_flight.used).toBe(1);
    const second = await server.sendForm([
      ['key', key],
      ['file', photo],
    ]);
    expect(second).toMatchObject({ status: 422, text: expect.stringContaining('at the same time') });
    socket.destroy();
    await expect.poll(async () => (await usageOf(account)).uploads_in_flight.used).toBe(0);
    expect(
      (
        await server.sendForm([
          ['key', key],
          ['file', photo],
        ])
      ).status,
    ).toBe(200);
  });

  it('count exports of a user in all gardens together, by the limit of the account', async () => {
    const account = await server.signUp();
    const gardens = [account];
    for (const name of ['Greenhouse', 'Balcony']) {
      const { json } = await server.call('POST', '/api/gardens', { token: account.token, body: { name } });
      const session = await server.call('POST', `/api/gardens/${json.id}/token`, { token: account.token });
      gardens.push({ ...account, deviceId: json.id, token: session.json.token.encoded });
    }
    const statuses = async () => {
      const list = [];
      for (const { token } of gardens) list.push((await server.call('POST', '/api/export_data', { token })).status);
      return list;
    };
    expect(await statuses()).toEqual([200, 200, 422]);
    for (const garden of gardens) expect((await usageOf(garden)).exports_per_hour).toEqual({ used: 2, limit: 2 });
    await setOwnLimit(server.app.server().device(account.deviceId), 'exports_per_hour', 3);
    expect(await statuses()).toEqual([200, 422, 422]);
    // Another member has its own.
    const other = await server.signUp();
    expect((await server.call('POST', '/api/export_data', { token: other.token })).status).toBe(200);
  });

  it('limit exports per hour', async () => {
    const { token } = await server.signUp();
    const status = async () => (await server.call('POST', '/api/export_data', { token })).status;
    expect([await status(), await status(), await status()]).toEqual([200, 200, 422]);
    clock.time += 3_600_000;
    expect(await status()).toBe(200);
  });

  it('limit renewals of sessions, while a sign-in ends the oldest session, but none of a robot', async () => {
    const { email, token } = await server.signUp();
    const signIn = async (userAgent = 'test') => {
      const body = { user: { email, password } };
      const { status, json } = await server.call('POST', '/api/tokens', { body, headers: { 'user-agent': userAgent } });
      expect(status).toBe(200);
      return { token: json.token.encoded };
    };
    const robots = [];
    for (let i = 0; i < 6; i++) robots.push(await signIn('FARMBOTOS/15.4.6 (RPI3) RPI3 (1.0.0)'));
    const renew = (session: { token: string }) => server.call('GET', '/api/tokens', session);
    for (let i = 0; i < 4; i++) expect((await renew({ token })).status).toBe(200);
    expect(await renew({ token })).toMatchObject({
      status: 422,
      json: { error: expect.stringContaining('too many sessions') },
    });
    const latest = await signIn();
    expect((await server.call('GET', '/api/usage', latest)).json.tokens).toEqual({ used: 5, limit: 5 });
    expect((await server.call('GET', '/api/device', { token })).status).toBe(401);
    for (const robot of robots) expect((await server.call('GET', '/api/device', robot)).status).toBe(200);
    expect((await server.call('DELETE', '/api/tokens', latest)).status).toBe(204);
    expect((await renew(await signIn())).status).toBe(422);
  });

  it('let a person have 1,000 sessions of robots and of scripts without a User-Agent: a renewal is refused, and a sign-in ends the oldest', async () => {
    const { email, token, deviceId, userId } = await server.signUp();
    const signIn = async () => {
      const { body } = await inject(server.app.http.handler, {
        method: 'POST',
        url: '/api/tokens',
        payload: { user: { email, password } },
        headers: { 'user-agent': undefined },
      });
      return { token: JSON.parse(body).token.encoded };
    };
    const [first, second] = [await signIn(), await signIn()];
    const scope = server.app.server().device(deviceId);
    const session = { aud: 'bot', exp: 4_000_000_000, user_id: userId };
    await scope.insertAll(
      tokenIssuances,
      Array.from({ length: 998 }, (_, n) => ({ ...session, jti: `robot ${n}` })),
    );
    const renew = (own: { token: string }) => server.call('GET', '/api/tokens', own);
    expect(await renew(second)).toMatchObject({
      status: 422,
      json: { error: expect.stringContaining('At most 1000') },
    });
    const latest = await signIn();
    expect(await scope.count(tokenIssuances, { where: { aud: 'bot' } })).toBe(1000);
    expect((await server.call('GET', '/api/device', first)).status).toBe(401);
    for (const left of [second, latest, { token }])
      expect((await server.call('GET', '/api/device', left)).status).toBe(200);
  });

  it('are lower for demo accounts, unless an operator changed them', async () => {
    const account = await server.signUp();
    const { app } = server;
    const demo = { email: newGuestAddress() };
    await app.server().update(users, demo, { where: { id: account.userId } });
    expect((await usageOf(account)).uploads_in_flight).toEqual({ used: 0, limit: 2 });
    const quotas = await app.operations.quotas();
    expect((await quotas.change(demo.email, { uploads_in_flight: 7 }))?.uploads_in_flight.limit).toBe(7);
    expect((await usageOf(account)).uploads_in_flight.limit).toBe(7);
    expect((await quotas.change(demo.email, { uploads_in_flight: null }))?.uploads_in_flight.limit).toBe(2);
    expect(await quotas.change('nobody@example.com', {})).toBeNull();
  });
});
