import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { expect } from 'vitest';
import type { Json } from '../../support/json.ts';
import { numberAt, textAt } from '../../support/json.ts';
import { MqttTestClient } from '../../support/mqtt-test-client.ts';
import type { AttackContext } from '../attack-context.ts';
import { brokerPassword, metricsToken } from '../attacked-server.ts';
import type { Attempt } from '../attempt.ts';
import { always, minute } from '../attempt.ts';

const forgedHeaders = { 'x-forwarded-for': '127.0.0.1', 'x-real-ip': '127.0.0.1', forwarded: 'for=127.0.0.1' };

/** Sends a request in every way in which a client without a session can, and records the answers: through the proxy, around it, and with forged headers. */
async function fromOutside(context: AttackContext, method: string, path: string, body?: Json): Promise<void> {
  const { server } = context;
  const sending = body === undefined ? {} : { body };
  await context.attack(server.newAddress(), method, path, sending);
  await context.attack(`127.0.0.1, ${server.newAddress()}`, method, path, sending);
  for (const headers of [{}, forgedHeaders])
    context.record((await server.sendDirectly(method, path, { ...sending, headers })).status);
  // As of a proxy that adds no address.
  for (const name of ['via', 'forwarded', 'x-real-ip', 'cf-connecting-ip', 'x-forwarded-proto'])
    context.record((await server.proxy.send(method, path, { ...sending, headers: { [name]: '1.1 proxy' } })).status);
}

/** Requests of {@link fromOutside}. */
const waysFromOutside = 9;

const hooks = ['user', 'vhost', 'resource', 'topic'];

/** Records of a victim: the path of a list, and a valid body. */
const victimRecords = {
  points: { pointer_type: 'Plant', name: 'Secret lettuce', x: 1, y: 2 },
  tools: { name: 'Secret tool' },
  sequences: { name: 'Secret sequence', args: { locals: { kind: 'scope_declaration', args: {} } }, body: [] },
  sensors: { label: 'Secret sensor', pin: 5, mode: 0 },
  peripherals: { label: 'Secret pump', pin: 7, mode: 0 },
  saved_gardens: { name: 'Secret garden' },
  folders: { name: 'Secret folder', color: 'blue' },
  webcam_feeds: { name: 'Secret camera', url: 'http://camera.example/' },
};

const methods = ['GET', 'PATCH', 'PUT', 'DELETE'];

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Returns tokens that look like one of a victim's. */
function forgedTokens(real: string, publicKey: string): readonly string[] {
  const [head = '', payload = '', signature = ''] = real.split('.');
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object;
  const other = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const signed = (header: object, changes: object = {}): string => {
    const text = `${encoded(header)}.${encoded({ ...claims, ...changes })}`;
    return `${text}.${sign('sha256', Buffer.from(text), other.privateKey).toString('base64url')}`;
  };
  const symmetric = `${encoded({ alg: 'HS256', typ: 'JWT' })}.${payload}`;
  return [
    `${encoded({ alg: 'none', typ: 'JWT' })}.${payload}.`,
    `${encoded({ alg: 'none' })}.${payload}.${signature}`,
    `${symmetric}.${createHmac('sha256', publicKey).update(symmetric).digest('base64url')}`,
    signed({ alg: 'RS256', typ: 'JWT' }),
    signed({ alg: 'RS256', jwk: other.publicKey.export({ format: 'jwk' }), kid: '../../dev/null' }),
    signed({ alg: 'PS256', typ: 'JWT' }),
    `${head}.${payload}.`,
    `${head}.${encoded({ ...claims, exp: 4_102_444_800 })}.${signature}`,
    `${head}.${payload}.${signature.slice(0, -10)}AAAAAAAAAA`,
  ];
}
const forgeries = 9;
const tokenPaths = ['/api/device', '/api/tokens', '/api/points', '/api/users'];

