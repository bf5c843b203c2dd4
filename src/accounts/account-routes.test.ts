import { constants, createPublicKey, publicEncrypt } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { testPasswordCost } from '../../test/support/password-cost.ts';
import { Failure } from '../core/errors.ts';
import type { Event } from '../core/events.ts';
import { noRecords } from '../db/announced-records.ts';
import { changeCursors } from '../db/change-cursors.ts';
import { ChangeDispatcher } from '../db/change-dispatcher.ts';
import { ChangeLog } from '../db/change-log.ts';
import { changeRows } from '../db/change-rows.ts';
import { column } from '../db/columns.ts';
import { migrate } from '../db/migrator.ts';
import type { SchemaChange } from '../db/schema-editor.ts';
import type { ServerScope } from '../db/scope.ts';
import { createScopeFactory } from '../db/scopes.ts';
import type { Database } from '../db/session.ts';
import { openSqlite } from '../db/sqlite.ts';
import { table } from '../db/table.ts';
import type { DeviceActivity } from '../device/device-activity.ts';
import type { Gardens } from '../device/gardens.ts';
import type { DeviceOffer } from '../device/offer.ts';
import { isLocalCall } from '../engine/local-call.ts';
import type { Call, Route } from '../engine/route.ts';
import { Reply } from '../engine/route.ts';
import { jobs as jobTable } from '../jobs/job-rows.ts';
import { JobQueue } from '../jobs/queue.ts';
import { JobRunner } from '../jobs/runner.ts';
import { jobSchedules } from '../jobs/schedules.ts';
import type { Mail } from '../mail/message.ts';
import type { Quotas } from '../quotas/quotas.ts';
import { accountJobs } from './account-jobs.ts';
import { AccountLimits } from './account-limits.ts';
import { accountRoutes } from './account-routes.ts';
import { authenticator } from './authenticator.ts';
import { CredentialUses } from './credential-uses.ts';
import { emailChanges } from './email-changes.ts';
import { gardenPasswords } from './garden-passwords.ts';
import type { ConfigDefaults } from './global-config.ts';
import { GlobalConfig, globalConfig, globalConfigRoute } from './global-config.ts';
import { invitations } from './invitations.ts';
import type { KeyPair } from './key-pair.ts';
import { loadKeyPair } from './key-pair.ts';
import { knownNetworks } from './known-networks.ts';
import { members } from './members.ts';
import { Passwords } from './passwords.ts';
import { personalTokens } from './personal-tokens.ts';
import { serverSettings } from './server-settings.ts';
import type { AccountRules, AccountServices } from './services.ts';
import { tokenIssuances } from './token-issuances.ts';
import { TokenSigner } from './token-signer.ts';
import { UserActivity } from './user-activity.ts';
import { users } from './users.ts';

const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const clock = { time: 0, now: () => clock.time };
const devices = table('devices', { name: column.text() }, { reach: 'both', owner: 'id' });
const tables = [
  devices,
  users,
  tokenIssuances,
  personalTokens,
  emailChanges,
  knownNetworks,
  globalConfig,
  serverSettings,
  members,
  invitations,
  gardenPasswords,
  jobTable,
  jobSchedules,
  changeRows,
  changeCursors,
];

// biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
type Json = any;

/** Passwords whose hashing a test can pause. */
class PausablePasswords extends Passwords {
  /** The number of paused calls. */
  paused = 0;
  #pause: Promise<void> | null = null;

  /** Pauses every later call until the returned function is called. */
  pause(): () => void {
    let resume = (): void => undefined;
    this.#pause = new Promise<void>((resolve) => {
      resume = resolve;
    });
    return () => {
      this.#pause = null;
      resume();
    };
  }

  override async hash(password: string): Promise<string> {
    await this.#wait();
    return super.hash(password);
  }

  override async verify(stored: string | null, password: string): Promise<boolean> {
    await this.#wait();
    return super.verify(stored, password);
  }

  async #wait(): Promise<void> {
    if (!this.#pause) return;
    this.paused++;
    await this.#pause;
    this.paused--;
  }
}

interface Harness {
  readonly scope: () => ServerScope;
  readonly services: AccountServices;
  readonly passwords: PausablePasswords;
  readonly mails: Mail[];
  /** Devices whose robots were reset. */
  readonly resets: number[];
  /** Devices whose connections were closed. */
  readonly ended: number[];
  readonly activities: string[];
  readonly events: Event[];
  readonly config: GlobalConfig;
  runJobs(): Promise<void>;
  call(request: string, options?: Options): Promise<{ status: number; json: Json; text: string }>;
}

interface Options {
  body?: unknown;
  token?: string;
  headers?: Record<string, string>;
  address?: string;
  isRobot?: boolean;
}

let keyPair: KeyPair;
let database: Database | null = null;
beforeAll(async () => {
  keyPair = await loadKeyPair({ read: async () => null, write: async (pem) => pem });
});
beforeEach(() => {
  clock.time = Date.UTC(2026, 3, 1);
});
afterEach(async () => {
  await database?.close();
  database = null;
});

