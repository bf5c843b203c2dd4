import { constants, createPublicKey, publicEncrypt } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { testPasswordCost } from '../../test/support/password-cost.ts';
import { Failure } from '../core/errors.ts';
import type { Event } from '../core/events.ts';
import { column } from '../db/columns.ts';
import { EventDispatcher } from '../db/event-dispatcher.ts';
import { eventRows } from '../db/event-rows.ts';
import { migrate } from '../db/migrator.ts';
import type { SchemaChange } from '../db/schema-editor.ts';
import type { ServerScope } from '../db/scope.ts';
import { createScopeFactory } from '../db/scopes.ts';
import type { Database } from '../db/session.ts';
import { openSqlite } from '../db/sqlite.ts';
import { table } from '../db/table.ts';
import type { Call, Route } from '../engine/route.ts';
import { Reply } from '../engine/route.ts';
import { jobs as jobTable } from '../jobs/job-rows.ts';
import { JobQueue } from '../jobs/queue.ts';
import { JobRunner } from '../jobs/runner.ts';
import { jobSchedules } from '../jobs/schedules.ts';
import type { Mail } from '../mail/message.ts';
import { accountJobs } from './account-jobs.ts';
import { accountRoutes } from './account-routes.ts';
import { authenticator } from './authenticator.ts';
import type { ConfigDefaults } from './global-config.ts';
import { GlobalConfig, globalConfig, globalConfigRoute } from './global-config.ts';
import type { KeyPair } from './key-pair.ts';
import { loadKeyPair } from './key-pair.ts';
import { MailRateLimit } from './mail-rate-limit.ts';
import { Passwords } from './passwords.ts';
import type { AccountRules, AccountServices } from './services.ts';
import { tokenIssuances, usedResetTokens } from './token-issuances.ts';
import { TokenSigner } from './token-signer.ts';
import { UserActivity } from './user-activity.ts';
import { users } from './users.ts';

const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const clock = { time: 0, now: () => clock.time };
const devices = table('devices', { name: column.text() }, { reach: 'both', owner: 'id' });
const tables = [devices, users, tokenIssuances, usedResetTokens, globalConfig, jobTable, jobSchedules, eventRows];

// biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
type Json = any;

