import { beforeAll, describe, expect, it } from 'vitest';
import { brokerTokens } from '../../../src/accounts/broker-tokens.ts';
import { databaseKeyStore, fileKeyStore, keyFile, loadKeyPair } from '../../../src/accounts/key-pair.ts';
import { members } from '../../../src/accounts/members.ts';
import { tokenIssuances } from '../../../src/accounts/token-issuances.ts';
import { TokenResolver } from '../../../src/accounts/token-resolver.ts';
import { TokenSigner } from '../../../src/accounts/token-signer.ts';
import { users } from '../../../src/accounts/users.ts';
import { Counters } from '../../../src/core/counters.ts';
import { devices } from '../../../src/device/devices.ts';
import type { AccessOptions } from '../../../src/live/access.ts';
import { BrokerAccess } from '../../../src/live/access.ts';
import { resourceRights } from '../../../src/resources.ts';
import { type Account, password, suiteApp } from '../../support/app.ts';
import { describeEngines } from '../../support/engines.ts';
import { caller, join } from '../../support/members.ts';

const minute = 60_000;
const day = 24 * 60 * minute;

interface Notice {
  readonly deviceId: number;
  readonly message: string;
  readonly channels: readonly string[];
}

describeEngines('access to the broker', (engine) => {
  // Shortly after the full minute, so that a minute's windows do not end within a test.
  const time = { now: Math.ceil(Date.now() / minute) * minute + 1000 };
  const clock = { now: () => time.now };
  const server = suiteApp(engine, {}, clock);
  let tokens: AccessOptions['tokens'];
  beforeAll(async () => {
    const scope = () => server.app.server();
    const store = engine === 'sqlite' ? fileKeyStore(keyFile(server.settings.DATA_DIR)) : databaseKeyStore(scope);
    tokens = brokerTokens(new TokenResolver(new TokenSigner(await loadKeyPair(store), clock)), {
      record: () => undefined,
    });
  });

  /** Creates an access, with records of its notices, log lines and counters. */
  function createAccess(changes: Partial<AccessOptions> = {}) {
    const notices: Notice[] = [];
    const logged: string[] = [];
    const write = (object: object, message: string) => void logged.push(`${message} ${JSON.stringify(object)}`);
    const counters = new Counters();
    const access = new BrokerAccess({
      server: () => server.app.server(),
      tokens,
      resourceRights,
      adminPassword: 'geheim',
      allowsDemos: async () => true,
      limitsRates: true,
      vhost: '/',
      notify: async (scope, message, channels = []) =>
        void notices.push({ deviceId: scope.deviceId, message: message('en'), channels }),
      clock,
      counters,
      log: { debug: write, info: write, warn: write, error: write },
      ...changes,
    });
    const login = async (username: string, password: string, address = '10.0.0.1') =>
      (await access.authenticate({ username, password, clientId: null, address })).verdict;
    return { access, login, notices, logged, counters };
  }

  const bot = ({ deviceId }: Pick<Account, 'deviceId'>) => `device_${deviceId}`;

  describe('a token', () => {
    it('allows its own device', async () => {
      const { access, login, notices, counters } = createAccess();
      const [own, other] = [await server.signUp(), await server.signUp()];
      const found = await access.authenticate({
        username: bot(own),
        password: own.token,
        clientId: 'c',
        address: '10.0.0.1',
      });
      expect(found).toEqual({
        verdict: 'allow',
        user: {
          name: bot(own),
          role: 'device',
          deviceId: own.deviceId,
          token: { jti: expect.any(String), expires: expect.any(Number) },
          reference: null,
          rights: { role: 'owner', scopes: null },
          isRobot: false,
        },
      });
      expect(await login(bot(other), own.token)).toBe('deny');
      for (const name of [`${bot(own)}\u0000`, `${bot(own)}x`, bot(own).toUpperCase(), `device_0${own.deviceId}`, 'me'])
        expect(await login(name, own.token)).toBe('deny');
      await access.settled();
      // Strangers write nothing into the log of the device that they name.
      expect(notices).toEqual([]);
      expect(counters.values('broker_refusals').get('wrong_device')).toBe(6);
    });

    it('is checked before the username', async () => {
      const { access, login, notices, counters } = createAccess();
      const { token, ...account } = await server.signUp();
      for (const bad of ['', 'x', `${token}x`, token.slice(0, -10), token.split('.').slice(0, 2).join('.'), '\u0000'])
        for (const name of [`device_${account.deviceId}`, 'Admin', '', 'x'.repeat(100_000)])
          expect(await login(name, bad)).toBe('bad_token');
      await access.settled();
      expect(notices).toEqual([]);
      expect(counters.values('broker_refusals')).toEqual(new Map([['bad_token', 24]]));
    });

    it('is not accepted after its revocation', async () => {
      const { access, login } = createAccess();
      const account = await server.signUp();
      const found = await access.authenticate({
        username: bot(account),
        password: account.token,
        clientId: null,
        address: '10.0.0.1',
      });
      const jti = found.verdict === 'allow' ? (found.user.token?.jti ?? '') : '';
      const { deviceId } = account;
      const findValid = (device: number, ...jtis: string[]) =>
        access.findValidTokens(new Map([[device, new Set(jtis)]]));
      expect(await findValid(deviceId, jti, 'unknown')).toEqual(new Map([[deviceId, new Set([jti])]]));
      expect(await findValid(deviceId + 1, jti)).toEqual(new Map());
      expect(await findValid(deviceId)).toEqual(new Map());
      const response = await server.call('DELETE', '/api/tokens', { token: account.token });
      expect(response.status).toBe(204);
      expect(await login(bot(account), account.token)).toBe('bad_token');
      expect(await findValid(deviceId, jti)).toEqual(new Map());
    });

    it("is not accepted after its expiry or its user's deletion", async () => {
      const { login } = createAccess();
      const [early, deleted] = [await server.signUp(), await server.signUp()];
      const scope = server.app.server();
      expect(await login(bot(early), early.token)).toBe('allow');
      expect(await login(bot(deleted), deleted.token)).toBe('allow');
      const exp = Math.floor(time.now / 1000);
      await scope.update(tokenIssuances, { exp }, { where: { device_id: early.deviceId } });
      await scope.delete(users, { where: { id: deleted.userId } });
      expect(await login(bot(early), early.token)).toBe('bad_token');
      expect(await login(bot(deleted), deleted.token)).toBe('bad_token');
      expect(await tokens.findValidTokens(scope, new Map([[deleted.deviceId, new Set(['any'])]]))).toEqual(new Map());
    });
  });

  it('denies topics to tokens that RabbitMQ asks about when they have ended or have fewer scopes', async () => {
    const { access } = createAccess({ remember: async () => true });
    const [ada, bob] = [await server.signUp(), await server.signUp()];
    const call = caller(server);
    const member = await join(server, ada, bob, 'gardener');
    const body = { name: 'Script', scopes: ['read', 'control'], expires_at: null, password };
    const script = (await call(member, 'POST', '/api/personal_tokens', body)).json;
    const signIn = async (token: string) => {
      const login = { username: bot(ada), password: token, clientId: 'x', address: '10.0.0.1' };
      const found = await access.authenticate(login);
      if (found.verdict !== 'allow') throw new Error(found.verdict);
      const { rights, reference } = found.user;
      return () => access.checkTopic(bot(ada), 'write', `bot.${bot(ada)}.from_clients`, rights, reference);
    };
    const checks = [await signIn(ada.token), await signIn(member.token), await signIn(script.token)];
    const all = () => Promise.all(checks.map((check) => check()));
    expect(await all()).toEqual(['allow', 'allow', 'allow']);
    await call(member, 'PATCH', `/api/personal_tokens/${script.id}`, { scopes: ['control'], password });
    expect(await all()).toEqual(['allow', 'allow', 'deny']);
    await call(ada, 'DELETE', `/api/members/${bob.userId}`, { password });
    expect(await all()).toEqual(['allow', 'deny', 'deny']);
    time.now += 61 * day;
    expect(await all()).toEqual(['deny', 'deny', 'deny']);
    time.now -= 61 * day;
  });

  it('answers as the last time about tokens that RabbitMQ asks about while the database is unavailable', async () => {
    let isAvailable = true;
    const unavailable = async () => {
      throw new Error('the database is unavailable');
    };
    const scope = () => {
      const real = server.app.server();
      // On PostgreSQL the version is not known then.
      return isAvailable
        ? real
        : Object.assign(Object.create(real), { first: unavailable, select: unavailable, version: () => null });
    };
    const { access, logged } = createAccess({ remember: async () => true, server: scope });
    const [ada, bob, eve] = [await server.signUp(), await server.signUp(), await server.signUp()];
    const signIn = async (account: Account) => {
      const login = { username: bot(account), password: account.token, clientId: null, address: '10.0.0.1' };
      const found = await access.authenticate(login);
      if (found.verdict !== 'allow') throw new Error(found.verdict);
      const { rights, reference } = found.user;
      return () => access.checkTopic(bot(account), 'write', `bot.${bot(account)}.logs`, rights, reference);
    };
    const [known, ended, unknown] = [await signIn(ada), await signIn(bob), await signIn(eve)];
    expect([await known(), await ended()]).toEqual(['allow', 'allow']);
    expect((await server.call('DELETE', '/api/tokens', { token: bob.token })).status).toBe(204);
    expect(await ended()).toBe('deny');
    isAvailable = false;
    time.now += minute;
    expect([await known(), await ended(), await unknown()]).toEqual(['allow', 'deny', 'allow']);
    expect(logged.filter((line) => line.startsWith('the token of a connection was not checked'))).toHaveLength(3);
    isAvailable = true;
    expect([await known(), await ended(), await unknown()]).toEqual(['allow', 'deny', 'allow']);
  });

  it('finds the valid tokens of several gardens, of members and scripts too, with few statements', async () => {
    const { access } = createAccess();
    const [ada, bob, eve] = [await server.signUp(), await server.signUp(), await server.signUp()];
    const call = caller(server);
    const [member, viewer] = [await join(server, ada, bob, 'gardener'), await join(server, ada, eve, 'viewer')];
    const script = async (of: Account) => {
      const body = { name: 'Script', scopes: ['read', 'control'], expires_at: null, password };
      const { json, status } = await call(of, 'POST', '/api/personal_tokens', body);
      expect(status).toBe(200);
      return { token: String(json.token), path: `/api/personal_tokens/${json.id}` };
    };
    const [own, kept, narrowed] = [await script(ada), await script(member), await script(member)];
    const jtiOf = async (username: string, token: string) => {
      const found = await access.authenticate({ username, password: token, clientId: null, address: '10.0.0.1' });
      return found.verdict === 'allow' ? (found.user.token?.jti ?? '') : '';
    };
    const garden = await Promise.all(
      [ada.token, member.token, viewer.token, own.token, kept.token, narrowed.token].map((each) =>
        jtiOf(bot(ada), each),
      ),
    );
    const home = await jtiOf(bot(bob), bob.token);
    const asked = new Map([
      [ada.deviceId, new Set([...garden, home])],
      [bob.deviceId, new Set([home])],
    ]);
    const valid = async () => {
      const found = await access.findValidTokens(asked);
      return [garden.map((jti) => found.get(ada.deviceId)?.has(jti) ?? false), [...(found.get(bob.deviceId) ?? [])]];
    };
    expect(await valid()).toEqual([[true, true, true, true, true, true], [home]]);
    expect((await call(member, 'PATCH', narrowed.path, { scopes: ['read'], password })).status).toBe(200);
    expect(await valid()).toEqual([[true, true, true, true, true, false], [home]]);
    expect((await call(ada, 'PATCH', `/api/members/${bob.userId}`, { role: 'viewer', password })).status).toBe(200);
    expect(await valid()).toEqual([[true, false, true, true, false, false], [home]]);
    // Without the deletion of tokens that comes with it.
    const scope = server.app.server();
    await scope.update(users, { disabled_at: new Date().toISOString() }, { where: { id: [ada.userId, bob.userId] } });
    expect(await valid()).toEqual([[false, false, true, false, false, false], []]);
    await scope.delete(members, { where: { user_id: eve.userId } });
    expect(await valid()).toEqual([[false, false, false, false, false, false], []]);
    // Then it leads to the home garden, as in requests.
    const leading = new Map([[eve.deviceId, new Set([garden[2] ?? ''])]]);
    expect(await access.findValidTokens(leading)).toEqual(leading);
  });

  describe('other users', () => {
    it('do not include guest', async () => {
      expect(await createAccess().login('guest', 'guest')).toBe('deny');
    });

    it('include admin with the password, except after ten wrong ones', async () => {
      const { access, login, notices, logged } = createAccess();
      expect(await login('admin', 'geheim')).toBe('allow');
      for (let i = 0; i < 10; i++) expect(await login('admin', `falsch ${i}`)).toBe('deny');
      expect(await login('admin', 'geheim')).toBe('deny');
      expect(await login('admin', 'geheim', '10.0.0.2')).toBe('allow');
      await access.settled();
      expect(notices).toEqual([]);
      expect(logged).toHaveLength(11);
      expect(logged.join()).not.toMatch(/falsch|geheim/);
    });

    it.each([null, 'vier'])('do not include admin with the password setting %j', async (adminPassword) => {
      expect(await createAccess({ adminPassword }).login('admin', adminPassword ?? '')).toBe('deny');
    });

    it('include 256 demo visitors, if they are allowed', async () => {
      const { login, access, counters } = createAccess();
      for (let i = 0; i < 256; i++) expect(await login('farmbot_demo', `${i}`)).toBe('allow');
      expect(await login('farmbot_demo', '')).toBe('deny');
      expect(counters.total('broker_logins')).toBe(256);
      expect(await access.checkTopic('farmbot_demo', 'read', 'demos.abc')).toBe('allow');
      const closed = createAccess({ allowsDemos: async () => false });
      expect(await closed.login('farmbot_demo', 'x')).toBe('deny');
      expect(await closed.access.checkTopic('farmbot_demo', 'read', 'demos.abc')).toBe('deny');
    });
  });

  describe('the 21st sign-in in five minutes', () => {
    it('is counted separately for tokens that cannot command the robot', async () => {
      const { login } = createAccess();
      const own = await server.signUp();
      const body = { name: 'Reader', scopes: ['read'], expires_at: null };
      const reader = (await server.call('POST', '/api/personal_tokens', { token: own.token, body })).json.token;
      for (let i = 0; i < 20; i++) expect(await login(bot(own), reader)).toBe('allow');
      expect(await login(bot(own), reader)).toBe('deny');
      expect(await login(bot(own), own.token)).toBe('allow');
    });

    it('is counted for each session of people, so that neither their tabs nor they shut out the robot', async () => {
      const { access, login } = createAccess();
      const own = await server.signUp();
      const credentials = { user: { email: own.email, password } };
      const other = (await server.call('POST', '/api/tokens', { body: credentials })).json.token.encoded;
      for (let i = 0; i < 20; i++) expect(await login(bot(own), own.token)).toBe('allow');
      expect(await login(bot(own), own.token)).toBe('deny');
      expect(await login(bot(own), other)).toBe('allow');
      const robot = { username: bot(own), password: own.token, clientId: `${bot(own)}_15.4.6`, address: '10.0.0.1' };
      for (let i = 0; i < 20; i++) expect((await access.authenticate(robot)).verdict).toBe('allow');
      expect((await access.authenticate(robot)).verdict).toBe('deny');
    });

    it('is rejected, and the owner is notified once a day', async () => {
      const { access, login, notices, counters } = createAccess();
      const account = await server.signUp();
      const sign = () => login(bot(account), account.token);
      const before = await server.app.server().device(account.deviceId).first(devices);
      for (let i = 0; i < 20; i++) expect(await sign()).toBe('allow');
      for (let i = 0; i < 3; i++) expect(await sign()).toBe('deny');
      time.now += 4 * minute;
      expect(await sign()).toBe('deny');
      await access.settled();
      const notice = {
        deviceId: account.deviceId,
        message: expect.stringContaining(bot(account)),
        channels: ['fatal_email'],
      };
      expect(notices).toEqual([notice]);
      expect(counters.values('broker_refusals')).toEqual(new Map([['too_many_logins', 4]]));
      const after = await server.app.server().device(account.deviceId).first(devices);
      expect(after?.mqtt_rate_limit_email_sent_at).not.toBeNull();
      expect(after?.updated_at).toBe(before?.updated_at);
      time.now += minute;
      for (let i = 0; i < 20; i++) expect(await sign()).toBe('allow');
      expect(await sign()).toBe('deny');
      await access.settled();
      expect(notices).toHaveLength(1);
      time.now += day;
      for (let i = 0; i < 21; i++) await sign();
      await access.settled();
      expect(notices).toEqual([notice, notice]);
    });

    it('stores neither the notice nor its time when one of them fails', async () => {
      const fails = { notify: () => Promise.reject(new Error('disk full')) };
      const { access, login, logged } = createAccess(fails);
      const account = await server.signUp();
      for (let i = 0; i < 21; i++) await login(bot(account), account.token);
      await access.settled();
      const row = await server.app.server().device(account.deviceId).first(devices);
      expect(row?.mqtt_rate_limit_email_sent_at).toBeNull();
      expect(logged.join()).toContain('disk full');
    });

    it('is accepted where rate limits are off', async () => {
      const { login } = createAccess({ limitsRates: false });
      const account = await server.signUp();
      for (let i = 0; i < 30; i++) expect(await login(bot(account), account.token)).toBe('allow');
    });
  });

  describe('a rejection', () => {
    it('is reported to the device with the username', async () => {
      const { access, notices, counters } = createAccess();
      const [own, other] = [await server.signUp(), await server.signUp()];
      expect(await access.checkTopic(bot(own), 'read', `bot.${bot(other)}.logs`)).toBe('deny');
      expect(await access.checkTopic(bot(own), 'read', 'foo')).toBe('malformed');
      expect(await access.checkTopic(bot(own), 'write', 'public_broadcast')).toBe('deny');
      expect(await access.checkTopic(bot(own), 'write', `bot.${bot(own)}.terminal_input`)).toBe('deny');
      expect(access.checkVhost(bot(own), 'other')).toBe('deny');
      expect(access.checkResource(bot(own), 'queue', 'burn')).toBe('deny');
      expect(await access.checkTopic(bot(own), 'read', `bot.${bot(own)}.logs`)).toBe('allow');
      await access.settled();
      expect(notices.map(({ deviceId }) => deviceId)).toEqual(Array(6).fill(own.deviceId));
      for (const { message, channels } of notices) {
        expect(message).toContain(bot(own));
        expect(channels).toEqual([]);
      }
      const reasons = ['foreign_topic', 'malformed_topic', 'public_topic', 'staff_topic', 'vhost', 'resource'];
      expect([...counters.values('broker_refusals').keys()]).toEqual(reasons);
    });

    it('is not reported to other users, and to devices that do not exist', async () => {
      const { access, notices } = createAccess();
      for (const name of [
        'guest',
        'farmbot_demo',
        '',
        'device_0',
        'device_01',
        'device_999999999',
        'device_9007199254740991',
      ])
        expect(await access.checkTopic(name, 'write', 'public_broadcast')).toBe('deny');
      await access.settled();
      expect(notices).toEqual([]);
    });

    it('is limited in the log and in the database', async () => {
      const { access, notices, logged, counters } = createAccess();
      const account = await server.signUp();
      const reject = async (times: number) => {
        for (let i = 0; i < times; i++) await access.checkTopic(bot(account), 'read', 'foo');
        await access.settled();
      };
      await reject(500);
      expect(notices).toHaveLength(10);
      expect(logged).toHaveLength(30);
      expect(counters.total('broker_refusals')).toBe(500);
      time.now += minute;
      await reject(15);
      expect(notices).toHaveLength(20);
      expect(logged[30]).toContain('"suppressed":470');
    });

    it('is reported, whatever other clients and messages on unknown channels are', async () => {
      const { access, login, notices, logged } = createAccess();
      time.now = Math.ceil(time.now / day) * day + 1000;
      const account = await server.signUp();
      for (let at = 1; at <= 12; at++) {
        time.now += minute;
        for (let topic = 1; topic <= 150; topic++)
          access.reportUnknownChannel(bot(account), `bot/${bot(account)}/x${topic}`);
        await access.settled();
      }
      expect(notices).toHaveLength(100);
      for (let other = 1; other <= 10; other++)
        for (let i = 0; i < 40; i++) await access.checkTopic(`device_${account.deviceId + other}`, 'read', 'foo');
      await access.settled();
      logged.length = 0;
      await login('admin', 'guessed');
      await login(bot(account), 'bad');
      await access.checkTopic(bot(account), 'read', 'bot.device_0.logs');
      await access.settled();
      const reasons = logged.map((line) => /"reason":"(\w+)"/.exec(line)?.[1]);
      expect(reasons).toEqual(['admin_password', 'bad_token', 'foreign_topic']);
      expect(notices).toHaveLength(101);
    });

    it('is logged without line breaks and secrets', async () => {
      const { access, login, logged } = createAccess();
      const { token, ...account } = await server.signUp();
      await login('x\r\nfake line\u001b[0m', 'hush');
      await login(bot(account), `${token}x`);
      await access.checkTopic(bot(account), 'read', `${'y'.repeat(60_000)}\n`);
      await access.checkTopic('farmbot_demo', 'read', 'demos.hush.#');
      const all = logged.join();
      expect(logged).toHaveLength(4);
      expect(all).not.toMatch(/[\r\n]|\\[rnu]/);
      expect(all).not.toContain('hush');
      expect(all).not.toContain(token.slice(0, 20));
      expect(all.length).toBeLessThan(2000);
      await access.settled();
    });
  });

  it('reports messages on unknown channels, each topic once a minute', async () => {
    const languages: string[] = [];
    const { access, logged, counters } = createAccess({
      notify: async (_scope, message) => void languages.push(message('en'), message('fr')),
    });
    const account = await server.signUp();
    const publish = async (...topics: readonly string[]) => {
      for (const topic of topics) access.reportUnknownChannel(bot(account), `bot/${bot(account)}/${topic}`);
      await access.settled();
    };
    // Not in windows of the clock: these are seconds apart.
    time.now += minute - 2000;
    await publish('plants', 'log\n', 'plants');
    time.now += 2000;
    await publish('plants');
    const [plants, log] = [`bot/${bot(account)}/plants`, `bot/${bot(account)}/log?`];
    const texts = (topic: string) => [
      `The message broker dropped a message of ${bot(account)}: there is no channel ${topic}.`,
      `Le courtier de messages a ignoré un message de ${bot(account)}\u00a0: le canal ${topic} n’existe pas.`,
    ];
    expect(languages).toEqual([...texts(plants), ...texts(log)]);
    expect(logged.map((line) => line.split(' {')[0])).toEqual(Array(2).fill('the message broker dropped a message'));
    expect(counters.total('broker_refusals')).toBe(0);
    time.now += minute - 2000;
    await publish('plants');
    expect(languages).toEqual([...texts(plants), ...texts(log), ...texts(plants)]);
  });

  it('allows only support staff to write to a terminal', async () => {
    const { access } = createAccess();
    const account = await server.signUp();
    const key = `bot.${bot(account)}.terminal_input`;
    expect(await access.checkTopic(bot(account), 'read', key)).toBe('allow');
    expect(await access.checkTopic(bot(account), 'write', key)).toBe('deny');
    const exp = Math.floor(time.now / 1000) + 60;
    const device = server.app.server().device(account.deviceId);
    await device.transaction((inner) =>
      inner.insert(tokenIssuances, { user_id: account.userId, jti: `staff ${account.deviceId}`, aud: 'staff', exp }),
    );
    expect(await access.checkTopic(bot(account), 'write', key)).toBe('allow');
    expect(await access.checkTopic('guest', 'write', key)).toBe('deny');
    time.now += minute;
    expect(await access.checkTopic(bot(account), 'write', key)).toBe('deny');
    await access.settled();
  });
});