async function createHarness(rules: Partial<AccountRules> = {}): Promise<Harness> {
  const folder = await mkdtemp(join(tmpdir(), 'potager-accounts-'));
  database = openSqlite(join(folder, 'test.sqlite'));
  const change = (schema: SchemaChange): void => {
    for (const { name, columns, unique, indexes } of tables) {
      const { id: _id, created_at: _created, updated_at: _updated, ...own } = columns;
      schema.createTable(name, own, { unique: unique.map((set) => [...set]), indexes: indexes.map((set) => [...set]) });
    }
  };
  await migrate(database, [{ number: 1, name: 'all', change }], { clock, log: silent, copies: folder });
  const changeLog = new ChangeLog();
  const dispatcher = new ChangeDispatcher(changeLog);
  const source = createScopeFactory({
    database,
    clock,
    changeLog,
    records: noRecords,
  });
  const scope = () => source(silent);
  const events: Event[] = [];
  dispatcher.addListener((event) => void events.push(event));
  await dispatcher.start({ server: scope, log: silent, isOnlyProcess: true });
  const mails: Mail[] = [];
  const resets: number[] = [];
  const ended: number[] = [];
  const activities: string[] = [];
  const queue = new JobQueue();
  const passwords = new PausablePasswords(testPasswordCost);
  const services: AccountServices = {
    rules: {
      requiresVerification: true,
      requiresTerms: false,
      trustedDomains: [],
      signUp: 'open',
      demos: null,
      hasRateLimits: true,
      ...rules,
    },
    keyPair,
    signer: new TokenSigner(keyPair, clock),
    passwords,
    activity: new UserActivity(scope, clock, silent),
    uses: new CredentialUses(scope, clock, silent),
    quotas: {
      assertRoom: async () => undefined,
      used: async () => 0,
      limit: async () => 1000,
    } as Partial<Quotas> as Quotas,
    limits: new AccountLimits(clock, rules.hasRateLimits ?? true),
    jobs: queue,
    baseUrl: () => 'http://192.168.1.20:3000',
    addresses: (call) => ({ iss: `//${call.host}`, mqtt: 'garden', mqttWs: `ws://${call.host}/ws` }),
    device: {
      activity: {
        recordRequest: (_scope, call, id) => void activities.push(`${id} ${call.robotVersion}`),
      } as Partial<DeviceActivity> as DeviceActivity,
    } as Partial<DeviceOffer> as DeviceOffer,
    gardens: {
      create: async (server) => (await server.insert(devices, { name: 'FarmBot' })).id,
      prepareDeletion: async () => undefined,
      empty: async () => undefined,
      destroy: async (server, id) => void (await server.delete(devices, { where: { id } })),
      anonymizeAuthor: async () => undefined,
      endFeed: async () => undefined,
      endDelegatedAccess: async () => undefined,
    } as Partial<Gardens> as Gardens,
    endSessions: async (_server, deviceId, how) => void (how?.resetsRobot ? resets : ended).push(deviceId),
    hostedAddresses: () => expect.fail(),
    isPrivateCall: () => false,
    sendsMail: true,
    pages: {
      signedIn: (_call, session) => new Reply(JSON.stringify(session)),
      addressChanged: () => new Reply('"changed"'),
      deadLink: (_call, status, kind) => new Reply(JSON.stringify(kind), undefined, status),
    },
  };
  const runner = new JobRunner({ queue, scope, clock, log: silent });
  const transport = {
    send: async (mail: Mail) => void mails.push(mail),
    verify: async () => undefined,
    close: () => undefined,
  };
  for (const { kind, handle } of accountJobs(services, transport)) runner.register(kind, handle);
  const config = new GlobalConfig(scope);
  const routes = [...accountRoutes(services), globalConfigRoute(config, () => 'ws://garden/ws')];
  const call = caller(routes, scope, authenticator(services));
  const runJobs = async (): Promise<void> => {
    await runner.runDue();
    await dispatcher.whenIdle();
  };
  return { scope, services, passwords, mails, resets, ended, activities, events, config, runJobs, call };
}

