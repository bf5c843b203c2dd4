import type { Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newGuestAddress } from '../../src/accounts/guests.ts';
import { users } from '../../src/accounts/users.ts';
import { aiUsages } from '../../src/ai/ai-usages.ts';
import { timestamp } from '../../src/core/clock.ts';
import { setOwnLimit } from '../../src/quotas/account-quotas.ts';
import type { Account } from '../support/app.ts';
import { password } from '../support/app.ts';
import { describeEngines } from '../support/engines.ts';
import { suitePhotoServer } from '../support/photo-server.ts';
import { picture } from '../support/pictures.ts';

describeEngines('the requests of accounts to other servers', (engine) => {
  const clock = { time: Date.parse('2026-11-22T10:00:00Z'), now: () => clock.time };
  const server = suitePhotoServer(engine, { FETCH_PRIVATE_ADDRESSES: 'on', AI_DAILY_QUESTIONS: '2' }, clock);
  let elsewhere: Server;
  let outside: string;
  let photo: Buffer;
  const requested: string[] = [];
  const held: ServerResponse[] = [];
  let answersSlowly = true;

  beforeAll(async () => {
    photo = await picture(64, 48);
    elsewhere = createServer((request, response) => {
      requested.push(request.url ?? '');
      if (answersSlowly && request.url?.startsWith('/slow')) held.push(response);
      else if (request.url?.endsWith('.json')) response.end('{"package":"Good"}');
      else response.end(photo);
    });
    await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
    outside = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    elsewhere.closeAllConnections();
    elsewhere.close();
  });

  async function demoAccount(): Promise<Account> {
    const account = await server.signUp();
    await server.app.server().update(users, { email: newGuestAddress() }, { where: { id: account.userId } });
    return account;
  }

  const install = ({ token }: Account, url: string) =>
    server.call('POST', '/api/farmware_installations', { token, body: { url } });

  const packageOf = async ({ token }: Account, id: number) => {
    const { json } = await server.call('GET', `/api/farmware_installations/${id}`, { token });
    return json.package ?? json.package_error;
  };

  const ask = ({ token }: Account) =>
    server.call('POST', '/api/ai', { token, body: { prompt: 'Water the plants', context_key: 'lua' } });

  it('fetch a manifest of each person at a time, while other people’s are fetched, and let at most 20 wait, with that one', async () => {
    const [busy, other] = [await server.signUp(), await server.signUp()];
    expect((await install(busy, `${outside}/slow/first.json`)).status).toBe(200);
    await expect.poll(() => held.length).toBe(1);
    for (let i = 1; i < 20; i++) expect((await install(busy, `${outside}/slow/${i}.json`)).status).toBe(200);
    const refused = await install(busy, `${outside}/slow/more.json`);
    expect(refused).toMatchObject({
      status: 422,
      json: { error: expect.stringContaining('20 manifests are waiting') },
    });
    const { json } = await install(other, `${outside}/quick.json`);
    await expect.poll(() => packageOf(other, json.id), { timeout: 5000 }).toBe('Good');
    expect(held.length).toBe(1);
    held[0]?.end('{"package":"Slow"}');
    await expect.poll(() => held.length, { timeout: 5000 }).toBe(2);
    expect((await install(busy, `${outside}/slow/more.json`)).status).toBe(200);
    answersSlowly = false;
    for (const response of held) response.end();
  });

  it('exclude demo accounts from imports, questions, and fetched addresses', async () => {
    const demo = await demoAccount();
    const { token } = demo;
    const imported = await server.call('POST', '/api/import', { token, raw: '{}' });
    expect(imported).toMatchObject({ status: 422, json: { error: expect.stringContaining('cannot do this') } });
    expect(await ask(demo)).toMatchObject({ status: 403, json: { error: expect.stringContaining('Demo accounts') } });
    const { id } = await server.createImage(demo, `${outside}/photo.jpg`);
    const installed = await install(demo, `${outside}/demo.json`);
    await expect.poll(() => packageOf(demo, installed.json.id)).toBe('Demo accounts cannot install farmware.');
    // Their own uploads are processed.
    const own = await server.createImage(demo, await server.upload(demo, photo));
    await server.waitUntilProcessed(demo, own.id);
    expect((await server.getImage(demo, id)).attachment_processed_at).toBeNull();
    expect(requested.filter((path) => !path.includes('slow') && path !== '/quick.json')).toEqual([]);
  });

  it('do not reset the limits of an account with its device', async () => {
    const account = await server.signUp();
    const { email, deviceId } = account;
    const scope = server.app.server().device(deviceId);
    await setOwnLimit(scope, 'photos', 7);
    const counts = { asked_at: timestamp(clock.time), in_minute: 11, in_hour: 11, in_day: 11 };
    await scope.insert(aiUsages, counts);
    const feedback = ({ token }: Account) =>
      server.call('POST', '/api/feedback', { token, body: { message: 'Hello' } });
    for (let i = 0; i < 10; i++) expect((await feedback(account)).status).toBe(200);
    expect(await ask(account)).toMatchObject({ status: 403, json: { error: expect.stringContaining('Too many') } });
    expect((await server.call('DELETE', '/api/device', { token: account.token })).status).toBe(200);
    const { json } = await server.call('POST', '/api/tokens', { body: { user: { email, password } } });
    const again = { ...account, token: json.token.encoded };
    expect((await ask(again)).status).toBe(403);
    expect((await server.call('GET', '/api/usage', again)).json.photos).toEqual({ used: 0, limit: 7 });
    expect((await feedback(again)).status).toBe(422);
    const operations = await server.app.operations.feedback();
    expect((await operations.list()).filter((each) => each.email === email)).toHaveLength(10);
  });

  it('count the questions of a user in all gardens together', async () => {
    const account = await server.signUp();
    const tokens = [account.token];
    for (const name of ['Greenhouse', 'Balcony']) {
      const { json } = await server.call('POST', '/api/gardens', { token: account.token, body: { name } });
      const session = await server.call('POST', `/api/gardens/${json.id}/token`, { token: account.token });
      tokens.push(session.json.token.encoded);
    }
    for (const token of tokens) await ask({ ...account, token });
    const rows = await server.app.server().rows(aiUsages);
    const gardens = (await server.call('GET', '/api/gardens', { token: account.token })).json;
    const ids = gardens.map(({ id }: { id: number }) => id);
    expect(ids).toHaveLength(3);
    const counts = rows.filter(({ device_id }) => ids.includes(device_id));
    // The limit of all accounts per day, which is lower here, allows two.
    expect(counts).toMatchObject([{ device_id: account.deviceId, in_minute: 2, in_hour: 2, in_day: 2 }]);
    clock.time += 86_400_000;
    await server.app
      .server()
      .device(account.deviceId)
      .update(aiUsages, { asked_at: timestamp(clock.time), in_day: 201 }, {});
    for (const token of tokens)
      expect(await ask({ ...account, token })).toMatchObject({
        status: 403,
        json: { error: expect.stringContaining('Too many') },
      });
    clock.time += 86_400_000;
  });

  it('limit the questions of all accounts per day', async () => {
    const accounts = [await server.signUp(), await server.signUp(), await server.signUp()];
    const statuses = async () => {
      const list = [];
      for (const account of accounts) list.push((await ask(account)).status);
      return list;
    };
    // Without a language model, a question is counted and fails with 422.
    expect(await statuses()).toEqual([422, 422, 403]);
    expect(await statuses()).toEqual([403, 403, 403]);
    // Deleted devices and accounts count.
    for (const { token } of accounts.slice(0, 2))
      expect((await server.call('DELETE', '/api/device', { token })).status).toBe(200);
    expect((await ask(accounts[2] as Account)).status).toBe(403);
    clock.time += 86_400_000;
    expect((await ask(accounts[2] as Account)).status).toBe(422);
  });
});
