import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { logLines, send, statusOf, useEdge, useOptions, withoutToken } from '../../test/support/edge.ts';
import { fakeServerScope } from '../../test/support/fake-scopes.ts';
import { Counters } from '../core/counters.ts';
import { allRights, ResourceRights } from '../engine/rights.ts';
import { BrokerAccess } from './access.ts';
import { hookRoutes } from './hook-routes.ts';

useEdge();

const form = { authorization: undefined, 'content-type': 'application/x-www-form-urlencoded' };
const json = { authorization: undefined, 'content-type': 'application/json' };
const local = '127.0.0.1';
const clock = { now: () => Date.UTC(2026, 10, 21, 12) };

let counters: Counters;
let notices: string[];
let access: BrokerAccess;
let isDatabaseAvailable = true;
let hasEnded = false;
let subscribed: number[] = [];

const reference = { kind: 'session', id: 12_345 } as const;

function serve(hookAddresses: string | null = null, hasRabbitMq = false): void {
  counters = new Counters();
  notices = [];
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const server = fakeServerScope(clock, log, { commits: 0, rollbacks: 0, identities: [] });
  access = new BrokerAccess({
    server: () => server,
    tokens: {
      findHolder: async (_server, token) =>
        token === 'token of 5'
          ? {
              deviceId: 5,
              jti: 'j',
              expires: clock.now() + 1000,
              isRobot: false,
              isHosted: false,
              rights: allRights,
              reference,
            }
          : undefined,
      findValidTokens: async (_server, tokens) => tokens,
      isValid: async (_server, deviceId, { id }) => {
        if (!isDatabaseAvailable) throw new Error('the database is unavailable');
        return deviceId === 5 && id === reference.id;
      },
      hadEnded: () => hasEnded,
      hasStaffToken: async (_server, deviceId) => deviceId === 7,
    },
    resourceRights: new ResourceRights([]),
    adminPassword: 'geheim',
    allowsDemos: async () => true,
    limitsRates: true,
    vhost: '/',
    remember: hasRabbitMq ? async () => true : null,
    notify: async (_scope, message) => void notices.push(message('en')),
    clock,
    counters,
    log,
  });
  subscribed = [];
  const routes = hookRoutes(access, hookAddresses, (deviceId) => subscribed.push(deviceId));
  useOptions({ routes, rateLimits: false });
}

beforeEach(() => {
  isDatabaseAvailable = true;
  hasEnded = false;
  serve();
});
afterEach(() => expect(logLines.filter((line) => line.includes('"level":"error"'))).toEqual([]));

const post = async (hook: string, body: string, headers: Record<string, string | undefined> = form, from = local) => {
  const response = await send(`POST /api/rmq/${hook}`, body, headers, from);
  return `${response.statusCode} ${response.body}`;
};

describe('the user hook', () => {
  it.each([
    ['username=device_5&password=token of 5', '200 allow'],
    ['username=device_6&password=token of 5', '403 deny'],
    ['username=device_05&password=token of 5', '403 deny'],
    ['username=device_5%00&password=token of 5', '403 deny'],
    ['username=device_5%0A&password=token of 5', '403 deny'],
    ['username=DEVICE_5&password=token of 5', '403 deny'],
    ['username=5&password=token of 5', '403 deny'],
    ['username=&password=token of 5', '403 deny'],
    ['username=admin&password=geheim', '200 allow management administrator'],
    ['username=admin&password=', '403 deny'],
    ['username=guest', '403 deny'],
    ['username=farmbot_demo', '200 allow'],
  ])('%s → %s', async (body, expected) => {
    expect(await post('user', body)).toBe(expected);
  });

  it('reports a bad token in JSON, whatever the username', async () => {
    for (const name of ['device_5', 'Admin', '', 'x'.repeat(10_000)]) {
      const response = await send('POST /api/rmq/user', `username=${name}&password=bad`, form, local);
      expect(response.statusCode).toBe(401);
      expect(Object.keys(response.json())).toEqual(['error']);
      expect(typeof response.json().error).toBe('string');
    }
  });

  it('respond with plain text', async () => {
    const response = await send('POST /api/rmq/user', 'username=guest', form, local);
    expect(response.headers['content-type']).toBe('text/plain; charset=utf-8');
  });

  it('names the missing parameter', async () => {
    for (const [body, name] of [
      ['', 'username'],
      ['password=x', 'username'],
      ['username[]=device_5&password=x', 'username'],
      ['username=device_5', 'password'],
      ['username=admin', 'password'],
    ] as const) {
      const response = await send('POST /api/rmq/user', body, form, local);
      expect(response.statusCode).toBe(400);
      expect(response.json().error).toContain(name);
    }
  });
});