/** Handles requests as the HTTP edge does, without validating bodies. */
function caller(
  routes: readonly Route[],
  scope: () => ServerScope,
  authenticate: ReturnType<typeof authenticator>,
): Harness['call'] {
  return async (request, { body, token, headers = {}, address = '10.0.0.7', isRobot = false } = {}) => {
    const [method = '', path = ''] = request.split(' ');
    const pattern = (route: Route) => new RegExp(`^${route.path.replace(/:(\w+)/g, '(?<$1>[^/]+)')}$`);
    const route = routes.find((one) => one.method === method && pattern(one).test(path));
    if (!route) throw new Error(`no route ${request}`);
    const sent: Omit<Call, 'session'> = {
      method,
      params: { ...pattern(route).exec(path)?.groups },
      query: {},
      body,
      rawBody: Buffer.alloc(0),
      bodyStream: Readable.from([]),
      headers: { ...headers, ...(token === undefined ? {} : { authorization: token }) },
      address,
      hidesClient: false,
      isLocal: isLocalCall({ address, headers }),
      host: '192.168.1.20:3000',
      isSecure: false,
      isRobot,
      robotVersion: null,
      userAgent: 'test',
      token: token ?? null,
      label: headers['x-farmbot-rpc-id'] ?? 'request',
      responseSent: Promise.resolve(),
    };
    const isWriting = method !== 'GET' && route.transaction !== false;
    const server = scope();
    const call = sent as Call;
    const handled = async () => {
      if (route.access === 'public')
        return isWriting ? server.transaction(async (inner) => route.handle(inner, call)) : route.handle(server, call);
      const session = await authenticate(server, call);
      const { userId, deviceId } = session;
      Object.assign(call, { session });
      const device = server.device(deviceId, { userId, label: 'request', origin: 'client' });
      return isWriting ? device.transaction(async (inner) => route.handle(inner, call)) : route.handle(device, call);
    };
    try {
      const response = await handled();
      const reply =
        response instanceof Reply ? response : new Reply(response === undefined ? '' : JSON.stringify(response));
      const isJson = /^["[{]/.test(reply.text);
      return { status: reply.status, text: reply.text, json: isJson ? JSON.parse(reply.text) : undefined };
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      const json = JSON.parse(JSON.stringify(error.fields ?? { error: error.message }));
      return { status: error.status, text: error.message, json };
    }
  };
}

const password = 'password123';
const ada = { name: 'Ada', email: 'ada@example.com', password, password_confirmation: password, agree_to_terms: true };

const linkOf = (mail: Mail | undefined): string => (mail?.link ?? '').replace('http://192.168.1.20:3000', '');

/** Signs up, confirms the address, signs in; returns the token. */
async function account({ call, runJobs, mails }: Harness, fields: object = ada): Promise<Json> {
  const account = { ...ada, ...fields };
  expect((await call('POST /api/users', { body: account })).status).toBe(200);
  await runJobs();
  const mail = mails.findLast(({ to }) => to === account.email);
  if (mail) expect((await call(`GET ${linkOf(mail)}`)).status).toBe(200);
  const { status, json } = await call('POST /api/tokens', { body: { user: { email: account.email, password } } });
  expect(status).toBe(200);
  return json;
}

const signIn = (harness: Harness, email: string, secret: string) =>
  harness.call('POST /api/tokens', { body: { user: { email, password: secret } } });

describe('signing up', () => {
  it('creates an account that must be verified', async () => {
    const harness = await createHarness();
    const created = await harness.call('POST /api/users', { body: { ...ada, email: ' Ada@Example.com ' } });
    expect(created).toMatchObject({ status: 200, json: { message: expect.any(String) } });
    expect(await signIn(harness, 'ada@example.com', password)).toMatchObject({
      status: 403,
      json: { error: expect.any(String) },
    });
    expect((await signIn(harness, 'ada@example.com', 'wrong-password')).status).toBe(403);
    await harness.runJobs();
    expect(harness.mails).toMatchObject([
      { to: 'ada@example.com', link: expect.stringMatching(/^http:\/\/192\.168\.1\.20:3000\/verify\/[0-9a-f-]{36}$/) },
    ]);
    const link = linkOf(harness.mails[0]);
    expect(await harness.call(`GET ${link}`)).toMatchObject({ status: 200, text: '' });
    expect((await harness.call(`GET ${link}`)).status).toBe(409);
    expect((await harness.call('GET /verify/unknown')).status).toBe(404);
    expect((await signIn(harness, 'ADA@example.com', password)).status).toBe(200);
  });

  it('reports all invalid fields', async () => {
    const harness = await createHarness({ requiresTerms: true, trustedDomains: ['garden.example'] });
    const keys = async (body: object) => Object.keys((await harness.call('POST /api/users', { body })).json).sort();
    expect(await keys({})).toEqual(['email', 'name', 'password', 'password_confirmation']);
    expect(await keys({ ...ada, agree_to_terms: [] })).toEqual(['agree_to_terms']);
    expect(await keys({ ...ada, agree_to_terms: false, password: '1234567' })).toEqual([
      'email',
      'password',
      'terms_of_service',
    ]);
    expect(await keys({ ...ada, email: 'plain' })).toEqual(['email']);
    const accented = { password: 'Möhrenbeet', password_confirmation: 'Möhrenbeet'.normalize('NFD') };
    expect(await keys({ ...ada, ...accented, email: 'plain' })).toEqual(['email']);
    expect(await keys({ ...ada, email: 'a@garden.example', password: 'x'.repeat(1025) })).toEqual(['password']);
    expect(await keys({ user: { ...ada, email: 'Ada@Garden.Example' } })).toEqual(['message']);
    expect(await keys({ ...ada, email: 'ada@garden.example' })).toEqual(['email']);
    expect(await harness.scope().count(users)).toBe(1);
  });

  it('creates one account for concurrent requests with the same address', async () => {
    const harness = await createHarness();
    const responses = await Promise.all([1, 2].map(() => harness.call('POST /api/users', { body: ada })));
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 422]);
    expect(responses.find(({ status }) => status === 422)?.json).toEqual({ email: 'Email is already registered.' });
    expect(await harness.scope().count(devices)).toBe(1);
  });

  it('can be disabled, and needs no verification without mail', async () => {
    expect((await (await createHarness({ signUp: 'closed' })).call('POST /api/users', { body: ada })).status).toBe(403);
    await database?.close();
    const harness = await createHarness({ requiresVerification: false });
    await account(harness);
    expect(harness.mails).toEqual([]);
  });

  it('sends the mail again, up to three mails an hour to a mailbox', async () => {
    const harness = await createHarness();
    await harness.call('POST /api/users', { body: ada });
    const resend = (body: object, address?: string) =>
      harness.call('POST /api/users/resend_verification', { body, ...(address ? { address } : {}) });
    for (let i = 0; i < 2; i++) expect((await resend({ email: ' ADA@example.com' })).status).toBe(200);
    expect((await resend({ email: 'ada@example.com' })).status).toBe(429);
    expect((await resend({ email: 'ada@example.com' }, '10.0.0.8')).status).toBe(429);
    // The same mailbox.
    const other = { ...ada, email: 'a.d.a+garden@Example.com' };
    expect((await harness.call('POST /api/users', { body: other })).status).toBe(429);
    expect((await resend({ email: 'ada@example.com' }, '127.0.0.1')).status).toBe(200);
    clock.time += 3600_000;
    expect((await resend({ email: 'ada@example.com' })).status).toBe(200);
    await harness.runJobs();
    expect(new Set(harness.mails.map(({ link }) => link)).size).toBe(1);
    expect(harness.mails).toHaveLength(5);
    for (const body of [{}, { email: null }, { email: '' }, { email: 'nobody@example.com' }, { email: [] }])
      expect((await resend(body)).status).toBe(404);
    await harness.call(`GET ${linkOf(harness.mails[0])}`);
    expect(await resend({ email: 'ada@example.com' })).toMatchObject({
      status: 422,
      json: { user: expect.any(String) },
    });
  });
});