/** Passwords whose hashing a test can pause. */
class PausablePasswords extends Passwords {
  /** Calls that wait. */
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

interface World {
  readonly scope: () => ServerScope;
  readonly services: AccountServices;
  readonly passwords: PausablePasswords;
  readonly mails: Mail[];
  /** Devices whose robots were reset. */
  readonly resets: number[];
  /** Devices whose connections were closed. */
  readonly ended: number[];
  readonly seen: string[];
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

async function world(rules: Partial<AccountRules> = {}): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), 'potager-accounts-'));
  database = openSqlite(join(folder, 'test.sqlite'));
  const change = (schema: SchemaChange): void => {
    for (const { name, columns, unique, indexes } of tables) {
      const { id: _id, created_at: _created, updated_at: _updated, ...own } = columns;
      schema.createTable(name, own, { unique: unique.map((set) => [...set]), indexes: indexes.map((set) => [...set]) });
    }
  };
  await migrate(database, [{ number: 1, name: 'all', change }], { clock, log: silent, copies: folder });
  const dispatcher = new EventDispatcher(clock);
  const source = createScopeFactory({ database, clock, events: dispatcher, bodies: async () => new Map() });
  const scope = () => source(silent);
  const events: Event[] = [];
  await dispatcher.attach((event) => void events.push(event), scope, silent, true);
  const mails: Mail[] = [];
  const resets: number[] = [];
  const ended: number[] = [];
  const seen: string[] = [];
  const queue = new JobQueue();
  const passwords = new PausablePasswords(testPasswordCost);
  const services: AccountServices = {
    rules: {
      requiresVerification: true,
      requiresTerms: false,
      trustedDomains: [],
      signUp: 'open',
      hasRateLimits: true,
      ...rules,
    },
    keyPair,
    signer: new TokenSigner(keyPair, clock),
    passwords,
    activity: new UserActivity(scope, clock, silent),
    mailLimit: new MailRateLimit(clock),
    jobs: queue,
    baseUrl: () => 'http://192.168.1.20:3000',
    addresses: (call) => ({ iss: `//${call.host}`, mqtt: 'garden', mqttWs: `ws://${call.host}/ws` }),
    recordActivity: (_scope, call, userId, deviceId) => void seen.push(`${userId} ${deviceId} ${call.isRobot}`),
    createDevice: async (server) => (await server.insert(devices, { name: 'FarmBot' })).id,
    prepareAccountDeletion: async () => undefined,
    destroyDevice: async (server, id) => void (await server.delete(devices, { where: { id } })),
    anonymizeAuthor: async () => undefined,
    endSessions: async (_server, deviceId, how) => void (how?.resetsRobot ? resets : ended).push(deviceId),
    pages: {
      signedIn: (session) => new Reply(JSON.stringify(session)),
      notice: (status, title) => new Reply(JSON.stringify(title), undefined, status),
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
  return { scope, services, passwords, mails, resets, ended, seen, events, config, runJobs, call };
}

/** Handles requests as the HTTP edge does, without validating bodies. */
function caller(
  routes: readonly Route[],
  scope: () => ServerScope,
  authenticate: ReturnType<typeof authenticator>,
): World['call'] {
  return async (request, { body, token, headers = {}, address = '10.0.0.7', isRobot = false } = {}) => {
    const [method = '', path = ''] = request.split(' ');
    const pattern = (route: Route) => new RegExp(`^${route.path.replace(/:(\w+)/g, '(?<$1>[^/]+)')}$`);
    const route = routes.find((one) => one.method === method && pattern(one).test(path));
    if (!route) throw new Error(`no route ${request}`);
    const call: Call = {
      method,
      params: { ...pattern(route).exec(path)?.groups },
      query: {},
      body,
      rawBody: Buffer.alloc(0),
      bodyStream: Readable.from([]),
      headers: { ...headers, ...(token === undefined ? {} : { authorization: token }) },
      address,
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
    const handled = async () => {
      if (route.access === 'public')
        return isWriting ? server.transaction(async (inner) => route.handle(inner, call)) : route.handle(server, call);
      const { userId, deviceId } = await authenticate(server, call);
      const device = server.device(deviceId, { userId, label: 'request', origin: 'client' });
      return isWriting ? device.transaction(async (inner) => route.handle(inner, call)) : route.handle(device, call);
    };
    try {
      const answer = await handled();
      const reply = answer instanceof Reply ? answer : new Reply(answer === undefined ? '' : JSON.stringify(answer));
      const isJson = /^["[{]/.test(reply.text);
      return { status: reply.status, text: reply.text, json: isJson ? JSON.parse(reply.text) : undefined };
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return { status: error.status, text: error.message, json: error.fields ?? { error: error.message } };
    }
  };
}

const password = 'password123';
const ada = { name: 'Ada', email: 'ada@example.com', password, password_confirmation: password, agree_to_terms: true };

const linkOf = (mail: Mail | undefined): string => (mail?.link ?? '').replace('http://192.168.1.20:3000', '');

/** Signs up, confirms the address, signs in; returns the token. */
async function account({ call, runJobs, mails }: World, who: object = ada): Promise<Json> {
  const account = { ...ada, ...who };
  expect((await call('POST /api/users', { body: account })).status).toBe(200);
  await runJobs();
  const mail = mails.findLast(({ to }) => to === account.email);
  if (mail) expect((await call(`GET ${linkOf(mail)}`)).status).toBe(200);
  const { status, json } = await call('POST /api/tokens', { body: { user: { email: account.email, password } } });
  expect(status).toBe(200);
  return json;
}

const signIn = (w: World, email: string, secret: string) =>
  w.call('POST /api/tokens', { body: { user: { email, password: secret } } });

describe('signing up', () => {
  it('creates an account that must be verified', async () => {
    const w = await world();
    const made = await w.call('POST /api/users', { body: { ...ada, email: ' Ada@Example.com ' } });
    expect(made).toMatchObject({ status: 200, json: { message: expect.any(String) } });
    expect(await signIn(w, 'ada@example.com', password)).toMatchObject({
      status: 403,
      json: { error: expect.any(String) },
    });
    expect((await signIn(w, 'ada@example.com', 'wrong-password')).status).toBe(403);
    await w.runJobs();
    expect(w.mails).toMatchObject([
      { to: 'ada@example.com', link: expect.stringMatching(/^http:\/\/192\.168\.1\.20:3000\/verify\/[0-9a-f-]{36}$/) },
    ]);
    const link = linkOf(w.mails[0]);
    expect(await w.call(`GET ${link}`)).toMatchObject({ status: 200, text: '' });
    expect((await w.call(`GET ${link}`)).status).toBe(409);
    expect((await w.call('GET /verify/unknown')).status).toBe(404);
    expect((await signIn(w, 'ADA@example.com', password)).status).toBe(200);
  });

  it('reports all invalid fields', async () => {
    const w = await world({ requiresTerms: true, trustedDomains: ['garden.example'] });
    const keys = async (body: object) => Object.keys((await w.call('POST /api/users', { body })).json).sort();
    expect(await keys({})).toEqual(['email', 'name', 'password', 'password_confirmation']);
    expect(await keys({ ...ada, agree_to_terms: [] })).toEqual(['agree_to_terms']);
    expect(await keys({ ...ada, agree_to_terms: false, password: '1234567' })).toEqual([
      'email',
      'password',
      'terms_of_service',
    ]);
    expect(await keys({ ...ada, email: 'plain' })).toEqual(['email']);
    expect(await keys({ ...ada, email: 'a@garden.example', password: 'x'.repeat(1025) })).toEqual(['password']);
    expect(await keys({ user: { ...ada, email: 'Ada@Garden.Example' } })).toEqual(['message']);
    expect(await keys({ ...ada, email: 'ada@garden.example' })).toEqual(['email']);
    expect(await w.scope().count(users)).toBe(1);
  });

  it('with the same address concurrently creates one account', async () => {
    const w = await world();
    const answers = await Promise.all([1, 2].map(() => w.call('POST /api/users', { body: ada })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422]);
    expect(answers.find(({ status }) => status === 422)?.json).toEqual({ email: 'Email is already registered.' });
    expect(await w.scope().count(devices)).toBe(1);
  });

  it('can be disabled, and needs no verification without mail', async () => {
    expect((await (await world({ signUp: 'closed' })).call('POST /api/users', { body: ada })).status).toBe(403);
    await database?.close();
    const w = await world({ requiresVerification: false });
    await account(w);
    expect(w.mails).toEqual([]);
  });

  it('sends the mail again, up to five times an hour', async () => {
    const w = await world();
    await w.call('POST /api/users', { body: ada });
    const resend = (body: object, address?: string) =>
      w.call('POST /api/users/resend_verification', { body, ...(address ? { address } : {}) });
    for (let i = 0; i < 5; i++) expect((await resend({ email: ' ADA@example.com' })).status).toBe(200);
    expect((await resend({ email: 'ada@example.com' })).status).toBe(429);
    expect((await resend({ email: 'ada@example.com' }, '127.0.0.1')).status).toBe(200);
    for (let i = 0; i < 5; i++)
      expect((await resend({ email: 'ada@example.com' }, `2001:db8:1:2::${i}`)).status).toBe(200);
    expect((await resend({ email: 'ada@example.com' }, '2001:db8:1:2::5')).status).toBe(429);
    clock.time += 3600_000;
    expect((await resend({ email: 'ada@example.com' })).status).toBe(200);
    await w.runJobs();
    expect(new Set(w.mails.map(({ link }) => link)).size).toBe(1);
    expect(w.mails).toHaveLength(13);
    for (const body of [{}, { email: null }, { email: '' }, { email: 'nobody@example.com' }, { email: [] }])
      expect((await resend(body)).status).toBe(404);
    await w.call(`GET ${linkOf(w.mails[0])}`);
    expect(await resend({ email: 'ada@example.com' })).toMatchObject({
      status: 422,
      json: { user: expect.any(String) },
    });
  });
});

describe('signing in', () => {
  it('returns the token and the user', async () => {
    const w = await world();
    const { token, user } = await account(w);
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
    expect(w.seen).toEqual(['1 1 false']);
  });

  it('sets the audience by the client', async () => {
    const w = await world();
    await account(w);
    const body = { user: { email: ada.email, password } };
    const aud = async (options: Options) =>
      (await w.call('POST /api/tokens', { body, ...options })).json.token.unencoded.aud;
    expect(await aud({ isRobot: true })).toBe('bot');
    expect(await aud({ headers: { 'x-requested-with': 'XMLHttpRequest' } })).toBe('human');
    expect(await aud({ headers: { 'x-requested-with': 'fetch' } })).toBe('unknown');
  });

  it('refuses wrong credentials with the text that robots compare', async () => {
    const w = await world();
    await account(w);
    const answer = { status: 422, json: { auth: 'Bad email or password.' } };
    expect(await signIn(w, ada.email, 'password124')).toMatchObject(answer);
    expect(await signIn(w, 'nobody@example.com', password)).toMatchObject(answer);
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
      const { status, json } = await w.call('POST /api/tokens', { body });
      expect([status, Object.keys(json)]).toEqual([422, keys]);
      expect(Object.values(json)).not.toContain('Bad email or password.');
    }
  });

  it('accepts credentials encrypted by a robot, and the control certificate of another account', async () => {
    const w = await world();
    const { token } = await account(w);
    await account(w, { email: 'bea@example.com', name: 'Bea' });
    const encrypted = (content: object) =>
      publicEncrypt(
        { key: createPublicKey(keyPair.publicPem), padding: constants.RSA_PKCS1_PADDING },
        Buffer.from(JSON.stringify(content)),
      ).toString('base64');
    const enter = (credentials: string) => w.call('POST /api/tokens', { body: { user: { credentials } } });
    const robot = await enter(encrypted({ email: 'Ada@example.com', password, id: 'x', version: 1 }));
    expect(robot.json.token.unencoded).toMatchObject({ aud: 'bot', bot: 'device_1' });
    expect((await enter(encrypted({ email: ada.email, password: 'wrong-password' }))).json).toEqual({
      auth: 'Bad email or password.',
    });
    const order = { body: { email: 'bea@example.com', password }, token: token.encoded };
    const certificate = await w.call('POST /api/users/control_certificate', order);
    expect(certificate.text).toMatch(/^([A-Za-z0-9+/=]{60}\n){5}[A-Za-z0-9+/=]{44}\n$/);
    expect((await enter(certificate.text)).json.token.unencoded.bot).toBe('device_2');
    const wrong = { body: { email: 'bea@example.com', password: 'password124' }, token: token.encoded };
    expect((await w.call('POST /api/users/control_certificate', wrong)).json).toEqual({
      credentials: expect.any(String),
    });
  });

  it('requires agreement to the terms', async () => {
    const w = await world({ requiresTerms: true });
    const { token } = await account(w);
    await w.scope().update(users, { agreed_to_terms_at: null }, {});
    const before = await w.scope().count(tokenIssuances);
    expect((await signIn(w, ada.email, password)).status).toBe(451);
    expect((await signIn(w, ada.email, 'password124')).status).toBe(422);
    expect((await w.call('GET /api/users', { token: token.encoded })).status).toBe(451);
    expect(await w.scope().count(tokenIssuances)).toBe(before);
    const body = { user: { email: ada.email, password, agree_to_terms: true } };
    const agreed = await w.call('POST /api/tokens', { body });
    expect(agreed).toMatchObject({ status: 200, json: { user: { agreed_to_terms_at: '2026-04-01T00:00:00.000Z' } } });
    expect((await w.call('GET /api/users', { token: token.encoded })).status).toBe(200);
  });
});

describe('sessions', () => {
  it('are renewed with their expiry and audience; the old token stays valid', async () => {
    const w = await world();
    const { token } = await account(w);
    clock.time += 1000;
    const renewed = await w.call('GET /api/tokens', { token: token.encoded });
    const { unencoded } = renewed.json.token;
    expect(unencoded).toMatchObject({
      aud: token.unencoded.aud,
      exp: token.unencoded.exp,
      iat: token.unencoded.iat + 1,
    });
    expect(unencoded.jti).not.toBe(token.unencoded.jti);
    expect(renewed.json.user.id).toBe(1);
    for (const one of [token.encoded, renewed.json.token.encoded])
      expect((await w.call('GET /api/users', { token: one })).status).toBe(200);
  });

  it('end with a sign-out, at their expiry, and with their user', async () => {
    const w = await world();
    const { token } = await account(w);
    const other = (await signIn(w, ada.email, password)).json.token;
    expect(await w.call('DELETE /api/tokens', { token: token.encoded })).toMatchObject({ status: 204, text: '' });
    expect([w.ended, w.resets]).toEqual([[1], []]);
    expect((await w.call('GET /api/users', { token: token.encoded })).status).toBe(401);
    expect((await w.call('GET /api/users', { token: other.encoded })).status).toBe(200);
    await w
      .scope()
      .update(tokenIssuances, { exp: Math.floor(clock.time / 1000) }, { where: { jti: other.unencoded.jti } });
    expect((await w.call('GET /api/users', { token: other.encoded })).status).toBe(401);
    const third = (await signIn(w, ada.email, password)).json.token;
    await w.runJobs();
    expect((await w.scope().rows(tokenIssuances)).map(({ jti }) => jti)).toEqual([third.unencoded.jti]);
    expect((await w.call('GET /api/users')).status).toBe(401);
    expect((await w.call('GET /api/users', { token: 'x' })).status).toBe(401);
    await w.scope().delete(users, {});
    expect((await w.call('GET /api/users', { token: third.encoded })).status).toBe(401);
  });

  it('count requests of people, not of robots, and write them later', async () => {
    const w = await world();
    const { token } = await account(w);
    clock.time += 1000;
    expect((await w.call('GET /api/users', { token: token.encoded, isRobot: true })).json[0].updated_at).toBe(
      '2026-04-01T00:00:00.000Z',
    );
    for (let i = 0; i < 3; i++) await w.call('GET /api/users', { token: token.encoded });
    clock.time += 1000;
    expect((await w.call('GET /api/users', { token: token.encoded })).json[0].updated_at).toBe(
      '2026-04-01T00:00:02.000Z',
    );
    expect(await w.scope().first(users)).toMatchObject({ sign_in_count: 0, updated_at: '2026-04-01T00:00:00.000Z' });
    await w.services.activity.stop();
    expect(await w.scope().first(users)).toMatchObject({
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
    const w = await world();
    const { token } = await account(w);
    w.events.length = 0;
    const changed = await w.call('PATCH /api/users/17', { token: token.encoded, body: { user: { name: ' Cleo ' } } });
    const body = {
      id: 1,
      created_at: '2026-04-01T00:00:00.000Z',
      updated_at: '2026-04-01T00:00:00.000Z',
      name: 'Cleo',
      email: 'ada@example.com',
      language: 'English',
    };
    expect(changed.json).toEqual(body);
    await w.call('PATCH /api/users', { token: token.encoded, body: { name: 'Cleo', id: 5, agree_to_terms: false } });
    await w.runJobs();
    expect(w.events.map((event) => [event.resource, event.recordId, event.label, event.body])).toEqual([
      ['User', 1, 'request', JSON.stringify(body)],
    ]);
  });

  it('of the password revokes all other tokens, and resets the robot', async () => {
    const w = await world();
    const { token } = await account(w);
    const other = (await signIn(w, ada.email, password)).json.token;
    const change = (body: object) => w.call('PATCH /api/users', { token: token.encoded, body });
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
    expect(w.resets).toEqual([]);
    const done = await change({ password, new_password: 'password456', new_password_confirmation: 'password456' });
    expect(done).toMatchObject({ status: 200, json: { name: 'Ada' } });
    expect(w.resets).toEqual([1]);
    expect((await w.call('GET /api/users', { token: token.encoded })).status).toBe(200);
    expect((await w.call('GET /api/users', { token: other.encoded })).status).toBe(401);
    expect((await signIn(w, ada.email, password)).status).toBe(422);
    expect((await signIn(w, ada.email, 'password456')).status).toBe(200);
  });

  it('of the address takes effect when it is confirmed', async () => {
    const w = await world();
    const { token } = await account(w);
    await account(w, { email: 'bea@example.com' });
    const change = (email: unknown) => w.call('PATCH /api/users', { token: token.encoded, body: { email } });
    expect((await change('bea@example.com')).json).toEqual({ email: 'Email is already registered.' });
    for (const bad of ['', [], 'plain']) expect((await change(bad)).status).toBe(422);
    for (const same of [null, ' ADA@example.com ']) expect((await change(same)).status).toBe(200);
    w.mails.length = 0;
    expect((await change('Ada2@example.com')).json.email).toBe('ada@example.com');
    await w.runJobs();
    expect(w.mails.map(({ to }) => to)).toEqual(['ada2@example.com']);
    expect((await signIn(w, 'ada2@example.com', password)).status).toBe(422);
    const page = await w.call(`GET ${linkOf(w.mails[0])}`, { headers: { accept: 'text/html' } });
    expect(page.json.token.unencoded).toMatchObject({ aud: 'human', bot: 'device_1' });
    expect((await signIn(w, 'ada2@example.com', password)).status).toBe(200);
    expect(await w.call(`GET ${linkOf(w.mails[0])}`, { headers: { accept: 'text/html' } })).toMatchObject({
      status: 409,
    });
  });

  describe('to new addresses', () => {
    const change = (w: World, token: Json, email: string, address?: string) =>
      w.call('PATCH /api/users', { token: token.encoded, body: { email }, ...(address ? { address } : {}) });

    it('is limited to five times an hour per account', async () => {
      const w = await world();
      const { token } = await account(w);
      for (let i = 1; i <= 5; i++) expect((await change(w, token, `a${i}@example.com`)).status).toBe(200);
      expect((await change(w, token, 'a6@example.com')).status).toBe(429);
      expect((await change(w, token, 'a6@example.com', '10.0.0.8')).status).toBe(429);
      expect((await w.scope().first(users))?.unconfirmed_email).toBe('a5@example.com');
      await w.runJobs();
      expect(w.mails.filter(({ to }) => /^a\d@/.test(to))).toHaveLength(5);
      // Changes that send no mail are not limited.
      expect((await change(w, token, 'plain')).status).toBe(422);
      expect((await w.call('PATCH /api/users', { token: token.encoded, body: { name: 'Zoe' } })).status).toBe(200);
      expect((await change(w, token, 'a6@example.com', '127.0.0.1')).status).toBe(200);
      clock.time += 3600_000;
      expect((await change(w, token, 'a7@example.com')).status).toBe(200);
    });

    it('is limited to five times an hour per address, for all accounts', async () => {
      const w = await world();
      const tokens = [];
      for (const name of ['one', 'two', 'three'])
        tokens.push((await account(w, { email: `${name}@example.com` })).token);
      const spellings = ['Stranger@example.com', ' stranger@EXAMPLE.com'];
      const answers = [];
      for (const token of tokens) for (const email of spellings) answers.push((await change(w, token, email)).status);
      expect(answers).toEqual([200, 200, 200, 200, 200, 429]);
      expect((await change(w, tokens[2], 'other@example.com')).status).toBe(200);
    });

    it('is not limited without rate limits', async () => {
      const w = await world({ hasRateLimits: false });
      const { token } = await account(w);
      for (let i = 1; i <= 7; i++) expect((await change(w, token, `a${i}@example.com`)).status).toBe(200);
    });
  });

  it('to an address that was registered concurrently is refused', async () => {
    const w = await world();
    const { token } = await account(w);
    await w.call('PATCH /api/users', { token: token.encoded, body: { email: 'new@example.com' } });
    await w.runJobs();
    const link = linkOf(w.mails.at(-1));
    await account(w, { email: 'new@example.com' });
    expect((await w.call(`GET ${link}`)).status).toBe(422);
  });
});

describe('a forgotten password', () => {
  async function resetToken(w: World): Promise<string> {
    w.mails.length = 0;
    const asked = await w.call('POST /api/password_resets', { body: { email: ' Ada@example.com' } });
    expect(asked).toMatchObject({ status: 200, json: { status: expect.any(String) } });
    await w.runJobs();
    expect(w.mails.map(({ to }) => to)).toEqual(['ada@example.com']);
    return linkOf(w.mails[0]).replace('/password_reset/', '');
  }
  const change = (w: World, id: unknown, chosen = 'password456') =>
    w.call('PATCH /api/password_resets', {
      body: { id, password: chosen, password_confirmation: chosen, fbos_version: {} },
    });

  it('is replaced once per link, which revokes every token', async () => {
    const w = await world();
    const { token } = await account(w);
    const id = await resetToken(w);
    const done = await change(w, id);
    expect(done.json.token.unencoded).toMatchObject({ aud: 'unknown', sub: 1 });
    expect((await w.call('GET /api/users', { token: token.encoded })).status).toBe(401);
    expect((await w.call('GET /api/users', { token: done.json.token.encoded })).status).toBe(200);
    expect(await change(w, id, 'password789')).toMatchObject({ status: 422, json: { reset: expect.any(String) } });
    expect((await signIn(w, ada.email, 'password456')).status).toBe(200);
    expect([w.ended, w.resets]).toEqual([[1], []]);
  });

  it('is replaced once by concurrent requests', async () => {
    const w = await world();
    await account(w);
    const id = await resetToken(w);
    const answers = await Promise.all([change(w, id), change(w, id)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422]);
  });

  it('of an unknown address gets the same response, and no mail', async () => {
    const w = await world();
    const known = await w.call('POST /api/password_resets', { body: { email: 'nobody@example.com' } });
    expect(known.status).toBe(200);
    await w.runJobs();
    expect(w.mails).toEqual([]);
    for (const email of [null, '', {}, []])
      expect((await w.call('POST /api/password_resets', { body: { email } })).status).toBe(422);
  });

  it('needs a token that is complete, not expired, signed here, and of its kind', async () => {
    const w = await world();
    const { token } = await account(w);
    const id = await resetToken(w);
    expect((await w.call('PATCH /api/password_resets', { body: {} })).json).toEqual({
      password: expect.any(String),
      password_confirmation: expect.any(String),
      token: expect.any(String),
    });
    expect((await change(w, id, '1234567')).json).toEqual({ password: expect.stringContaining('too short') });
    for (const bad of ['x', token.encoded]) expect((await change(w, bad)).json).toEqual({ reset: expect.any(String) });
    expect(await change(w, `${id.slice(0, -8)}AAAAAAAA`)).toMatchObject({
      status: 401,
      json: { error: expect.any(String) },
    });
    expect((await w.call('GET /api/users', { token: id })).status).toBe(401);
    clock.time += 24 * 3600_000;
    expect((await change(w, id)).json).toEqual({ reset: expect.any(String) });
  });

  it('is replaced for accounts that cannot sign in yet', async () => {
    const w = await world();
    await w.call('POST /api/users', { body: ada });
    await w.runJobs();
    expect((await change(w, await resetToken(w))).status).toBe(403);
    expect(await w.scope().count(tokenIssuances)).toBe(0);
    await w.scope().update(users, { confirmed_at: '2026-04-01T00:00:00.000Z' }, {});
    expect((await signIn(w, ada.email, 'password456')).status).toBe(200);
  });
});

describe('a request that waits while the password changes', () => {
  /** Runs a request that has read the user when another request changes the password and revokes all tokens. */
  async function duringPasswordChange<T>({ passwords, scope }: World, request: () => Promise<T>): Promise<T> {
    const password_hash = await passwords.hash('password456');
    const resume = passwords.pause();
    const answer = request();
    await vi.waitUntil(() => passwords.paused > 0);
    await scope().update(users, { password_hash }, {});
    await scope().delete(tokenIssuances, {});
    resume();
    return answer;
  }
  const isNew = async (w: World): Promise<boolean> => (await signIn(w, ada.email, 'password456')).status === 200;

  it('does not sign in', async () => {
    const w = await world();
    await account(w);
    expect(await duringPasswordChange(w, () => signIn(w, ada.email, password))).toMatchObject({
      status: 422,
      json: { auth: 'Bad email or password.' },
    });
    expect(await w.scope().count(tokenIssuances)).toBe(0);
    expect(await isNew(w)).toBe(true);
  });

  it('does not set another password', async () => {
    const w = await world();
    const { token } = await account(w);
    const body = { password, new_password: 'password789', new_password_confirmation: 'password789', name: 'Zoe' };
    expect(
      await duringPasswordChange(w, () => w.call('PATCH /api/users', { token: token.encoded, body })),
    ).toMatchObject({
      status: 422,
      json: { password: expect.any(String) },
    });
    expect(w.resets).toEqual([]);
    expect((await w.scope().first(users))?.name).toBe('Ada');
    expect(await isNew(w)).toBe(true);
  });

  it('does not set another password with a link that was requested before', async () => {
    const w = await world();
    await account(w);
    await w.call('POST /api/password_resets', { body: { email: ada.email } });
    await w.runJobs();
    const id = linkOf(w.mails.at(-1)).replace('/password_reset/', '');
    const body = { id, password: 'password789', password_confirmation: 'password789' };
    expect(await duringPasswordChange(w, () => w.call('PATCH /api/password_resets', { body }))).toMatchObject({
      status: 422,
      json: { reset: expect.any(String) },
    });
    expect(await w.scope().count(tokenIssuances)).toBe(0);
    expect(await isNew(w)).toBe(true);
  });

  it('does not delete the account', async () => {
    const w = await world();
    const { token } = await account(w);
    const remove = () => w.call('DELETE /api/users', { token: token.encoded, body: { password } });
    expect(await duringPasswordChange(w, remove)).toMatchObject({
      status: 422,
      json: { password: expect.any(String) },
    });
    expect(await w.scope().count(jobTable)).toBe(0);
  });

  it('does not renew a token that was revoked concurrently', async () => {
    const w = await world();
    const { token } = await account(w);
    let renewed: ReturnType<World['call']> | undefined;
    await w
      .scope()
      .device(1)
      .transaction(async (scope) => {
        renewed = w.call('GET /api/tokens', { token: token.encoded });
        await sleep(10);
        await scope.delete(tokenIssuances, {});
      });
    expect(await renewed).toMatchObject({ status: 401 });
    expect(await w.scope().count(tokenIssuances)).toBe(0);
  });

  it('gets 503 when its user moved to another device', async () => {
    const w = await world();
    await account(w);
    await account(w, { email: 'bea@example.com' });
    const resume = w.passwords.pause();
    const answer = signIn(w, ada.email, password);
    await vi.waitUntil(() => w.passwords.paused > 0);
    await w.scope().update(users, { device_id: 2 }, { where: { id: 1 } });
    resume();
    // Not 422: robots would erase their settings.
    expect((await answer).status).toBe(503);
    expect((await signIn(w, ada.email, password)).json.user.device_id).toBe(2);
  });
});

describe('deleting the account', () => {
  it('happens in the background, with the device', async () => {
    const w = await world();
    const { token } = await account(w);
    await account(w, { email: 'bea@example.com' });
    const remove = (body: object) => w.call('DELETE /api/users', { token: token.encoded, body });
    for (const body of [{}, { password: '' }, { password: null }, { password: 'wrong-password' }])
      expect(await remove(body)).toMatchObject({ status: 422, json: { password: expect.any(String) } });
    const { json } = await remove({ password });
    expect(Object.keys(json).join()).toBe(
      'id,priority,attempts,handler,last_error,run_at,locked_at,failed_at,locked_by,queue,created_at,updated_at',
    );
    expect(JSON.stringify(json)).not.toContain('ada');
    await w.runJobs();
    expect((await w.call('GET /api/users', { token: token.encoded })).status).toBe(401);
    expect((await signIn(w, ada.email, password)).json).toEqual({ auth: 'Bad email or password.' });
    expect((await w.scope().rows(devices)).map(({ id }) => id)).toEqual([2]);
    expect(await w.scope().count(jobTable)).toBe(0);
  });

  it('leaves the device to its other users', async () => {
    const w = await world();
    const { token } = await account(w);
    const other = await account(w, { email: 'bea@example.com' });
    await w.scope().update(users, { device_id: 1 }, { where: { id: other.user.id } });
    await w.call('DELETE /api/users', { token: token.encoded, body: { password } });
    await w.runJobs();
    expect((await w.call('GET /api/users', { token: token.encoded })).status).toBe(401);
    const left = await w.call('GET /api/users', { token: other.token.encoded });
    expect(left.json.map((user: Json) => user.email)).toEqual(['bea@example.com']);
  });
});

describe('the global config', () => {
  it('keeps values of the operator and replaces those of the server', async () => {
    const w = await world();
    const defaults = { TOS_URL: '', PRIV_URL: '' };
    const facts = { NODE_ENV: 'test', LONG_REVISION: 'NONE', SHORT_REVISION: 'NONE', MQTT_WS: 'ws://a/ws' };
    await w.config.ensureDefaults(defaults);
    await w.config.writeFacts(facts);
    await w.scope().update(globalConfig, { value: '15.0.0' }, { where: { key: 'MINIMUM_FBOS_VERSION' } });
    await w.config.ensureDefaults(defaults);
    await w.config.writeFacts({ ...facts, MQTT_WS: 'ws://b/ws' });
    expect((await w.call('GET /api/global_config')).json).toEqual({
      FBOS_END_OF_LIFE_VERSION: '14.6.0',
      MINIMUM_FBOS_VERSION: '15.0.0',
      TOS_URL: '',
      PRIV_URL: '',
      NODE_ENV: 'test',
      LONG_REVISION: 'NONE',
      SHORT_REVISION: 'NONE',
      MQTT_WS: 'ws://b/ws',
    });
    expect(w.config.minimumVersion()).toBe('15.0.0');
  });

  it('has no values of the server before it serves', async () => {
    const w = await world();
    await w.config.ensureDefaults({ TOS_URL: '', PRIV_URL: '' });
    expect((await w.call('GET /api/global_config')).json).toEqual({
      FBOS_END_OF_LIFE_VERSION: '14.6.0',
      MINIMUM_FBOS_VERSION: '14.6.0',
      TOS_URL: '',
      PRIV_URL: '',
    });
  });

  it('uses the URL of the settings, but keeps an existing one', async () => {
    const w = await world();
    const texts = async (defaults: ConfigDefaults): Promise<Json> => {
      await w.config.ensureDefaults(defaults);
      return (await w.call('GET /api/global_config')).json;
    };
    await texts({ TOS_URL: '', PRIV_URL: '' });
    const set = { TOS_URL: 'https://a/terms', PRIV_URL: 'https://a/privacy' };
    expect(await texts(set)).toMatchObject(set);
    expect(await texts({ TOS_URL: '', PRIV_URL: 'https://b/privacy' })).toMatchObject(set);
    await w.scope().update(globalConfig, { value: '' }, { where: { key: 'MINIMUM_FBOS_VERSION' } });
    expect((await texts(set)).MINIMUM_FBOS_VERSION).toBe('');
  });
});

describe('the public key', () => {
  it('is sent as plain text', async () => {
    const w = await world();
    expect((await w.call('GET /api/public_key')).text).toBe(keyPair.publicPem);
  });
});