describe('parameters', () => {
  it('are read from form, JSON and query', async () => {
    const field = { username: 'device_5', password: 'token of 5' };
    expect(await post('user', JSON.stringify(field), json)).toBe('200 allow');
    expect(
      await statusOf('POST /api/rmq/user?username=device_5&password=token%20of%205', undefined, withoutToken, local),
    ).toBe(200);
    expect(await statusOf('POST /api/rmq/user.json?username=guest', 'password=x', form, local)).toBe(403);
    expect(await post('user', JSON.stringify(field), { ...json, 'content-type': 'text/plain' })).toBe('200 allow');
  });

  it('are taken from the body first, and of repeated fields the last one', async () => {
    expect(await post('user', 'username=admin&username=guest&password=geheim')).toBe('403 deny');
    expect(await post('user?username=admin&password=geheim', 'username=guest')).toBe('403 deny');
  });

  it('do not include lists, objects and null', async () => {
    for (const username of [['device_5'], { a: 1 }, null, []])
      expect(await post('user', JSON.stringify({ username, password: 'token of 5' }), json)).toMatch(/^400 /);
    expect(await post('user', JSON.stringify({ username: 5, password: true }), json)).toMatch(/^401 /);
    expect(await post('user', '{"__proto__":{"username":"guest"}}', json)).toMatch(/^400 /);
    expect(await post('user', '["username"]', json)).toMatch(/^400 /);
    expect(await post('user', '"guest"', json)).toMatch(/^400 /);
  });

  it('are rejected with malformed JSON and large bodies', async () => {
    expect(await post('user', '{"username":', json)).toMatch(/^422 \{"error"/);
    expect(await post('user', `username=guest&x=${'x'.repeat(70_000)}`)).toMatch(/^413 /);
    expect(await post('user', `username=guest${'&x=1'.repeat(10_000)}`)).toBe('403 deny');
    expect(await post('user', '\u0000\u0001', { ...form, 'content-type': 'multipart/form-data; boundary=x' })).toMatch(
      /^400 /,
    );
  });

  it('are accepted by POST only', async () => {
    for (const method of ['GET', 'DELETE', 'PUT', 'PATCH'])
      expect(await statusOf(`${method} /api/rmq/user?username=admin`, undefined, withoutToken, local)).toBe(404);
  });
});

describe('the vhost hook', () => {
  it.each([
    ['username=device_5&vhost=/', '200 allow'],
    ['username=device_5&vhost=//', '403 deny'],
    ['username=device_5&vhost=', '403 deny'],
    ['username=admin', '200 allow'],
  ])('%s → %s', async (body, expected) => {
    expect(await post('vhost', body)).toBe(expected);
  });

  it('requires a virtual host', async () => {
    expect(await post('vhost', 'username=device_5')).toMatch(/^400 .*vhost/);
  });
});

describe('the resource hook', () => {
  it.each([
    ['username=device_5&resource=queue&permission=configure', '200 allow'],
    ['username=device_5&resource=exchange&permission=write', '200 allow'],
    ['username=device_5&resource=exchange&permission=', '403 deny'],
    ['username=device_5&resource=exchange&permission=delete', '403 deny'],
    ['username=device_5&resource=topic', '403 deny'],
    ['username=admin', '200 allow'],
  ])('%s → %s', async (body, expected) => {
    expect(await post('resource', body)).toBe(expected);
  });

  it('requires a resource and then a permission', async () => {
    expect(await post('resource', 'username=device_5&permission=read')).toMatch(/^400 .*resource/);
    expect(await post('resource', 'username=device_5&resource=queue')).toMatch(/^400 .*permission/);
  });
});

describe('the topic hook', () => {
  it.each([
    ['username=device_5&routing_key=bot.device_5.logs', '200 allow'],
    ['username=device_5&permission=write&routing_key=bot.device_5.%23', '200 allow'],
    ['username=device_5&permission=read&routing_key=bot.device_6.%23', '403 deny'],
    ['username=device_5&permission=write&routing_key=public_broadcast', '403 deny'],
    ['username=device_5&permission=write&routing_key=bot.device_5.terminal_input', '403 deny'],
    ['username=device_7&permission=write&routing_key=bot.device_7.terminal_input', '200 allow'],
    ['username=device_5&permission=write&routing_key=bot.device_7.terminal_input', '403 deny'],
    ['username=device_7&permission=write&routing_key=bot.device_7.terminal_inputs', '422 malformed topic'],
    ['username=device_5&routing_key=foo', '422 malformed topic'],
    ['username=device_5&routing_key=', '422 malformed topic'],
    ['username=farmbot_demo&permission=read&routing_key=demos.abc', '200 allow'],
    ['username=farmbot_demo&permission=read&routing_key=foo', '403 deny'],
    ['username=admin', '200 allow'],
  ])('%s → %s', async (body, expected) => {
    expect(await post('topic', body)).toBe(expected);
  });

  it('denies the topics of a token that has ended, whose tags RabbitMQ got at the sign-in', async () => {
    serve(null, true);
    expect(await post('user', 'username=device_5&password=token of 5&client_id=x')).toBe(
      '200 allow session_0_345 session_1_12',
    );
    const topic = (tags: string, name = 'device_5') =>
      post('topic', `username=${name}&permission=write&routing_key=bot.${name}.from_clients&tags=${tags}`);
    expect(await topic('session_0_345 session_1_12')).toBe('200 allow');
    expect(await topic('session_1_12 gardener session_0_345')).toBe('200 allow');
    expect(await topic('session_0_346 session_1_12')).toBe('403 deny');
    expect(await topic('session_0_345 session_1_12', 'device_6')).toBe('403 deny');
    expect(counters.values('broker_refusals').get('ended')).toBe(2);
    // Connections that were accepted before the update.
    expect(await topic('')).toBe('200 allow');
  });

  it('reports the subscription of a robot to announcements', async () => {
    serve(null, true);
    const signIn = 'username=device_5&password=token of 5&client_id=';
    expect(await post('user', `${signIn}device_5_15.4.11`)).toBe('200 allow robot session_0_345 session_1_12');
    const tags = 'robot session_0_345 session_1_12';
    const read = (key: string, sent = tags, name = 'device_5', permission = 'read') =>
      post('topic', `username=${name}&permission=${permission}&routing_key=${encodeURIComponent(key)}&tags=${sent}`);
    for (const key of ['bot.device_5.sync.#', 'bot.device_5.#', 'bot.device_5.sync'])
      expect([key, await read(key)]).toEqual([key, '200 allow']);
    expect(subscribed).toEqual([5, 5, 5]);
    await read('bot.device_5.from_clients');
    await read('bot.device_5.sync.#', 'session_0_345 session_1_12');
    await read('bot.device_5.sync.#', tags, 'device_5', 'write');
    await read('bot.device_6.sync.#');
    await read('bot.device_5.sync.#', 'robot session_0_346 session_1_12');
    expect(subscribed.length).toBe(3);
  });

  it('responds without the database, so that RabbitMQ goes on accepting messages of clients', async () => {
    isDatabaseAvailable = false;
    const topic = (key: string) =>
      post('topic', `username=device_5&permission=write&routing_key=${key}&tags=session_0_345 session_1_12`);
    expect(await topic('bot.device_5.logs')).toBe('200 allow');
    expect(await topic('bot.device_6.logs')).toBe('403 deny');
    hasEnded = true;
    expect(await topic('bot.device_5.logs')).toBe('403 deny');
  });

  it('requires a routing key, and a permission where it matters', async () => {
    expect(await post('topic', 'username=device_5&permission=read')).toMatch(/^400 .*routing_key/);
    for (const key of ['public_broadcast', 'bot.device_5.terminal_input'])
      expect(await post('topic', `username=device_5&routing_key=${key}`)).toMatch(/^400 .*permission/);
    expect(await post('topic', 'username=farmbot_demo&routing_key=foo')).toMatch(/^400 .*permission/);
  });
});

describe('hooks without an address list', () => {
  const forwarding = {
    forwarded: 'for=127.0.0.1',
    'x-forwarded-for': '127.0.0.1',
    'x-forwarded-proto': 'https',
    'x-real-ip': '127.0.0.1',
    via: '1.1 proxy',
    'cf-connecting-ip': '127.0.0.1',
    'true-client-ip': '127.0.0.1',
    'x-cluster-client-ip': '127.0.0.1',
    'x-envoy-external-address': '127.0.0.1',
    'cdn-loop': 'cdn.example',
  };

  it('respond to programs on this machine', async () => {
    for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1'])
      expect(await post('user', 'username=farmbot_demo', form, address)).toBe('200 allow');
  });

  it('are 404 for all others, and write nothing to the device’s log', async () => {
    const attack = 'username=device_5&permission=read&routing_key=bot.device_6.%23';
    for (const address of ['10.2.0.1', '192.168.0.8', '2001:db8::1', 'fe80::1%eth0'])
      expect(await post('topic', attack, form, address)).toBe('404 {"error":"This address was not found."}');
    for (const [name, value] of Object.entries(forwarding))
      for (const hook of ['topic', 'user', 'vhost', 'resource'])
        expect(await post(hook, attack, { ...form, [name]: value })).toBe(
          '404 {"error":"This address was not found."}',
        );
    expect(counters.values('broker_refusals')).toEqual(new Map([['hooks_address', 44]]));
    await access.settled();
    expect(notices).toEqual([]);
  });
});

describe('hooks with an address list', () => {
  it('respond only to these addresses', async () => {
    serve('10.1.0.0/16,192.168.0.7,2001:db8::/32');
    const from = (address: string) => post('user', 'username=farmbot_demo', form, address);
    for (const address of ['10.1.2.3', '192.168.0.7', '2001:db8::1', '::ffff:10.1.2.3'])
      expect(await from(address)).toBe('200 allow');
    for (const address of ['10.2.0.1', '192.168.0.8', '::1', '127.0.0.1', 'fe80::1%eth0'])
      expect(await from(address)).toBe('403 deny');
    expect(await post('topic', '', form, '10.2.0.1')).toBe('403 deny');
    expect(counters.values('broker_refusals').get('hooks_address')).toBe(6);
  });

  it('mean programs on this machine by its address, not requests that a proxy on it passes on', async () => {
    serve('127.0.0.1,10.1.2.3');
    const from = (address: string, headers = {}) =>
      post('user', 'username=farmbot_demo', { ...form, ...headers }, address);
    expect(await from('127.0.0.1')).toBe('200 allow');
    expect(await from('127.0.0.1', { 'x-forwarded-for': '127.0.0.1' })).toBe('403 deny');
    expect(await from('::1')).toBe('403 deny');
    expect(await from('10.1.2.3', { 'x-forwarded-for': '127.0.0.1' })).toBe('200 allow');
  });
});