describe('signing in', () => {
  it('returns the token and the user', async () => {
    const harness = await createHarness();
    const { token, user } = await account(harness);
    expect(Object.keys(token.unencoded)).toEqual([
      'aud',
      'sub',
      'iat',
      'jti',
      'iss',
      'exp',
      'mqtt',
      'bot',
      'vhost',
      'mqtt_ws',
    ]);
    expect(token.unencoded).toMatchObject({
      aud: 'unknown',
      sub: 1,
      iss: '//192.168.1.20:3000',
      bot: 'device_1',
      vhost: '/',
    });
    expect(user).toEqual({
      id: 1,
      device_id: 1,
      name: 'Ada',
      email: 'ada@example.com',
      created_at: '2026-04-01T00:00:00.000Z',
      updated_at: '2026-04-01T00:00:00.000Z',
      agreed_to_terms_at: '2026-04-01T00:00:00.000Z',
      inactivity_warning_sent_at: null,
      language: 'English',
    });
    expect(harness.activities).toEqual(['1 null']);
  });

  it('ignores an agreement that is not a boolean', async () => {
    const harness = await createHarness({ requiresTerms: true });
    await account(harness);
    const statusOf = async (agree_to_terms: unknown): Promise<number> =>
      (await harness.call('POST /api/tokens', { body: { user: { email: ada.email, password, agree_to_terms } } }))
        .status;
    for (const odd of ['x', [], {}, 2]) expect(await statusOf(odd)).toBe(200);
    await harness.scope().update(users, { agreed_to_terms_at: null }, {});
    for (const odd of ['x', [], {}, 2, false]) expect(await statusOf(odd)).toBe(451);
    expect(await statusOf('true')).toBe(200);
  });

  it('sets the audience by the client', async () => {
    const harness = await createHarness();
    await account(harness);
    const body = { user: { email: ada.email, password } };
    const aud = async (options: Options) =>
      (await harness.call('POST /api/tokens', { body, ...options })).json.token.unencoded.aud;
    expect(await aud({ isRobot: true })).toBe('bot');
    expect(await aud({ headers: { 'x-requested-with': 'XMLHttpRequest' } })).toBe('human');
    expect(await aud({ headers: { 'x-requested-with': 'fetch' } })).toBe('unknown');
  });

  it('refuses wrong credentials with the text that robots compare', async () => {
    const harness = await createHarness();
    await account(harness);
    const response = { status: 422, json: { auth: 'Bad email or password.' } };
    expect(await signIn(harness, ada.email, 'password124')).toMatchObject(response);
    expect(await signIn(harness, 'nobody@example.com', password)).toMatchObject(response);
    for (const [body, keys] of [
      [{}, ['email', 'password']],
      [{ email: ada.email, password }, ['email', 'password']],
      [{ user: null }, ['error']],
      [{ user: [] }, ['error']],
      [{ user: { email: '', password } }, ['email']],
      [{ user: { email: ada.email, password: [] } }, ['password']],
      [{ user: { credentials: {} } }, ['credentials']],
      [{ user: { credentials: 'x' } }, ['auth']],
    ] as const) {
      const { status, json } = await harness.call('POST /api/tokens', { body });
      expect([status, Object.keys(json)]).toEqual([422, keys]);
      expect(Object.values(json)).not.toContain('Bad email or password.');
    }
  });

  it('accepts credentials encrypted by a robot, and the control certificate of another account', async () => {
    const harness = await createHarness();
    const { token } = await account(harness);
    await account(harness, { email: 'bea@example.com', name: 'Bea' });
    const encrypted = (content: object) =>
      publicEncrypt(
        { key: createPublicKey(keyPair.publicPem), padding: constants.RSA_PKCS1_PADDING },
        Buffer.from(JSON.stringify(content)),
      ).toString('base64');
    const signInWith = (credentials: string) => harness.call('POST /api/tokens', { body: { user: { credentials } } });
    const robot = await signInWith(encrypted({ email: 'Ada@example.com', password, id: 'x', version: 1 }));
    expect(robot.json.token.unencoded).toMatchObject({ aud: 'bot', bot: 'device_1' });
    expect((await signInWith(encrypted({ email: ada.email, password: 'wrong-password' }))).json).toEqual({
      auth: 'Bad email or password.',
    });
    const confirmed = { body: { email: 'bea@example.com', password }, token: token.encoded };
    const certificate = await harness.call('POST /api/users/control_certificate', confirmed);
    expect(certificate.text).toMatch(/^([A-Za-z0-9+/=]{60}\n){5}[A-Za-z0-9+/=]{44}\n$/);
    expect((await signInWith(certificate.text)).json.token.unencoded.bot).toBe('device_2');
    const wrong = { body: { email: 'bea@example.com', password: 'password124' }, token: token.encoded };
    expect((await harness.call('POST /api/users/control_certificate', wrong)).json).toEqual({
      credentials: expect.any(String),
    });
  });

  it('requires agreement to the terms', async () => {
    const harness = await createHarness({ requiresTerms: true });
    const { token } = await account(harness);
    await harness.scope().update(users, { agreed_to_terms_at: null }, {});
    const before = await harness.scope().count(tokenIssuances);
    expect((await signIn(harness, ada.email, password)).status).toBe(451);
    expect((await signIn(harness, ada.email, 'password124')).status).toBe(422);
    expect((await harness.call('GET /api/users', { token: token.encoded })).status).toBe(451);
    expect(await harness.scope().count(tokenIssuances)).toBe(before);
    const body = { user: { email: ada.email, password, agree_to_terms: true } };
    const agreed = await harness.call('POST /api/tokens', { body });
    expect(agreed).toMatchObject({ status: 200, json: { user: { agreed_to_terms_at: '2026-04-01T00:00:00.000Z' } } });
    expect((await harness.call('GET /api/users', { token: token.encoded })).status).toBe(200);
  });
});

