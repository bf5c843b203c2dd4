import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import inject from 'light-my-request';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createMigratedDatabase, dropDatabase } from '../../test/support/databases.ts';
import { describeAnyEngine, describeEngines } from '../../test/support/engines.ts';
import { jobRun } from '../../test/support/job-run.ts';
import { testPasswordCost } from '../../test/support/password-cost.ts';
import { checkReply } from '../../test/support/reply-check.ts';
import { Failure } from '../core/errors.ts';
import { noRecords } from '../db/announced-records.ts';
import { ChangeLog } from '../db/change-log.ts';
import { openDatabase } from '../db/open.ts';
import type { ServerScope } from '../db/scope.ts';
import { createScopeFactory } from '../db/scopes.ts';
import type { Database } from '../db/session.ts';
import type { DeviceActivity } from '../device/device-activity.ts';
import { createDevice, destroyDevice } from '../device/device-creation.ts';
import { devices } from '../device/devices.ts';
import type { Gardens } from '../device/gardens.ts';
import type { DeviceOffer } from '../device/offer.ts';
import { emptyReply } from '../engine/route.ts';
import type { HttpServer } from '../http/http.ts';
import { createHttp } from '../http/http.ts';
import { jobs } from '../jobs/job-rows.ts';
import { JobQueue } from '../jobs/queue.ts';
import { JobRunner } from '../jobs/runner.ts';
import type { Quotas } from '../quotas/quotas.ts';
import { accountJobs } from './account-jobs.ts';
import { AccountLimits } from './account-limits.ts';
import { accountRoutes } from './account-routes.ts';
import { authenticator } from './authenticator.ts';
import { confirmation } from './confirmation.ts';
import { CredentialUses } from './credential-uses.ts';
import { demoAccountRoutes } from './demo-account-routes.ts';
import type { DemoSeed } from './demo-accounts.ts';
import { demoCleanupJob, maxDemoAccounts } from './demo-accounts.ts';
import { areGuests, isGuest, newGuestAddress } from './guests.ts';
import type { KeyStore } from './key-pair.ts';
import { loadKeyPair } from './key-pair.ts';
import { Passwords } from './passwords.ts';
import type { AccountRules, AccountServices } from './services.ts';
import type { OpenedSession } from './sessions.ts';
import { TokenSigner } from './token-signer.ts';
import { UserActivity } from './user-activity.ts';
import { users } from './users.ts';

const start = Date.UTC(2026, 10, 21, 12);
const minute = 60_000;
const clock = { time: start, now: () => clock.time };
const stored = new Map<string, string>();
const keys: KeyStore = {
  read: async () => stored.get('pem') ?? null,
  write: async (pem) => {
    stored.set('pem', pem);
    return pem;
  },
};

describeAnyEngine('isGuest', () => {
  it('recognizes addresses of guests only', () => {
    const address = newGuestAddress();
    expect(address).toMatch(/^guest_[a-z0-9]{16}@farmbot\.guest$/);
    expect(isGuest({ email: address })).toBe(true);
    for (const email of ['ada@farmbot.guest', 'guest_short@farmbot.guest', `${address}.example`, `a.${address}`])
      expect([email, isGuest({ email })]).toEqual([email, false]);
  });
});

