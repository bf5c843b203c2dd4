import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { users } from '../../../src/accounts/users.ts';
import { timestamp } from '../../../src/core/clock.ts';
import { ChangeLog } from '../../../src/db/change-log.ts';
import { changeRows } from '../../../src/db/change-rows.ts';
import { jobs } from '../../../src/jobs/job-rows.ts';
import { createQuotas } from '../../../src/operating/account-usage.ts';
import { quotaLimits } from '../../../src/settings/settings.ts';
import { ChangeTrimming } from '../../../src/upkeep/change-trimming.ts';
import { emptyHistory } from '../../../src/upkeep/device-emptying.ts';
import { kindFor } from '../../../src/webhooks/deliverer.ts';
import { newSecret, webhooks } from '../../../src/webhooks/webhook-resource.ts';
import type { Account } from '../../support/app.ts';
import { password, suiteApp } from '../../support/app.ts';
import { describeEngines, itAnyEngine } from '../../support/engines.ts';
import { Outbox } from '../../support/outbox.ts';
import { countPendingOf } from '../../support/pending-changes.ts';
import { suiteFixture } from '../../support/suite-fixture.ts';
import { suiteReceiver, verified } from '../../support/webhook-receiver.ts';

const hour = 3_600_000;
let paths = 0;

describeEngines('webhooks', (engine) => {
  const clock = { offset: 0, now: () => Date.now() + clock.offset };
  const server = suiteApp(engine, { FETCH_ALLOW: '127.0.0.1', PORT: '0' }, clock);
  const receiver = suiteReceiver();
  suiteFixture(() => server.app.listen());

  const waiting = { interval: 20 };
  let outbox: Outbox;
  beforeAll(() => {
    outbox = new Outbox(join(server.settings.DATA_DIR, 'outbox'));
  });

  /** Reads the mail of a webhook that was switched off, and opens its link. */
  async function expectMail({ email }: Account, id: number, reason: string): Promise<void> {
    const host = new URL(receiver.url('/')).host;
    const { subject, text, html } = await outbox.mailTo(email, (mail) => mail.subject.includes('webhook'));
    expect(subject).toBe(`A webhook to ${host} was switched off`);
    const [link = ''] = /http\S+/.exec(text) ?? [];
    expect(text.trim().split('\n\n')).toEqual([
      'Hello,',
      `A webhook of the garden “The greenhouse” delivers to ${host}. That address has ${reason}, so the webhook was switched off. What happened in the meantime is not delivered later.`,
      'When the address works again, switch the webhook on, or delete it if you do not need it.',
      link,
    ]);
    expect(html).toContain(`href="${link.replace('&', '&amp;')}"`);
    const { pathname, search } = new URL(link);
    expect((await server.call('GET', pathname, { headers: { accept: 'text/html' } })).status).toBe(200);
    expect(pathname + search).toBe(`/console/account?part=webhooks&webhook=${id}`);
  }
  /** Reads the alert of webhooks that were switched off, which every client shows as news. */
  async function expectAlert(account: Account): Promise<void> {
    const slug = 'webhook-switched-off';
    const alerts: { id: number; slug: string }[] = await get(account, '/api/alerts');
    const alert = { priority: 99, problem_tag: 'api.bulletin.unread', slug };
    expect(alerts.filter((each) => each.slug === slug)).toEqual([expect.objectContaining(alert)]);
    const news = await server.call('GET', `/api/global_bulletins/${slug}`);
    expect(news.json).toMatchObject({ type: 'warn', title: 'A webhook was switched off' });
    expect(news.json.content).toMatch(/^Its address accepted nothing for three days, or/);
    // Everyone may read it.
    expect(news.text).not.toContain('127.0.0.1');
    const { pathname } = new URL(news.json.href, 'http://localhost');
    expect((await server.call('GET', pathname, { headers: { accept: 'text/html' } })).status).toBe(200);
  }
  const nameGarden = ({ token }: Account) =>
    server.call('PATCH', '/api/device', { token, body: { name: 'The greenhouse' } });

  async function administrator(): Promise<Account> {
    const account = await server.signUp();
    await server.app.server().update(users, { admin: true }, { where: { id: account.userId } });
    return account;
  }

  /** Creates a webhook to a path of its own. */
  async function hook(account: Account, values: object = {}) {
    const path = `/${++paths}`;
    const body = { url: receiver.url(path), ...values };
    const response = await server.call('POST', '/api/webhooks', { token: account.token, body });
    expect(response.status, response.text).toBe(200);
    return { ...response.json, path } as { id: number; secret: string; path: string };
  }

  const addPoint = async (account: Account, name: string): Promise<number> => {
    const body = { pointer_type: 'Plant', name, x: 1, y: 2, z: 0 };
    const { status, json } = await server.call('POST', '/api/points', { token: account.token, body });
    expect(status).toBe(200);
    return json.id;
  };
  const get = async (account: Account, path: string) => (await server.call('GET', path, { token: account.token })).json;
  const deliveriesOf = (account: Account, id: number) => get(account, `/api/webhooks/${id}/deliveries`);
  const nameOf = (each: { json: { data: { record: { name: string } | null } } }) => each.json.data.record?.name ?? null;

  it('get each change in order, signed, as it is shown over HTTP', async () => {
    const account = await administrator();
    const { secret, path } = await hook(account);
    const names = Array.from({ length: 30 }, (_, n) => `Plant ${n}`);
    const ids: number[] = [];
    for (const name of names) ids.push(await addPoint(account, name));
    const [id] = ids;
    await server.call('PATCH', `/api/points/${id}`, { token: account.token, body: { name: 'Leek' } });
    const shown = await get(account, `/api/points/${id}`);
    await server.call('DELETE', `/api/points/${id}`, { token: account.token });
    await expect.poll(() => receiver.at(path).length, waiting).toBe(32);
    const all = receiver.at(path);
    expect(all.slice(0, 30).map(nameOf)).toEqual(names);
    for (const each of all) expect(verified(secret, each)).toEqual(each.json);
    expect(new Set(all.map(({ headers }) => headers['webhook-id'])).size).toBe(32);
    expect(all[30]?.json).toEqual({
      type: 'Point.updated',
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
      data: {
        action: 'updated',
        resource: 'Point',
        id,
        record: shown,
        label: expect.any(String),
        actor: { kind: 'user', user_id: account.userId, name: 'Gardener', via: null },
        at: all[30]?.json.timestamp,
      },
    });
    expect(all[31]?.json).toMatchObject({ type: 'Point.deleted', data: { action: 'deleted', id, record: null } });
    expect(() => verified(newSecret(), all[0] ?? expect.fail())).toThrow();
  });

  it('get the resources that they name only', async () => {
    const account = await administrator();
    const some = await hook(account, { resources: ['Tool', 'WebAppConfig'] });
    const none = await hook(account, { resources: [] });
    await addPoint(account, 'Leek');
    await server.call('POST', '/api/tools', { token: account.token, body: { name: 'Trowel' } });
    // Not announced to clients of the broker.
    const update = { token: account.token, body: { show_weeds: false } };
    const { json: config } = await server.call('PATCH', '/api/web_app_config', update);
    await expect
      .poll(() => receiver.at(some.path).map(({ json }) => json.type), waiting)
      .toEqual(['Tool.created', 'WebAppConfig.updated']);
    expect(receiver.at(some.path)[1]?.json.data).toMatchObject({ resource: 'WebAppConfig', record: config });
    expect(receiver.at(none.path)).toEqual([]);
  });

  it("do not follow redirects, and reach no private address unless it is listed and the garden an administrator's", async () => {
    const account = await administrator();
    const { id, path } = await hook(account);
    receiver.answers.set(path, (response) => void response.writeHead(307, { location: receiver.url('/other') }).end());
    await addPoint(account, 'A');
    await expect
      .poll(async () => (await deliveriesOf(account, id))[0]?.error, waiting)
      .toBe('the address responded with 307');
    expect(receiver.at('/other')).toEqual([]);

    // Of an administrator no longer.
    const other = await administrator();
    const refused = await hook(other);
    await server.app.server().update(users, { admin: false }, { where: { id: other.userId } });
    await addPoint(other, 'A');
    const error = async () => (await deliveriesOf(other, refused.id))[0]?.error;
    await expect.poll(error, waiting).toMatch(/private network/);
    expect(receiver.at(refused.path)).toEqual([]);
  });

  it('are refused to an address that they can never reach', async () => {
    const [account, other] = [await administrator(), await server.signUp()];
    await server.app.server().update(users, { admin: false }, { where: { id: other.userId } });
    const create = async ({ token }: Account, url: string) =>
      await server.call('POST', '/api/webhooks', { token, body: { url, active: false } });
    const refusal = {
      status: 422,
      json: {
        url: 'Url is in a private network, which the server’s setting FETCH_ALLOW does not open to this garden.',
      },
    };
    for (const host of ['192.168.1.7', '[fe80::1]', '127.0.0.2', '0x7f.2'])
      expect(await create(account, `http://${host}:8080/`), host).toMatchObject(refusal);
    for (const host of ['127.0.0.1', 'localhost', 'localhost.', 'a.localhost', '[::1]'])
      expect(await create(other, `https://${host}/`), host).toMatchObject(refusal);
    expect(await get(other, '/api/webhooks')).toEqual([]);
    // Names are resolved at each delivery only.
    for (const url of ['http://localhost/', 'http://127.0.0.1:1/'])
      expect((await create(account, url)).status).toBe(200);
    const { json } = await create(other, 'http://greenhouse.local/');
    const change = (body: object) => server.call('PATCH', `/api/webhooks/${json.id}`, { token: other.token, body });
    expect(await change({ url: 'http://10.0.0.1/' })).toMatchObject(refusal);
    expect(await get(other, '/api/webhooks')).toMatchObject([{ url: 'http://greenhouse.local/', active: false }]);
    // One that was opened before keeps its address.
    await server.app
      .server()
      .device(other.deviceId)
      .update(webhooks, { url: 'http://10.0.0.1/' }, { where: { id: json.id } });
    expect((await change({ url: 'http://10.0.0.1/', description: 'Screen' })).status).toBe(200);
  });

  it('do not wait for each other, nor do other jobs wait for them', async () => {
    const account = await administrator();
    const held: (() => void)[] = [];
    const silent = await Promise.all(Array.from({ length: 9 }, () => hook(account)));
    for (const { path } of silent)
      receiver.answers.set(path, (response) => void held.push(() => response.writeHead(204).end()));
    const quick = await hook(account);
    await addPoint(account, 'A');
    await addPoint(account, 'B');
    await expect.poll(() => receiver.at(quick.path).length, waiting).toBe(2);
    // A sign-up's mail and the job of a manifest run in between.
    await server.call('POST', '/api/farmware_installations', {
      token: account.token,
      body: { url: 'http://127.0.0.1:1/manifest.json' },
    });
    await expect
      .poll(async () => (await get(account, '/api/farmware_installations'))[0].package_error, waiting)
      .not.toBe(null);
    expect(held).toHaveLength(9);
    // The second change too: later tests would wait for its deliveries.
    for (const { path } of silent) receiver.answers.delete(path);
    for (const answer of held) answer();
  });

  it('take few slots once their addresses are slow, in all gardens of a person, and keep their order', async () => {
    const account = await administrator();
    let open = 0;
    let most = 0;
    const slowly = (ms: number) => (response: ServerResponse) => {
      most = Math.max(most, ++open);
      setTimeout(() => {
        open--;
        response.writeHead(204).end();
      }, ms);
    };
    const slow = await Promise.all(Array.from({ length: 6 }, () => hook(account)));
    for (const { path } of slow) receiver.answers.set(path, slowly(1_200));
    await addPoint(account, 'A');
    await expect.poll(() => most, waiting).toBe(6);
    await addPoint(account, 'B');
    await expect.poll(() => open, waiting).toBe(0);
    most = 0;
    await addPoint(account, 'C');
    const quick = await hook(account);
    await addPoint(account, 'D');
    await expect.poll(() => receiver.at(quick.path).length, waiting).toBe(1);
    expect(receiver.at(slow[5]?.path ?? '').length).toBeLessThan(4);
    for (const { path } of slow) {
      await expect.poll(() => receiver.at(path).map(nameOf), waiting).toEqual(['A', 'B', 'C', 'D']);
      receiver.answers.delete(path);
    }
    expect(most).toBe(3);
    // Quick ones return to the other slots.
    await addPoint(account, 'E');
    await expect.poll(() => receiver.at(slow[0]?.path ?? '').length, waiting).toBe(5);
    const states = async () =>
      (await deliveriesOf(account, slow[0]?.id ?? 0)).map(({ status }: { status: string }) => status);
    await expect.poll(states, waiting).toEqual(Array(5).fill('delivered'));
    expect(
      await kindFor(server.app.server().device(account.deviceId), { id: slow[0]?.id ?? 0, failing_since: null }),
    ).toBe('webhook_delivery');
  });

  it('are tested and redelivered once, out of order', async () => {
    const account = await administrator();
    const { id, path, secret } = await hook(account);
    receiver.answers.set(path, (response) => void response.writeHead(500).end());
    await addPoint(account, 'A');
    await expect.poll(async () => (await get(account, `/api/webhooks/${id}`)).failing_since, waiting).not.toBe(null);
    receiver.answers.delete(path);
    const test = await server.call('POST', `/api/webhooks/${id}/test`, { token: account.token, body: { password } });
    expect(test.json).toMatchObject({ type: 'test', status: 'sending' });
    // It succeeds, so waiting deliveries need not wait any longer.
    await expect
      .poll(() => receiver.at(path).map(({ json }) => json.type), waiting)
      .toEqual(['Point.created', 'test', 'Point.created']);
    const sent = receiver.at(path)[1] ?? expect.fail();
    expect(verified(secret, sent)).toEqual({ type: 'test', timestamp: expect.any(String), data: { webhook_id: id } });
    const delivered = async () => (await deliveriesOf(account, id)).map((each: { status: string }) => each.status);
    await expect.poll(delivered, waiting).toEqual(['delivered', 'delivered']);
    const [, first] = await deliveriesOf(account, id);
    const again = `/api/webhooks/${id}/deliveries/${first.id}/redeliver`;
    const redelivered = await server.call('POST', again, { token: account.token, body: { password } });
    expect(redelivered.json).toMatchObject({ id: first.id, status: 'sending' });
    await expect.poll(() => receiver.at(path).length, waiting).toBe(4);
    const [before, , , after] = receiver.at(path);
    expect(after?.headers['webhook-id']).toBe(before?.headers['webhook-id']);
    expect(after?.text).toBe(before?.text);
    // The log does not have the change any more.
    const announced = () => countPendingOf(server.app.server(), [account.deviceId]);
    await expect.poll(announced, waiting).toBe(0);
    await emptyHistory(server.app.server().device(account.deviceId));
    const kept = await deliveriesOf(account, id);
    const refused = await server.call('POST', again, { token: account.token, body: { password } });
    expect(refused).toMatchObject({
      status: 422,
      json: { error: expect.stringMatching(/^There is nothing to deliver: the change is no longer in the history/) },
    });
    await server.app.runJobs();
    expect(await deliveriesOf(account, id)).toEqual(kept);
    const unknown = `/api/webhooks/${id}/deliveries/999999/redeliver`;
    expect((await server.call('POST', unknown, { token: account.token, body: { password } })).status).toBe(404);
  });

  it('are tested ten at a time, so that silent addresses do not delay others’', async () => {
    const account = await administrator();
    const { id, path } = await hook(account, { resources: [] });
    const open: (() => void)[] = [];
    receiver.answers.set(path, (response) => void open.push(() => response.writeHead(204).end()));
    const test = () => server.call('POST', `/api/webhooks/${id}/test`, { token: account.token, body: { password } });
    for (let each = 0; each < 10; each++) expect((await test()).status).toBe(200);
    expect(await test()).toMatchObject({ status: 422, json: { error: expect.stringContaining('At most 10') } });
    const sending = async () =>
      (await deliveriesOf(account, id)).filter(({ status }: { status: string }) => status === 'sending').length;
    await expect
      .poll(() => {
        for (const end of open.splice(0)) end();
        return sending();
      }, waiting)
      .toBe(0);
    receiver.answers.delete(path);
    expect((await test()).status).toBe(200);
  });

  it('have a secret that is shown once and can be replaced', async () => {
    const account = await administrator();
    const { id, path, secret } = await hook(account);
    for (const shown of ['/api/webhooks', `/api/webhooks/${id}`])
      expect(JSON.stringify(await get(account, shown))).not.toContain('whsec_');
    const rotate = () =>
      server.call('POST', `/api/webhooks/${id}/secret`, { token: account.token, body: { password } });
    const { secret: newer } = (await rotate()).json;
    expect(newer).not.toBe(secret);
    await addPoint(account, 'A');
    await expect.poll(() => receiver.at(path).length, waiting).toBe(1);
    const [both = expect.fail()] = receiver.at(path);
    for (const each of [secret, newer]) expect(verified(each, both)).toEqual(both.json);
    const until = timestamp(clock.now() - 1);
    await server.app
      .server()
      .device(account.deviceId)
      .update(webhooks, { previous_secret_until: until }, { where: { id } });
    await addPoint(account, 'B');
    await expect.poll(() => receiver.at(path).length, waiting).toBe(2);
    const [, one = expect.fail()] = receiver.at(path);
    expect(verified(newer, one)).toEqual(one.json);
    expect(() => verified(secret, one)).toThrow();
  });

  it('are ten at most, and bad input is named', async () => {
    const account = await administrator();
    const create = (body: object) => server.call('POST', '/api/webhooks', { token: account.token, body });
    const url = 'https://receiver.example/';
    const bad: [object, string][] = [
      [{}, 'url'],
      [{ url: 'ftp://receiver.example/' }, 'url'],
      [{ url: 'https://user:secret@receiver.example/' }, 'url'],
      [{ url, resources: 'Point' }, 'resources'],
      [{ url, resources: ['Nonsense'] }, 'resources'],
      [{ url, resources: ['point'] }, 'resources'],
      [{ url, robot_events: ['landed'] }, 'robot_events'],
      [{ url, active: 'maybe' }, 'active'],
      [{ url, description: 'x'.repeat(1001) }, 'description'],
      [{ url: `https://${'x'.repeat(2000)}.example/` }, 'url'],
    ];
    for (const [body, key] of bad) {
      const { status, json } = await create(body);
      expect([status, Object.keys(json)], JSON.stringify(body)).toEqual([422, [key]]);
    }
    const several = await create({
      url: 'ftp://a.example/',
      resources: ['Nonsense'],
      robot_events: ['landed'],
      active: 'maybe',
    });
    expect(Object.keys(several.json).sort()).toEqual(['active', 'resources', 'robot_events', 'url']);
    expect(several.json.resources).toMatch(/^Resources must only contain Device, .*, Point, /);
    expect(await get(account, '/api/webhooks')).toEqual([]);
    for (let n = 0; n < 10; n++) await hook(account);
    expect(await create({ url })).toMatchObject({ status: 422, json: { error: expect.stringMatching(/At most 10/) } });
    expect((await get(account, '/api/usage')).webhooks).toEqual({ used: 10, limit: 10 });
  });

  it('belong to their garden, and are deleted with their deliveries', async () => {
    const [account, stranger] = [await administrator(), await administrator()];
    const { id } = await hook(account);
    const attempts: [string, string][] = [
      ['GET', ''],
      ['GET', '/deliveries'],
      ['PATCH', ''],
      ['DELETE', ''],
      ['POST', '/test'],
      ['POST', '/secret'],
      ['POST', '/deliveries/1/redeliver'],
    ];
    for (const [method, rest] of attempts) {
      const body = method === 'GET' ? {} : { body: { password } };
      const response = await server.call(method, `/api/webhooks/${id}${rest}`, { token: stranger.token, ...body });
      expect(response.status, `${method} ${rest}`).toBe(404);
    }
    const removed = await server.call('DELETE', `/api/webhooks/${id}`, { token: account.token, body: { password } });
    expect(removed).toMatchObject({ status: 200, json: { id } });
    expect(await get(account, '/api/webhooks')).toEqual([]);
  });

  it('protect waiting changes from trimming, report one reset for lost ones, and continue', async () => {
    const account = await administrator();
    const scope = server.app.server().device(account.deviceId);
    const { id, path } = await hook(account);
    let status = 500;
    receiver.answers.set(path, (response) => void response.writeHead(status).end());
    const fail = async (names: readonly string[]) => {
      for (const name of names) await addPoint(account, name);
      await expect.poll(async () => (await get(account, `/api/webhooks/${id}`)).failing_since, waiting).not.toBe(null);
      const made = async () => (await deliveriesOf(account, id)).length;
      await expect.poll(made, waiting).toBeGreaterThan(0);
    };
    const untilAnnounced = () => expect.poll(() => countPendingOf(server.app.server(), [account.deviceId])).toBe(0);
    const quotas = createQuotas(quotaLimits(server.settings));
    const trimming = new ChangeTrimming({
      server: server.app.server,
      changes: new ChangeLog(),
      quotas,
      historyDays: 0,
    });
    await fail(['A', 'B', 'C']);
    await untilAnnounced();
    await trimming.trim(scope);
    status = 200;
    clock.offset += 6000;
    await expect.poll(() => receiver.at(path).map(nameOf), waiting).toEqual(['A', 'A', 'B', 'C']);
    await expect.poll(async () => (await get(account, `/api/webhooks/${id}`)).failing_since, waiting).toBe(null);
    const trimmed = async () => {
      await trimming.trim(scope);
      return scope.count(changeRows);
    };
    await expect.poll(trimmed, waiting).toBe(0);

    status = 500;
    await fail(['D', 'E', 'F']);
    await emptyHistory(scope);
    status = 200;
    clock.offset += 6000;
    const typesOf = () => receiver.at(path).map(({ json }) => json.type);
    await expect.poll(() => typesOf().at(-1), waiting).toBe('reset');
    await addPoint(account, 'G');
    await expect.poll(() => typesOf().slice(5), waiting).toEqual(['reset', 'Point.created']);
    expect(receiver.at(path).map(nameOf)[6]).toBe('G');
  });

  // The last ones, since receivers compare times with their own clock.
  it('repeat a delivery that fails under the same id, in order, after growing pauses', async () => {
    const account = await administrator();
    const { id, path } = await hook(account);
    let status = 500;
    receiver.answers.set(path, (response) => void response.writeHead(status).end('no'));
    await addPoint(account, 'A');
    await addPoint(account, 'B');
    await expect.poll(() => receiver.at(path).length, waiting).toBe(1);
    const failing = async () => (await get(account, `/api/webhooks/${id}`)).failing_since;
    await expect.poll(failing, waiting).not.toBe(null);
    clock.offset += 6000;
    await expect.poll(() => receiver.at(path).length, waiting).toBe(2);
    await expect.poll(async () => (await deliveriesOf(account, id)).at(-1).attempts, waiting).toBe(2);
    expect((await deliveriesOf(account, id)).at(-1)).toMatchObject({
      type: 'Point.created',
      status: 'waiting',
      response_status: 500,
      // The receiver is not on the public internet.
      response_body: null,
      error: 'the address responded with 500',
    });
    status = 200;
    clock.offset += 31_000;
    await expect.poll(() => receiver.at(path).map(nameOf), waiting).toEqual(['A', 'A', 'A', 'B']);
    expect(new Set(receiver.at(path).map(({ headers }) => headers['webhook-id'])).size).toBe(2);
    await expect.poll(failing, waiting).toBe(null);
    const states = async () => (await deliveriesOf(account, id)).map((each: { status: string }) => each.status);
    await expect.poll(states, waiting).toEqual(['delivered', 'delivered']);
  });

  it('that are switched off during an attempt leave nothing waiting, also if it fails', async () => {
    const account = await administrator();
    const { id, path } = await hook(account);
    const attempt = new Promise<ServerResponse>((resolve) => void receiver.answers.set(path, resolve));
    await addPoint(account, 'A');
    const response = await attempt;
    const turn = async (active: boolean) => {
      const body = { active, password };
      const patched = await server.call('PATCH', `/api/webhooks/${id}`, { token: account.token, body });
      expect(patched.status, patched.text).toBe(200);
    };
    await turn(false);
    response.writeHead(500).end();
    const deliveries = () => deliveriesOf(account, id);
    await expect.poll(deliveries, waiting).toMatchObject([{ status: 'failed', response_status: 500, attempts: 1 }]);
    expect(await get(account, `/api/webhooks/${id}`)).toMatchObject({ active: false, failing_since: null });
    receiver.answers.delete(path);
    await turn(true);
    await addPoint(account, 'B');
    await expect.poll(() => receiver.at(path).map(nameOf), waiting).toEqual(['A', 'B']);
  });

  it('deliver each change once although an earlier release left a job', async () => {
    const account = await administrator();
    const { id, path } = await hook(account);
    receiver.answers.set(path, (response) => void setTimeout(() => response.writeHead(204).end(), 100));
    const app = server.app.server();
    const payload = { device_id: account.deviceId, webhook_id: id };
    const left = { kind: 'webhook_delivery', payload, attempts: 0, max_attempts: 1000, device_id: account.deviceId };
    const names = Array.from({ length: 12 }, (_, each) => `Plant ${each}`);
    await app.insert(jobs, { ...left, run_at: timestamp(clock.now()) });
    for (const name of names) await addPoint(account, name);
    await expect.poll(() => receiver.at(path).map(nameOf), waiting).toEqual(names);
    await expect.poll(() => app.count(jobs, { where: { device_id: account.deviceId } }), waiting).toBe(0);
    expect(receiver.at(path).map(nameOf)).toEqual(names);
  });

  it('are switched off immediately by a receiver that refuses further deliveries', async () => {
    const account = await administrator();
    await nameGarden(account);
    const { id, path } = await hook(account);
    receiver.answers.set(path, (response) => void response.writeHead(410).end());
    await addPoint(account, 'A');
    await expect.poll(async () => (await get(account, `/api/webhooks/${id}`)).disabled_at, waiting).not.toBe(null);
    const logs = await get(account, '/api/logs');
    expect(logs.map(({ message }: { message: string }) => message)).toContainEqual(
      expect.stringMatching(/was switched off: its address responded with 410 \(gone\)\.$/),
    );
    await expectMail(account, id, 'refused further deliveries (410)');
    await expectAlert(account);
    // One that is not dismissed yet is enough.
    const second = await hook(account);
    receiver.answers.set(second.path, (response) => void response.writeHead(410).end());
    await addPoint(account, 'B');
    const isOff = async () => (await get(account, `/api/webhooks/${second.id}`)).disabled_at !== null;
    await expect.poll(isOff, waiting).toBe(true);
    await expectAlert(account);
  });

  itAnyEngine('are switched off after three days of failures, with an alert, a notice and a mail', async () => {
    const account = await administrator();
    await nameGarden(account);
    const { id, path } = await hook(account);
    receiver.answers.set(path, (response) => void response.writeHead(503).end());
    await addPoint(account, 'A');
    await expect.poll(async () => (await get(account, `/api/webhooks/${id}`)).failing_since, waiting).not.toBe(null);
    const state = async () => server.app.server().device(account.deviceId).first(webhooks, { where: { id } });
    for (let attempts = 1; (await state())?.active; ) {
      clock.offset += 12 * hour + 1000;
      await server.app.runJobs();
      await expect
        .poll(async () => {
          const now = await state();
          return !now?.active || now.attempts > attempts;
        }, waiting)
        .toBe(true);
      attempts = (await state())?.attempts ?? 0;
    }
    const webhook = await get(account, `/api/webhooks/${id}`);
    expect(webhook).toMatchObject({ active: false, disabled_at: expect.any(String) });
    const failed = Date.parse(webhook.disabled_at) - Date.parse(webhook.failing_since);
    expect(failed).toBeGreaterThan(60 * hour);
    expect(failed).toBeLessThanOrEqual(72 * hour + 60_000);
    expect((await deliveriesOf(account, id))[0]).toMatchObject({ status: 'failed' });
    const logs = await get(account, '/api/logs');
    expect(logs.map(({ message }: { message: string }) => message)).toContainEqual(
      expect.stringMatching(/^The webhook to 127\.0\.0\.1:\d+ was switched off/),
    );
    await expectMail(account, id, 'accepted nothing for three days');
    await expectAlert(account);
    // Switched on again, it begins with changes from then on.
    receiver.answers.delete(path);
    receiver.all.length = 0;
    await addPoint(account, 'B');
    await server.call('PATCH', `/api/webhooks/${id}`, { token: account.token, body: { active: true, password } });
    await addPoint(account, 'C');
    await expect.poll(() => receiver.at(path).map(nameOf), waiting).toEqual(['C']);
    expect(await get(account, `/api/webhooks/${id}`)).toMatchObject({ failing_since: null, disabled_at: null });
  });
});