describe('sessions', () => {
  it('are renewed with their expiry and audience; the old token stays valid', async () => {
    const harness = await createHarness();
    const { token } = await account(harness);
    clock.time += 1000;
    const renewed = await harness.call('GET /api/tokens', { token: token.encoded });
    const { unencoded } = renewed.json.token;
    expect(unencoded).toMatchObject({
      aud: token.unencoded.aud,
      exp: token.unencoded.exp,
      iat: token.unencoded.iat + 1,
    });
    expect(unencoded.jti).not.toBe(token.unencoded.jti);
    expect(renewed.json.user.id).toBe(1);
    for (const one of [token.encoded, renewed.json.token.encoded])
      expect((await harness.call('GET /api/users', { token: one })).status).toBe(200);
  });

  it('are remembered under their whole token, not under the end of it', async () => {
    const harness = await createHarness();
    const { encoded } = (await account(harness)).token;
    const list = async (token: string) => (await harness.call('GET /api/users', { token })).status;
    const [header, claims, signature] = encoded.split('.');
    expect([await list(encoded), await list(encoded)]).toEqual([200, 200]);
    expect(await list(`${header}.${claims}x.${signature}`)).toBe(401);
    expect(await list(encoded)).toBe(200);
  });

  it('end with a sign-out, at their expiry, and with their user', async () => {
    const harness = await createHarness();
    const { token } = await account(harness);
    const other = (await signIn(harness, ada.email, password)).json.token;
    expect(await harness.call('DELETE /api/tokens', { token: token.encoded })).toMatchObject({ status: 204, text: '' });
    expect([harness.ended, harness.resets]).toEqual([[1], []]);
    expect((await harness.call('GET /api/users', { token: token.encoded })).status).toBe(401);
    expect((await harness.call('GET /api/users', { token: other.encoded })).status).toBe(200);
    await harness
      .scope()
      .update(tokenIssuances, { exp: Math.floor(clock.time / 1000) }, { where: { jti: other.unencoded.jti } });
    expect((await harness.call('GET /api/users', { token: other.encoded })).status).toBe(401);
    const third = (await signIn(harness, ada.email, password)).json.token;
    await harness.runJobs();
    expect((await harness.scope().rows(tokenIssuances)).map(({ jti }) => jti)).toEqual([third.unencoded.jti]);
    expect((await harness.call('GET /api/users')).status).toBe(401);
    expect((await harness.call('GET /api/users', { token: 'x' })).status).toBe(401);
    await harness.scope().delete(users, {});
    expect((await harness.call('GET /api/users', { token: third.encoded })).status).toBe(401);
  });

  it('count requests of people, not of robots, and write them later', async () => {
    const harness = await createHarness();
    const { token } = await account(harness);
    clock.time += 1000;
    expect((await harness.call('GET /api/users', { token: token.encoded, isRobot: true })).json[0].updated_at).toBe(
      '2026-04-01T00:00:00.000Z',
    );
    for (let i = 0; i < 3; i++) await harness.call('GET /api/users', { token: token.encoded });
    clock.time += 1000;
    expect((await harness.call('GET /api/users', { token: token.encoded })).json[0].updated_at).toBe(
      '2026-04-01T00:00:02.000Z',
    );
    expect(await harness.scope().first(users)).toMatchObject({
      sign_in_count: 0,
      updated_at: '2026-04-01T00:00:00.000Z',
    });
    await harness.services.activity.stop();
    expect(await harness.scope().first(users)).toMatchObject({
      sign_in_count: 4,
      current_sign_in_at: '2026-04-01T00:00:02.000Z',
      last_sign_in_at: '2026-04-01T00:00:01.000Z',
      current_sign_in_ip: '10.0.0.7',
      updated_at: '2026-04-01T00:00:02.000Z',
    });
  });
});