describeEngines('demo accounts', (engine) => {
  let folder: string;
  let url: string | null;
  let database: Database;
  let server: () => ServerScope;
  let runner: JobRunner;
  let accounts: AccountServices;
  let http: HttpServer;
  let lines: string[];
  let published: { topic: string; payload: string }[];
  let seeded: { deviceId: number; productLine: string; language: string; hasPast: boolean }[];

  const log = (object: object, message: string) => void lines.push(JSON.stringify({ ...object, message }));
  const logger = { debug: () => undefined, info: log, warn: log, error: log, isLevelEnabled: () => false };
  let publish: (message: { topic: string; payload: string }) => Promise<void>;

  const seed: DemoSeed = async ({ deviceId, isTransaction }, { productLine, language, hasPast }) => {
    expect(isTransaction).toBe(true);
    seeded.push({ deviceId, productLine, language, hasPast });
  };

  const compose = (changes: Partial<AccountRules> = {}): void => {
    const queue = new JobQueue();
    accounts = {
      ...accounts,
      jobs: queue,
      rules: {
        requiresVerification: true,
        requiresTerms: true,
        trustedDomains: ['example.com'],
        signUp: 'closed',
        demos: true,
        hasRateLimits: false,
        ...changes,
      },
    };
    runner = new JobRunner({ queue, scope: server, clock, log: logger });
    const cleanUp = demoCleanupJob(accounts);
    runner.register(cleanUp.kind, cleanUp.handle);
    const transport = {
      send: async () => undefined,
      verify: async () => undefined,
      close: () => undefined,
    };
    for (const { kind, handle } of accountJobs(accounts, transport)) runner.register(kind, handle);
    http = createHttp({
      routes: [
        ...accountRoutes(accounts),
        ...demoAccountRoutes({ accounts, seed, publish: (message) => publish(message) }),
      ],
      server: (scopeLog) => source(scopeLog),
      authenticate: authenticator(accounts),
      redeemTicket: async () => {
        throw new Failure('bad_token');
      },
      confirm: confirmation(accounts),
      minimumVersion: () => '14.6.0',
      rateLimits: false,
      trustProxy: false,
      publicUrl: null,
      logger,
      clock,
      csp: { connect: [] },
      onReply: checkReply,
    });
  };
  let source: ReturnType<typeof createScopeFactory>;

  beforeEach(async () => {
    clock.time = start;
    lines = [];
    published = [];
    seeded = [];
    publish = async (message) => void published.push(message);
    folder = mkdtempSync(join(tmpdir(), 'potager-demo-'));
    url = await createMigratedDatabase(engine, folder);
    database = await openDatabase(url, folder, () => undefined);
    source = createScopeFactory({
      database,
      clock,
      changeLog: new ChangeLog(),
      records: noRecords,
    });
    server = () => source(logger);
    const keyPair = await loadKeyPair(keys);
    accounts = {
      rules: {
        requiresVerification: true,
        requiresTerms: true,
        trustedDomains: [],
        signUp: 'closed',
        demos: true,
        hasRateLimits: false,
      },
      keyPair,
      signer: new TokenSigner(keyPair, clock),
      passwords: new Passwords(testPasswordCost),
      activity: new UserActivity(server, clock, logger),
      uses: new CredentialUses(server, clock, logger),
      quotas: {
        assertRoom: async () => undefined,
        used: async () => 0,
        limit: async () => 1000,
      } as Partial<Quotas> as Quotas,
      limits: new AccountLimits(clock, false),
      jobs: new JobQueue(),
      baseUrl: () => 'http://garden.test',
      addresses: () => ({ iss: '//garden.test:80', mqtt: 'garden.test', mqttWs: 'ws://garden.test:80/ws' }),
      device: {
        activity: { recordRequest: () => undefined } as Partial<DeviceActivity> as DeviceActivity,
      } as Partial<DeviceOffer> as DeviceOffer,
      gardens: {
        create: createDevice,
        empty: async () => undefined,
        destroy: destroyDevice,
        anonymizeAuthor: async () => undefined,
      } as Partial<Gardens> as Gardens,
      endSessions: async () => undefined,
      hostedAddresses: () => expect.fail(),
      isPrivateCall: () => false,
      sendsMail: true,
      pages: { signedIn: () => emptyReply, addressChanged: () => emptyReply, deadLink: () => emptyReply },
    };
    compose();
    lines = [];
  });
  afterEach(async () => {
    await http.close();
    await runner.stop(100);
    await database.close();
    if (url) await dropDatabase(url);
    rmSync(folder, { recursive: true, force: true });
  });

  const requestAccount = async (body: unknown, from = '10.0.0.9') => {
    const response = await inject(http.handler, {
      method: 'POST',
      url: '/api/demo_account',
      headers: { 'user-agent': 'test', 'content-type': 'application/json' },
      remoteAddress: from,
      payload: JSON.stringify(body),
    });
    return { status: response.statusCode, text: response.body };
  };
  const request = (more: object = {}) => ({
    secret: '0123456789abcdef0123456789abcdef',
    product_line: 'genesis_1.8',
    ...more,
  });
  const guests = () => server().rows(users, { and: areGuests });

  it('publish their session to the topic of the secret', async () => {
    expect(await requestAccount(request())).toEqual({ status: 200, text: '{}' });
    await expect.poll(() => published.length).toBe(1);
    const [message] = published;
    expect(message?.topic).toBe('demos/0123456789abcdef0123456789abcdef');
    const session = JSON.parse(message?.payload ?? '') as OpenedSession;
    const [guest] = await guests();
    expect(Object.keys(session)).toEqual(['token', 'user']);
    expect(session.token.unencoded).toMatchObject({
      aud: 'GUEST',
      sub: guest?.id,
      bot: `device_${guest?.device_id}`,
      exp: start / 1000 + 60 * 24 * 3600,
      iss: '//garden.test:80',
    });
    expect(session.user).toEqual({
      id: guest?.id,
      device_id: guest?.device_id,
      name: 'Guest',
      email: expect.stringMatching(/^guest_[a-z0-9]{16}@farmbot\.guest$/),
      created_at: '2026-11-21T12:00:00.000Z',
      updated_at: '2026-11-21T12:00:00.000Z',
      agreed_to_terms_at: '2026-11-21T12:00:00.000Z',
      inactivity_warning_sent_at: null,
      language: 'English',
    });
    const response = await inject(http.handler, {
      url: '/api/users',
      headers: { authorization: session.token.encoded, 'user-agent': 'test' },
    });
    expect(response.statusCode).toBe(200);
  });

  it('are also started without the broker', async () => {
    const start = async (body: object) => {
      const options = { method: 'POST', url: '/api/demo_gardens', remoteAddress: '10.0.0.9' } as const;
      const response = await inject(http.handler, {
        ...options,
        headers: { 'user-agent': 'test' },
        payload: JSON.stringify(body),
      });
      return { status: response.statusCode, text: response.body };
    };
    compose({ hasRateLimits: true });
    const line = { product_line: 'express_1.0', language: 'fr' };
    expect(await start({})).toMatchObject({ status: 422, text: expect.stringContaining('"product_line":') });
    expect(await guests()).toEqual([]);
    expect(await start(line)).toMatchObject({ status: 200, text: expect.stringContaining('"aud":"GUEST"') });
    const [guest] = await guests();
    expect(seeded).toEqual([{ deviceId: guest?.device_id, productLine: 'express_1.0', language: 'fr', hasPast: true }]);
    expect(published).toEqual([]);
    // With the web app's.
    for (let i = 0; i < 9; i++) expect((await requestAccount(request())).status).toBe(200);
    expect((await start(line)).status).toBe(429);
  });

  it('accept the secret as their password, with a confirmed address', async () => {
    await requestAccount(request());
    const [guest] = await guests();
    const body = { user: { email: guest?.email, password: '0123456789abcdef0123456789abcdef' } };
    const response = await inject(http.handler, {
      method: 'POST',
      url: '/api/tokens',
      headers: { 'user-agent': 'test' },
      payload: JSON.stringify(body),
    });
    expect(response.statusCode, response.body).toBe(200);
  });

  it('store the secret neither in rows nor in the log', async () => {
    await requestAccount(request());
    const rows = [await guests(), await server().rows(jobs)];
    expect(JSON.stringify(rows)).not.toContain('0123456789abcdef');
    expect(lines).toEqual([expect.stringContaining('"product_line":"genesis_1.8"')]);
    expect(lines.join()).not.toContain('0123456789abcdef');
  });

  it('are seeded for the requested product line, known or not', async () => {
    await requestAccount(request());
    await requestAccount(request({ secret: 'another-secret', product_line: 'whatever' }));
    const [first, second] = await guests();
    expect(seeded).toEqual([
      { deviceId: first?.device_id, productLine: 'genesis_1.8', language: 'en', hasPast: false },
      { deviceId: second?.device_id, productLine: 'whatever', language: 'en', hasPast: false },
    ]);
  });

  const invalidRequests: [object, string[]][] = [
    [{}, ['secret', 'product_line']],
    [{ secret: null, product_line: null }, ['secret', 'product_line']],
    [{ secret: ' ', product_line: '' }, ['secret', 'product_line']],
    [{ secret: ['12345678'], product_line: {} }, ['secret', 'product_line']],
    [{ ...request(), secret: '1234567' }, ['secret']],
    [{ ...request(), secret: 'x'.repeat(101) }, ['secret']],
    [{ ...request(), secret: '漢'.repeat(84) }, ['secret']],
    [{ ...request(), secret: 'abcd/efgh' }, ['secret']],
    [{ ...request(), secret: 'abcdefg+' }, ['secret']],
    [{ ...request(), secret: '#abcdefgh' }, ['secret']],
    [{ ...request(), secret: 'abcd.efgh' }, ['secret']],
    [{ ...request(), secret: 'abcd*efgh' }, ['secret']],
    [{ ...request(), secret: 'abcd\u0000efgh' }, ['secret']],
    [{ ...request(), secret: 'abcd\u0007efgh' }, ['secret']],
    [{ ...request(), secret: 'abcd\nefgh' }, ['secret']],
    [{ ...request(), secret: 'abcd\ud800efgh' }, ['secret']],
    [{ ...request(), secret: ' abcdefgh' }, ['secret']],
    [{ secret: 'abc/', product_line: 'x'.repeat(101) }, ['secret', 'product_line']],
  ];

  it('are refused for invalid secrets, reporting all invalid fields', async () => {
    for (const [body, fields] of invalidRequests) {
      const { status, text } = await requestAccount(body);
      expect([body, status, Object.keys(JSON.parse(text))]).toEqual([body, 422, fields]);
    }
    expect(await guests()).toEqual([]);
  });

  it('need an object as the body', async () => {
    for (const body of [null, [], 'x']) expect((await requestAccount(body)).status).toBe(422);
  });

  it('accept secrets at their limits', async () => {
    for (const secret of ['12345678', 'x'.repeat(100), '漢'.repeat(83), 'two words', 12_345_678])
      expect((await requestAccount(request({ secret }))).status).toBe(200);
    await expect.poll(() => published.length).toBe(5);
    expect(published.map(({ topic }) => topic).filter((topic) => Buffer.byteLength(topic) > 255)).toEqual([]);
  });

  it('are not served when they are disabled', async () => {
    await http.close();
    compose({ demos: false });
    expect((await requestAccount(request())).status).toBe(404);
  });

  it('are limited to ten an hour per network', async () => {
    await http.close();
    compose({ hasRateLimits: true });
    const statuses = async (from: string, count: number) => {
      const found = new Set<number>();
      for (let i = 0; i < count; i++) found.add((await requestAccount(request(), from)).status);
      return [...found];
    };
    expect(await statuses('10.0.0.9', 10)).toEqual([200]);
    const refused = await requestAccount(request());
    expect(refused).toEqual({
      status: 429,
      text: 'Too many demo accounts were requested. Please try again in an hour.\n',
    });
    expect(await statuses('10.0.0.8', 1)).toEqual([200]);
    expect(await statuses('2001:db8:1:2::1', 10)).toEqual([200]);
    expect(await statuses('2001:db8:1:2::99', 1)).toEqual([429]);
    expect(await statuses('127.0.0.1', 11)).toEqual([200, 429]);
    clock.time = start + 60 * minute;
    expect(await statuses('10.0.0.9', 1)).toEqual([200]);
  });

  it('are limited to 200, also for concurrent requests', async () => {
    const [first] = [await requestAccount(request())];
    expect(first.status).toBe(200);
    const [guest] = await guests();
    if (!guest) throw new Error('no guest');
    const { id: _id, ...copied } = guest;
    await server().insertAll(
      users,
      Array.from({ length: maxDemoAccounts - 4 }, (_, i) => ({
        ...copied,
        email: newGuestAddress(),
        confirmation_token: `copy ${i}`,
      })),
    );
    const responses = await Promise.all(Array.from({ length: 8 }, () => requestAccount(request())));
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 200, 200, 429, 429, 429, 429, 429]);
    expect(responses.find(({ status }) => status === 429)?.text).toBe(
      'This server has too many demo accounts. Please try again in an hour.\n',
    );
    expect(await guests()).toHaveLength(200);
  });

  it('do not fail when the broker is down, and do not log the topic', async () => {
    publish = async ({ topic }) => {
      throw new Error(`no broker for ${topic}`);
    };
    expect(await requestAccount(request())).toEqual({ status: 200, text: '{}' });
    await expect.poll(() => lines.length).toBe(2);
    expect(lines.join()).not.toContain('0123456789abcdef');
  });

  it('are deleted with all data after an hour without requests', async () => {
    await requestAccount(request());
    const [idle] = await guests();
    clock.time = start + 30 * minute;
    await requestAccount(request());
    const active = (await guests()).find(({ id }) => id !== idle?.id);
    const otherDeviceId = await createDevice(server());
    await server().device(otherDeviceId).insert(users, {
      name: 'Ada',
      email: 'ada@farmbot.guest',
      password_hash: 'x',
      language: 'English',
      confirmation_token: 'ada',
      sign_in_count: 0,
      admin: false,
    });
    expect(await server().count(jobs)).toBe(1);

    clock.time = start + 60 * minute;
    await runner.runDue();
    // Exactly an hour: still there.
    expect(await guests()).toHaveLength(2);

    clock.time = start + 70 * minute;
    await runner.runDue();
    expect((await guests()).map(({ id }) => id)).toEqual([active?.id]);
    expect(await server().rows(devices, { where: { id: idle?.device_id ?? 0 } })).toEqual([]);

    // Requests keep an account, even before they are written.
    clock.time = start + 85 * minute;
    if (active) accounts.activity.recordRequest(active, '10.0.0.9');
    clock.time = start + 95 * minute;
    await runner.runDue();
    expect(await guests()).toHaveLength(1);

    clock.time = start + 160 * minute;
    await runner.runDue();
    expect(await guests()).toEqual([]);
    // No job is left, and other accounts stay.
    expect(await server().count(jobs)).toBe(0);
    expect(await server().count(users)).toBe(1);
  });

  it('are deleted once when several processes clean up', async () => {
    await requestAccount(request());
    clock.time = start + 61 * minute;
    const cleanUp = demoCleanupJob(accounts);
    await Promise.all([cleanUp.handle(server(), {}, jobRun), cleanUp.handle(server(), {}, jobRun)]);
    await cleanUp.handle(server(), {}, jobRun);
    await runner.runDue();
    expect(await guests()).toEqual([]);
    expect(await server().count(jobs, { where: { failed_at: { not: null } } })).toBe(0);
  });
});
