import inject from 'light-my-request';
import { afterEach, beforeEach } from 'vitest';
import { Failure, invalid } from '../../src/core/errors.ts';
import { verbatim } from '../../src/core/message.ts';
import { Type } from '../../src/engine/json-schema.ts';
import { allRights } from '../../src/engine/rights.ts';
import type { Call, Route, Session } from '../../src/engine/route.ts';
import { emptyReply, jsonReply, Reply } from '../../src/engine/route.ts';
import type { HttpOptions } from '../../src/http/context.ts';
import type { HttpServer } from '../../src/http/http.ts';
import { createHttp } from '../../src/http/http.ts';
import type { ScopeActivity } from './fake-scopes.ts';
import { fakeServerScope } from './fake-scopes.ts';

const any = Type.Unknown();
const common = {
  tag: 'Server',
  description: 'It is used by tests only.',
  summary: 'A route of this test.',
  replies: { 200: any },
} as const;
const body = (rule: 'object' | 'late' | 'optional' | 'any') => ({ body: { rule, schema: any } });
const echo = (_scope: unknown, call: Call) => ({ body: call.body ?? null, raw: call.rawBody.length });

export const edgeRoutes: Route[] = [
  {
    ...common,
    access: 'token',
    method: 'GET',
    path: '/api/things',
    handle: (scope, { query }) => ({
      device: scope.deviceId,
      user: scope.userId,
      label: scope.label,
      origin: scope.origin,
      isTransaction: scope.isTransaction,
      query,
    }),
  },
  { ...common, access: 'token', method: 'POST', path: '/api/things', ...body('object'), handle: echo },
  {
    ...common,
    access: 'token',
    method: 'GET',
    path: '/api/things/:id',
    handle: (_, { params }) => jsonReply(`{"id":${params.id}}`),
  },
  {
    ...common,
    access: 'token',
    method: 'PATCH',
    path: '/api/things/:id',
    ...body('object'),
    handle: (scope) => ({ isTransaction: scope.isTransaction }),
  },
  { ...common, access: 'token', method: 'DELETE', path: '/api/things/:id', handle: () => emptyReply },
  {
    ...common,
    access: 'token',
    method: 'GET',
    path: '/api/many/:ids',
    handle: (_, { params }) => ({ ids: params.ids?.length }),
  },
  { ...common, access: 'token', method: 'POST', path: '/api/late', ...body('late'), handle: echo },
  { ...common, access: 'token', method: 'POST', path: '/api/optional', ...body('optional'), handle: echo },
  {
    ...common,
    access: 'token',
    method: 'POST',
    path: '/api/outside',
    transaction: false,
    handle: (scope) => ({ isTransaction: scope.isTransaction }),
  },
  {
    ...common,
    access: 'token',
    method: 'POST',
    path: '/api/refused',
    handle: () => {
      throw invalid({ name: verbatim('Name is missing.') });
    },
  },
  {
    ...common,
    access: 'token',
    method: 'GET',
    path: '/api/broken',
    handle: () => {
      throw new Error('secret detail');
    },
  },
  { ...common, access: 'public', method: 'POST', path: '/api/anything', ...body('any'), handle: echo },
  {
    ...common,
    access: 'public',
    method: 'GET',
    path: '/api/hello',
    acceptsAnyVersion: true,
    handle: (_, { host, isSecure, address, isRobot, robotVersion }) => ({
      host,
      isSecure,
      address,
      isRobot,
      robotVersion,
    }),
  },
  {
    ...common,
    access: 'public',
    method: 'GET',
    path: '/',
    acceptsAnyVersion: true,
    handle: () => new Reply('<p>', 'text/html', 200, { 'X-Frame-Options': 'DENY' }),
  },
  {
    ...common,
    access: 'public',
    method: 'POST',
    path: '/api/password_resets',
    rateLimit: 'reset',
    maxBodySize: 4096,
    ...body('object'),
    handle: () => ({}),
  },
  { ...common, access: 'token', method: 'GET', path: '/api/device/sync', rateLimit: 'sync', handle: () => ({}) },
  {
    ...common,
    access: 'token',
    method: 'POST',
    path: '/api/owners',
    role: 'owner',
    ...body('optional'),
    handle: () => ({}),
  },
  { ...common, access: 'token', method: 'POST', path: '/api/sessions', needsSession: true, handle: () => ({}) },
  { ...common, access: 'token', method: 'DELETE', path: '/api/secrets/:id', confirms: true, handle: () => ({}) },
];

/** Log lines, as JSON. */
export const logLines: string[] = [];
const log = (level: string) => (object: object, message: string) =>
  void logLines.push(JSON.stringify({ level, ...object, message }));
const logger = {
  debug: log('debug'),
  info: log('info'),
  warn: log('warn'),
  error: log('error'),
  isLevelEnabled: () => true,
};
const clock = { now: () => Date.UTC(2026, 10, 21, 12) };

/** Transactions, identities and replies since the test began. */
export let scopeActivity: ScopeActivity;
export let replies: string[];
let app: HttpServer;
/** The session of the valid token. */
export const edgeSession: Session = {
  userId: 3,
  userName: 'Anna',
  deviceId: 7,
  id: 1,
  jti: 'j',
  kind: 'person',
  credential: null,
  rights: allRights,
  isTemporary: false,
  isAdministrator: false,
  signedInAt: null,
  expires: Number.POSITIVE_INFINITY,
};
/** Creates an HTTP server with other options than the defaults of this file. */
export const createEdge = (changes: Partial<HttpOptions> = {}): HttpServer =>
  createHttp({
    routes: edgeRoutes,
    server: (scopeLog) => fakeServerScope(clock, scopeLog, scopeActivity),
    authenticate: async (_scope, { token }) => {
      if (token !== 'good') throw new Failure('bad_token');
      return edgeSession;
    },
    redeemTicket: async () => edgeSession,
    confirm: async () => async () => undefined,
    minimumVersion: () => '14.6.0',
    rateLimits: true,
    trustProxy: false,
    publicUrl: null,
    logger,
    clock,
    csp: { connect: ['wss://broker.example'] },
    onReply: (route, status) => void replies.push(`${route.path} ${status}`),
    ...changes,
  });

/** Creates a new server for each test of the file. */
export function useEdge(): void {
  beforeEach(() => {
    scopeActivity = { commits: 0, rollbacks: 0, identities: [] };
    replies = [];
    logLines.length = 0;
    app = createEdge();
  });
  afterEach(() => app.close());
}

/** Changes the options for the rest of the test. */
export function useOptions(changes: Partial<HttpOptions>): void {
  app = createEdge(changes);
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD' | 'OPTIONS';
/** Sends a request (`POST /api/things`) with a valid token unless the headers say otherwise. */
export function send(
  line: string,
  payload?: string | Buffer,
  headers: Record<string, string | undefined> = {},
  from = '10.0.0.9',
) {
  const [method, url = '/'] = line.split(' ');
  const all = Object.entries({ authorization: 'Bearer good', 'user-agent': 'test', ...headers });
  const sent = Object.fromEntries(all.filter((entry): entry is [string, string] => entry[1] !== undefined));
  return inject(app.handler, {
    method: method as Method,
    url,
    headers: sent,
    remoteAddress: from,
    ...(payload === undefined ? {} : { payload }),
  });
}
export const withoutToken = { authorization: undefined };
export const statusOf = async (...request: Parameters<typeof send>): Promise<number> =>
  (await send(...request)).statusCode;