/** Topics that belong to a victim, or match such topics. */
const foreignTopics = (bot: string): readonly string[] => [
  ...[`bot/${bot}/#`, `bot/${bot}/logs`, `bot/${bot}/from_clients`, `bot/${bot}/sync/+/+`, `bot/${bot}/+`],
  ...['#', '+', '+/#', 'bot/#', 'bot/+/logs', 'bot/+/from_device', '+/+/+', '/#', '$SYS/#', '$share/all/#'],
  ...[`$share/all/bot/${bot}/#`, `bot//${bot}/logs`, 'demos/#', 'demos/+', `bot/${bot}`],
];

/** Filters that Home Assistant of one's own garden may subscribe to, and filters that match topics of a victim. */
const homeAssistantFilters = (bot: string, own: string): readonly string[] => [
  ...['homeassistant/#', 'homeassistant/+/+/config', `homeassistant/device/potager_${bot}/config`, `potager/${own}/#`],
  ...[`potager/${bot}/#`, `potager/${bot}/state`, 'potager/#', 'potager/+/state', '#', '+/#', '$share/all/#'],
  ...[`bot/${bot}/#`, `bot/${own}/#`],
];

/** Topics on which it would harm a victim. */
const homeAssistantTopics = (bot: string): readonly string[] => [
  ...[`potager/${bot}/command/emergency_stop`, `potager/${bot}/state`, `homeassistant/device/potager_${bot}/config`],
  ...[`bot/${bot}/from_clients`, `bot/${bot}/status`, 'public_broadcast'],
];