describe('changing the account', () => {
  it('changes the name and announces it', async () => {
    const harness = await createHarness();
    const { token } = await account(harness);
    harness.events.length = 0;
    const changed = await harness.call('PATCH /api/users/17', {
      token: token.encoded,
      body: { user: { name: ' Cleo ' } },
    });
    const body = {
      id: 1,
      created_at: '2026-04-01T00:00:00.000Z',
      updated_at: '2026-04-01T00:00:00.000Z',
      name: 'Cleo',
      email: 'ada@example.com',
      language: 'English',
    };
    expect(changed.json).toEqual(body);
    await harness.call('PATCH /api/users', {
      token: token.encoded,
      body: { name: 'Cleo', id: 5, agree_to_terms: false },
    });
    await harness.runJobs();
    expect(harness.events.map((event) => [event.resource, event.recordId, event.label, event.body])).toEqual([
      ['User', 1, 'request', JSON.stringify(body)],
    ]);
  });

  it('revokes all other tokens and resets the robot when the password changes', async () => {
    const harness = await createHarness();
    const { token } = await account(harness);
    const other = (await signIn(harness, ada.email, password)).json.token;
    const change = (body: object) => harness.call('PATCH /api/users', { token: token.encoded, body });
    for (const body of [
      { password: 'wrong-password', new_password: 'password456', new_password_confirmation: 'password456' },
      { password, new_password: 'password456', new_password_confirmation: 'password457' },
      { password, new_password: '1234567', new_password_confirmation: '1234567' },
      { password },
      { password, password_confirmation: password },
      { new_password: 'password456', new_password_confirmation: 'password456' },
    ])
      expect(await change({ ...body, name: 'Zoe' })).toMatchObject({
        status: 422,
        json: { password: expect.any(String) },
      });
    expect((await change({ password: [], new_password: {} })).json).toEqual({
      password: expect.any(String),
      new_password: expect.any(String),
    });
    expect(harness.resets).toEqual([]);
    const done = await change({ password, new_password: 'password456', new_password_confirmation: 'password456' });
    expect(done).toMatchObject({ status: 200, json: { name: 'Ada' } });
    expect(harness.resets).toEqual([1]);
    expect((await harness.call('GET /api/users', { token: token.encoded })).status).toBe(200);
    expect((await harness.call('GET /api/users', { token: other.encoded })).status).toBe(401);
    expect((await signIn(harness, ada.email, password)).status).toBe(422);
    expect((await signIn(harness, ada.email, 'password456')).status).toBe(200);
  });

  it('changes the address when it is confirmed', async () => {
    const harness = await createHarness();
    const { token } = await account(harness);
    await account(harness, { email: 'bea@example.com' });
    const change = (email: unknown) => harness.call('PATCH /api/users', { token: token.encoded, body: { email } });
    expect((await change('bea@example.com')).json).toEqual({ email: 'Email is already registered.' });
    for (const bad of ['', [], 'plain']) expect((await change(bad)).status).toBe(422);
    for (const same of [null, ' ADA@example.com ']) expect((await change(same)).status).toBe(200);
    harness.mails.length = 0;
    expect((await change('Ada2@example.com')).json.email).toBe('ada@example.com');
    await harness.runJobs();
    expect(harness.mails.map(({ to }) => to)).toEqual(['ada@example.com', 'ada2@example.com']);
    expect((await signIn(harness, 'ada2@example.com', password)).status).toBe(422);
    const link = `GET ${linkOf(harness.mails[1])}`;
    const page = await harness.call(link, { headers: { accept: 'text/html' } });
    expect([page.status, page.json]).toEqual([200, 'changed']);
    expect((await signIn(harness, 'ada2@example.com', password)).status).toBe(200);
    expect(await harness.call(link, { headers: { accept: 'text/html' } })).toMatchObject({ status: 409 });
  });

  describe('limits on new addresses', () => {
    const change = (harness: Harness, token: Json, email: string, address?: string) =>
      harness.call('PATCH /api/users', { token: token.encoded, body: { email }, ...(address ? { address } : {}) });

    it('allow five an hour per account', async () => {
      const harness = await createHarness();
      const { token } = await account(harness);
      for (let i = 1; i <= 5; i++) expect((await change(harness, token, `a${i}@example.com`)).status).toBe(200);
      expect((await change(harness, token, 'a6@example.com')).status).toBe(429);
      expect((await change(harness, token, 'a6@example.com', '10.0.0.8')).status).toBe(429);
      const pending = await harness.scope().rows(emailChanges, { where: { is_pending: true } });
      expect(pending.map(({ new_email }) => new_email)).toEqual(['a5@example.com']);
      await harness.runJobs();
      // Each change ends the links of earlier ones.
      expect(harness.mails.map(({ to }) => to).filter((to) => /^a\d@/.test(to))).toEqual(['a5@example.com']);
      // Changes that send no mail are not limited.
      expect((await change(harness, token, 'plain')).status).toBe(422);
      expect((await harness.call('PATCH /api/users', { token: token.encoded, body: { name: 'Zoe' } })).status).toBe(
        200,
      );
      expect((await change(harness, token, 'a6@example.com', '127.0.0.1')).status).toBe(200);
      clock.time += 3600_000;
      const later = (await signIn(harness, ada.email, password)).json.token;
      expect((await change(harness, later, 'a7@example.com')).status).toBe(200);
    });

    it('allow three requests an hour per mailbox, for all accounts', async () => {
      const harness = await createHarness();
      const tokens = [];
      for (const name of ['one', 'two', 'three'])
        tokens.push((await account(harness, { email: `${name}@example.com` })).token);
      const spellings = ['Stran.ger@example.com', ' stranger+x@EXAMPLE.com'];
      const responses = [];
      for (const token of tokens)
        for (const email of spellings) responses.push((await change(harness, token, email)).status);
      expect(responses).toEqual([200, 200, 200, 429, 429, 429]);
      expect((await change(harness, tokens[2], 'other@example.com')).status).toBe(200);
    });

    it('do not apply without rate limits', async () => {
      const harness = await createHarness({ hasRateLimits: false });
      const { token } = await account(harness);
      for (let i = 1; i <= 7; i++) expect((await change(harness, token, `a${i}@example.com`)).status).toBe(200);
    });
  });

  it('rejects an address that was registered concurrently', async () => {
    const harness = await createHarness();
    const { token } = await account(harness);
    await harness.call('PATCH /api/users', { token: token.encoded, body: { email: 'new@example.com' } });
    await harness.runJobs();
    const link = linkOf(harness.mails.at(-1));
    await account(harness, { email: 'new@example.com' });
    expect((await harness.call(`GET ${link}`)).status).toBe(422);
  });
});