/** Foreign records, forged tokens, and routes for this machine only. */
export const accessAttempts: readonly Attempt[] = [
  {
    name: 'Read, change and delete the records of another account by their ids',
    property: 'Isolation',
    defense: '404, as for ids that do not exist',
    tries: always(Object.keys(victimRecords).length * methods.length),
    async run(context) {
      const { server } = context;
      const victim = await server.createAccount('victim');
      const attacker = await server.attacker();
      const ids: Record<string, number> = {};
      const lists = Object.keys(victimRecords);
      for (const [name, body] of Object.entries(victimRecords)) {
        const created = await server.proxy.post(`/api/${name}`, body, victim.token);
        ids[name] = numberAt(created.json, 'id');
      }
      const read = () =>
        Promise.all(lists.map(async (name) => (await server.proxy.get(`/api/${name}`, victim.token)).text));
      const before = await read();
      const from = server.newAddress();
      for (const [name, id] of Object.entries(ids))
        for (const method of methods) {
          const body = { name: 'Taken', device_id: attacker.deviceId };
          const response = await context.attack(from, method, `/api/${name}/${id}`, { token: attacker.token, body });
          expect(response.text).not.toContain('Secret');
          // A list of ids, of which foreign ones are skipped.
          const expected = method === 'DELETE' && name === 'points' ? 200 : 404;
          expect([method, name, response.status]).toEqual([method, name, expected]);
        }
      expect(await read()).toEqual(before);
    },
  },
  {
    name: 'Use forged tokens: no algorithm, the public key as a secret, other keys, changed claims',
    property: 'Tokens',
    defense: '401',
    tries: always(forgeries * tokenPaths.length),
    async run(context) {
      const { server, honest } = context;
      const publicKey = (await server.proxy.get('/api/public_key')).text;
      const from = server.newAddress();
      for (const token of forgedTokens(honest.account.token, publicKey))
        for (const path of tokenPaths) expect((await context.attack(from, 'GET', path, { token })).status).toBe(401);
    },
  },
  {
    name: 'Use a session after signing out, over HTTP and MQTT',
    property: 'Tokens',
    defense: '401, the open connection is closed, and new ones are refused',
    tries: always(3),
    async run(context) {
      const { server } = context;
      const { token, bot } = await server.createAccount('signed-out');
      const open = await MqttTestClient.connect(server.mqtt, { username: bot, password: token });
      await server.send(server.newAddress(), 'DELETE', '/api/tokens', { token });
      expect((await context.attack(server.newAddress(), 'GET', '/api/device', { token })).status).toBe(401);
      await open.waitUntilClosed();
      context.record('connection closed');
      await expect(MqttTestClient.connect(server.mqtt, { username: bot, password: token })).rejects.toThrow();
      context.record('connection refused');
    },
  },
  {
    name: 'Take over an account with the temporary token of the viewer of `/docs`',
    property: 'The viewer of `/docs`',
    defense: '403, and no connection to the broker',
    tries: always(5),
    async run(context) {
      const { server } = context;
      const { token, bot, email, password } = await server.createAccount('viewer');
      const from = server.newAddress();
      const headers = { 'user-agent': 'Mozilla/5.0' };
      const issued = await server.send(from, 'POST', '/api/tokens/temporary', { token, headers });
      const temporary = textAt(issued.json, 'token.encoded');
      for (const [method, path, body] of [
        ['GET', '/api/tokens', null],
        ['POST', '/api/tokens/temporary', {}],
        ['PATCH', '/api/users', { email: `thief.${email}`, password }],
        ['DELETE', '/api/users', { password }],
      ] as const) {
        const response = await context.attack(from, method, path, { token: temporary, ...(body && { body }) });
        expect([method, response.status]).toEqual([method, 403]);
      }
      const signIn = { username: bot, password: temporary };
      await expect(MqttTestClient.connect(server.mqtt, signIn)).rejects.toThrow();
      context.record('connection refused');
      expect((await server.send(from, 'GET', '/api/device', { token })).status).toBe(200);
    },
  },
  {
    name: 'Subscribe and publish to the topics of another account, with wildcards',
    property: 'Message broker: permissions',
    defense: 'subscriptions are rejected, publications reach no client',
    tries: always(foreignTopics('').length + 3),
    async run(context) {
      const { server, honest } = context;
      const attacker = await server.attacker();
      const victim = honest.account;
      const signIn = { username: attacker.bot, password: attacker.token };
      const listener = await MqttTestClient.connect(server.mqtt, signIn);
      for (const topic of foreignTopics(victim.bot)) {
        const granted = await listener.subscribe(topic);
        context.record(granted[0] === 128 ? 'subscription rejected' : 'subscribed');
      }
      expect(context.count('subscribed')).toBe(0);
      const robot = await MqttTestClient.connect(server.mqtt, { username: victim.bot, password: victim.token });
      await robot.subscribe([`bot/${victim.bot}/from_clients`, `bot/${victim.bot}/sync/#`]);
      for (const channel of ['from_clients', 'sync/Point/1', 'logs']) {
        const publisher = await MqttTestClient.connect(server.mqtt, signIn);
        await publisher.publish(`bot/${victim.bot}/${channel}`, '{"message":"forged"}');
        await publisher.waitUntilClosed();
        context.record('connection closed');
      }
      await robot.publish(`bot/${victim.bot}/from_clients`, 'own', { qos: 1 });
      await robot.waitUntil((received) => received.some(({ text }) => text === 'own'), 'its own message');
      expect(robot.received.filter(({ text }) => text.includes('forged'))).toEqual([]);
      expect((await server.proxy.get('/api/logs', victim.token)).text).not.toContain('forged');
      expect(listener.received).toEqual([]);
      await Promise.all([robot.end(), listener.end()]);
    },
  },
  {
    name: "Read and command another garden as the Home Assistant of one's own garden",
    property: 'Home Assistant',
    defense: 'nothing of the other garden is delivered, and publications reach no client',
    tries: always(homeAssistantFilters('', '').length + homeAssistantTopics('').length + 2),
    async run(context) {
      const { server } = context;
      const operator = await server.createAccount('operator');
      expect((await server.process.run(['user', 'admin', operator.email, 'on'])).code).toBe(0);
      const shown = async (name: string) => {
        const account = await server.createAccount(name);
        const { deviceId, token } = account;
        const allowed = await server.proxy.send('PATCH', `/api/admin/home_assistant/${deviceId}`, {
          token: operator.token,
          body: { allowed: true },
        });
        expect(allowed.status, allowed.text).toBe(200);
        await server.proxy.send('PATCH', '/api/home_assistant', { token, body: { on: true } });
        const { json } = await server.proxy.send('POST', '/api/home_assistant/password', { token });
        return { ...account, login: { username: textAt(json, 'username'), password: textAt(json, 'password') } };
      };
      const [victim, attacker] = [await shown('at-home'), await shown('burglar')];
      const robot = await MqttTestClient.connect(server.mqtt, { username: victim.bot, password: victim.token });
      await robot.subscribe(`bot/${victim.bot}/#`);
      const home = await MqttTestClient.connect(server.mqtt, attacker.login);
      for (const filter of homeAssistantFilters(victim.bot, attacker.bot)) {
        const granted = await home.subscribe(filter);
        context.record(granted[0] === 128 ? 'subscription rejected' : 'subscribed');
      }
      for (const topic of homeAssistantTopics(victim.bot)) {
        await home.publish(topic, 'PRESS', { qos: 1, retain: true });
        context.record('publication acknowledged');
      }
      for (const password of [victim.token, attacker.login.password]) {
        const signIn = { username: victim.login.username, password };
        await expect(MqttTestClient.connect(server.mqtt, signIn)).rejects.toThrow();
        context.record('connection refused');
      }
      await robot.publish(`bot/${victim.bot}/from_clients`, 'own', { qos: 1 });
      await robot.waitUntil((received) => received.some(({ text }) => text === 'own'), 'its own message');
      expect(robot.received.filter(({ text }) => /PRESS|emergency/.test(text))).toEqual([]);
      expect(home.received.filter(({ topic }) => !topic.includes(attacker.bot))).toEqual([]);
      await Promise.all([robot.end(), home.end()]);
    },
  },
  {
    name: "Guess the password of the broker's administrator",
    property: 'The hooks for RabbitMQ',
    defense: 'refused; the address is blocked after ten wrong passwords within a minute',
    tries: { short: 15, full: 60 },
    async run(context) {
      const { server, tries } = context;
      const signIn = (password: string) => MqttTestClient.connect(server.mqtt, { username: 'admin', password });
      await (await signIn(brokerPassword)).end();
      const began = Math.floor(Date.now() / minute);
      for (let i = 0; i < tries; i++) {
        await expect(signIn(`guess ${i}`)).rejects.toThrow();
        context.record('connection refused');
      }
      const isBlocked = await signIn(brokerPassword).then(
        (client) => client.end().then(() => false),
        () => true,
      );
      if (Math.floor(Date.now() / minute) === began) expect(isBlocked).toBe(true);
    },
  },
  {
    name: 'Call the hooks for RabbitMQ from outside, past the proxy, and with forged headers',
    property: 'The hooks for RabbitMQ',
    defense: "404, and no notice in the owner's log",
    tries: always(hooks.length * waysFromOutside),
    async run(context) {
      const { server, honest } = context;
      const { bot, token } = honest.account;
      const logs = async () => (await server.proxy.get('/api/logs', token)).text;
      const before = await logs();
      const body = {
        username: bot,
        password: token,
        vhost: '/',
        resource: 'queue',
        permission: 'read',
        name: 'x',
        routing_key: `bot.${bot}.logs`,
      };
      for (const hook of hooks) await fromOutside(context, 'POST', `/api/rmq/${hook}`, body);
      expect(context.count(404)).toBe(context.tries);
      expect(await logs()).toBe(before);
    },
  },
  {
    name: 'Read the metrics without their token',
    property: 'Metrics',
    defense: '401 or 403, on this machine too',
    tries: always(waysFromOutside + 4),
    async run(context) {
      const { server } = context;
      await fromOutside(context, 'GET', '/metrics');
      context.record((await server.proxy.get('/metrics')).status);
      for (const token of ['wrong', `${metricsToken}x`, server.process.folder])
        await context.attack(server.newAddress(), 'GET', '/metrics', { token: `Bearer ${token}` });
      expect(context.count(401) + context.count(403)).toBe(context.tries);
      const allowed = await server.send(server.newAddress(), 'GET', '/metrics', { token: `Bearer ${metricsToken}` });
      expect(allowed.status).toBe(200);
    },
  },
];