describe('resetting the password', () => {
  async function resetToken(harness: Harness): Promise<string> {
    harness.mails.length = 0;
    const requested = await harness.call('POST /api/password_resets', { body: { email: ' Ada@example.com' } });
    expect(requested).toMatchObject({ status: 200, json: { status: expect.any(String) } });
    await harness.runJobs();
    expect(harness.mails.map(({ to }) => to)).toEqual(['ada@example.com']);
    return linkOf(harness.mails[0]).replace('/password_reset/', '');
  }
  const change = (harness: Harness, id: unknown, chosen = 'password456') =>
    harness.call('PATCH /api/password_resets', {
      body: { id, password: chosen, password_confirmation: chosen, fbos_version: {} },
    });

  it('works once per link, and revokes every token', async () => {
    const harness = await createHarness();
    const { token } = await account(harness);
    const id = await resetToken(harness);
    const done = await change(harness, id);
    expect(done.json.token.unencoded).toMatchObject({ aud: 'unknown', sub: 1 });
    expect((await harness.call('GET /api/users', { token: token.encoded })).status).toBe(401);
    expect((await harness.call('GET /api/users', { token: done.json.token.encoded })).status).toBe(200);
    expect(await change(harness, id, 'password789')).toMatchObject({
      status: 422,
      json: { reset: expect.any(String) },
    });
    expect((await signIn(harness, ada.email, 'password456')).status).toBe(200);
    expect([harness.ended, harness.resets]).toEqual([[1], []]);
  });

  it('works once for concurrent requests', async () => {
    const harness = await createHarness();
    await account(harness);
    const id = await resetToken(harness);
    const responses = await Promise.all([change(harness, id), change(harness, id)]);
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 422]);
  });

  it('responds the same for an unknown address, without a mail', async () => {
    const harness = await createHarness();
    const reply = await harness.call('POST /api/password_resets', { body: { email: 'nobody@example.com' } });
    expect(reply.status).toBe(200);
    await harness.runJobs();
    expect(harness.mails).toEqual([]);
    for (const email of [null, '', {}, []])
      expect((await harness.call('POST /api/password_resets', { body: { email } })).status).toBe(422);
  });

  it('requires a token that is complete, not expired, signed by this server, and of its kind', async () => {
    const harness = await createHarness();
    const { token } = await account(harness);
    const id = await resetToken(harness);
    expect((await harness.call('PATCH /api/password_resets', { body: {} })).json).toEqual({
      password: expect.any(String),
      password_confirmation: expect.any(String),
      token: expect.any(String),
    });
    expect((await change(harness, id, '1234567')).json).toEqual({ password: expect.stringContaining('too short') });
    for (const bad of ['x', token.encoded])
      expect((await change(harness, bad)).json).toEqual({ reset: expect.any(String) });
    expect(await change(harness, `${id.slice(0, -8)}AAAAAAAA`)).toMatchObject({
      status: 401,
      json: { error: expect.any(String) },
    });
    expect((await harness.call('GET /api/users', { token: id })).status).toBe(401);
    clock.time += 24 * 3600_000;
    expect((await change(harness, id)).json).toEqual({ reset: expect.any(String) });
  });

  it('works for accounts that cannot sign in yet', async () => {
    const harness = await createHarness();
    await harness.call('POST /api/users', { body: ada });
    await harness.runJobs();
    expect((await change(harness, await resetToken(harness))).status).toBe(403);
    expect(await harness.scope().count(tokenIssuances)).toBe(0);
    await harness.scope().update(users, { confirmed_at: '2026-04-01T00:00:00.000Z' }, {});
    expect((await signIn(harness, ada.email, 'password456')).status).toBe(200);
  });
});

describe('a request that waits while the password changes', () => {
  /** Runs a request that has read the user when another request changes the password and revokes all tokens. */
  async function duringPasswordChange<T>({ passwords, scope }: Harness, request: () => Promise<T>): Promise<T> {
    const password_hash = await passwords.hash('password456');
    const resume = passwords.pause();
    const response = request();
    await expect.poll(() => passwords.paused).toBeGreaterThan(0);
    await scope().update(users, { password_hash }, {});
    await scope().delete(tokenIssuances, {});
    resume();
    return response;
  }
  const isNew = async (harness: Harness): Promise<boolean> =>
    (await signIn(harness, ada.email, 'password456')).status === 200;

  it('does not sign in', async () => {
    const harness = await createHarness();
    await account(harness);
    expect(await duringPasswordChange(harness, () => signIn(harness, ada.email, password))).toMatchObject({
      status: 422,
      json: { auth: 'Bad email or password.' },
    });
    expect(await harness.scope().count(tokenIssuances)).toBe(0);
    expect(await isNew(harness)).toBe(true);
  });

  it('does not set another password', async () => {
    const harness = await createHarness();
    const { token } = await account(harness);
    const body = { password, new_password: 'password789', new_password_confirmation: 'password789', name: 'Zoe' };
    expect(
      await duringPasswordChange(harness, () => harness.call('PATCH /api/users', { token: token.encoded, body })),
    ).toMatchObject({
      status: 422,
      json: { password: expect.any(String) },
    });
    expect(harness.resets).toEqual([]);
    expect((await harness.scope().first(users))?.name).toBe('Ada');
    expect(await isNew(harness)).toBe(true);
  });

  it('does not set another password with a link that was requested before', async () => {
    const harness = await createHarness();
    await account(harness);
    await harness.call('POST /api/password_resets', { body: { email: ada.email } });
    await harness.runJobs();
    const id = linkOf(harness.mails.at(-1)).replace('/password_reset/', '');
    const body = { id, password: 'password789', password_confirmation: 'password789' };
    expect(
      await duringPasswordChange(harness, () => harness.call('PATCH /api/password_resets', { body })),
    ).toMatchObject({
      status: 422,
      json: { reset: expect.any(String) },
    });
    expect(await harness.scope().count(tokenIssuances)).toBe(0);
    expect(await isNew(harness)).toBe(true);
  });

  it('does not delete the account', async () => {
    const harness = await createHarness();
    const { token } = await account(harness);
    const remove = () => harness.call('DELETE /api/users', { token: token.encoded, body: { password } });
    expect(await duringPasswordChange(harness, remove)).toMatchObject({
      status: 422,
      json: { password: expect.any(String) },
    });
    expect(await harness.scope().count(jobTable)).toBe(0);
  });

  it('does not renew a token that was revoked concurrently', async () => {
    const harness = await createHarness();
    const { token } = await account(harness);
    let renewed: ReturnType<Harness['call']> | undefined;
    await harness
      .scope()
      .device(1)
      .transaction(async (scope) => {
        renewed = harness.call('GET /api/tokens', { token: token.encoded });
        await sleep(10);
        await scope.delete(tokenIssuances, {});
      });
    expect(await renewed).toMatchObject({ status: 401 });
    expect(await harness.scope().count(tokenIssuances)).toBe(0);
  });

  it('responds 503 if its user moved to another device', async () => {
    const harness = await createHarness();
    await account(harness);
    await account(harness, { email: 'bea@example.com' });
    const resume = harness.passwords.pause();
    const response = signIn(harness, ada.email, password);
    await expect.poll(() => harness.passwords.paused).toBeGreaterThan(0);
    await harness.scope().update(users, { device_id: 2 }, { where: { id: 1 } });
    resume();
    // Not 422: robots would erase their settings.
    expect((await response).status).toBe(503);
    expect((await signIn(harness, ada.email, password)).json.user.device_id).toBe(2);
  });
});

describe('deleting the account', () => {
  it('runs in the background and deletes the device', async () => {
    const harness = await createHarness();
    const { token } = await account(harness);
    await account(harness, { email: 'bea@example.com' });
    const remove = (body: object) => harness.call('DELETE /api/users', { token: token.encoded, body });
    for (const body of [{}, { password: '' }, { password: null }, { password: 'wrong-password' }])
      expect(await remove(body)).toMatchObject({ status: 422, json: { password: expect.any(String) } });
    const { json } = await remove({ password });
    expect(Object.keys(json).join()).toBe(
      'id,priority,attempts,handler,last_error,run_at,locked_at,failed_at,locked_by,queue,created_at,updated_at',
    );
    expect(JSON.stringify(json)).not.toContain('ada');
    await harness.runJobs();
    expect((await harness.call('GET /api/users', { token: token.encoded })).status).toBe(401);
    expect((await signIn(harness, ada.email, password)).json).toEqual({ auth: 'Bad email or password.' });
    expect((await harness.scope().rows(devices)).map(({ id }) => id)).toEqual([2]);
    expect(await harness.scope().count(jobTable)).toBe(0);
  });

  it('keeps a device that has other users', async () => {
    const harness = await createHarness();
    const { token } = await account(harness);
    const other = await account(harness, { email: 'bea@example.com' });
    await harness.scope().update(users, { device_id: 1 }, { where: { id: other.user.id } });
    await harness.call('DELETE /api/users', { token: token.encoded, body: { password } });
    await harness.runJobs();
    expect((await harness.call('GET /api/users', { token: token.encoded })).status).toBe(401);
    const remaining = await harness.call('GET /api/users', { token: other.token.encoded });
    expect(remaining.json.map((user: Json) => user.email)).toEqual(['bea@example.com']);
  });
});

describe('the global config', () => {
  it('keeps values of the operator and replaces the server’s', async () => {
    const harness = await createHarness();
    const defaults = { TOS_URL: '', PRIV_URL: '' };
    const facts = { NODE_ENV: 'test', LONG_REVISION: 'NONE', SHORT_REVISION: 'NONE', MQTT_WS: 'ws://a/ws' };
    await harness.config.ensureDefaults(defaults);
    await harness.config.writeServerValues(facts);
    await harness.scope().update(globalConfig, { value: '15.0.0' }, { where: { key: 'MINIMUM_FBOS_VERSION' } });
    await harness.config.ensureDefaults(defaults);
    await harness.config.writeServerValues({ ...facts, MQTT_WS: 'ws://b/ws' });
    expect((await harness.call('GET /api/global_config')).json).toEqual({
      FBOS_END_OF_LIFE_VERSION: '14.6.0',
      MINIMUM_FBOS_VERSION: '15.0.0',
      TOS_URL: '',
      PRIV_URL: '',
      NODE_ENV: 'test',
      LONG_REVISION: 'NONE',
      SHORT_REVISION: 'NONE',
      MQTT_WS: 'ws://b/ws',
    });
    expect(harness.config.minimumVersion()).toBe('15.0.0');
  });

  it('has no values of the server before it serves', async () => {
    const harness = await createHarness();
    await harness.config.ensureDefaults({ TOS_URL: '', PRIV_URL: '' });
    expect((await harness.call('GET /api/global_config')).json).toEqual({
      FBOS_END_OF_LIFE_VERSION: '14.6.0',
      MINIMUM_FBOS_VERSION: '14.6.0',
      TOS_URL: '',
      PRIV_URL: '',
    });
  });

  it('uses the URL of the settings, but keeps an existing one', async () => {
    const harness = await createHarness();
    const texts = async (defaults: ConfigDefaults): Promise<Json> => {
      await harness.config.ensureDefaults(defaults);
      return (await harness.call('GET /api/global_config')).json;
    };
    await texts({ TOS_URL: '', PRIV_URL: '' });
    const set = { TOS_URL: 'https://a/terms', PRIV_URL: 'https://a/privacy' };
    expect(await texts(set)).toMatchObject(set);
    expect(await texts({ TOS_URL: '', PRIV_URL: 'https://b/privacy' })).toMatchObject(set);
    await harness.scope().update(globalConfig, { value: '' }, { where: { key: 'MINIMUM_FBOS_VERSION' } });
    expect((await texts(set)).MINIMUM_FBOS_VERSION).toBe('');
  });
});

describe('the public key', () => {
  it('is sent as plain text', async () => {
    const harness = await createHarness();
    expect((await harness.call('GET /api/public_key')).text).toBe(keyPair.publicPem);
  });
});
