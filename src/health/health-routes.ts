import Type from 'typebox';
import { Failure } from '../core/errors.ts';
import { isLoopback } from '../core/loopback.ts';
import { matchesSecret, secretDigest } from '../core/secret.ts';
import { failureSchema } from '../engine/failure-schemas.ts';
import type { Call, PublicRoute, Route } from '../engine/route.ts';
import { jsonContentType, Reply } from '../engine/route.ts';
import type { HealthCheck } from './health.ts';
import type { Metrics } from './metrics.ts';

export interface HealthRoutes {
  readonly health: HealthCheck;
  /** Null: figures are switched off. */
  readonly metrics: Metrics | null;
  /** Who sends it may read the figures from anywhere; null: nobody. */
  readonly metricsToken: string | null;
}

const closed = { additionalProperties: false };
const state = Type.Object({ ok: Type.Boolean(), message: Type.String() }, closed);
const count = Type.Union([Type.Integer({ minimum: 0 }), Type.Null()]);

const healthSchema = Type.Object(
  {
    status: Type.Union([Type.Literal('ok'), Type.Literal('failing')]),
    database: state,
    broker: state,
    jobs: Type.Object({ ok: Type.Boolean(), message: Type.String(), waiting: count, failed: count }, closed),
  },
  { ...closed, title: 'Health', description: 'Jobs that were given up are told and make nothing fail.' },
);

/** `/health` for whatever keeps the server running, `/metrics` for whoever draws its figures. */
export const healthRoutes = ({ health, metrics, metricsToken }: HealthRoutes): Route[] => [
  healthRoute(health),
  metricsRoute(metrics, metricsToken),
];

const common = { method: 'GET', access: 'public', tag: 'operation', acceptsAnyVersion: true, addition: true } as const;

const healthRoute = (health: HealthCheck): PublicRoute => ({
  ...common,
  path: '/health',
  // Looked at once a second at most, whoever asks.
  rateLimit: 'none',
  summary: 'Whether the server is at work: 200, or 503 when its database or its message broker is not',
  replies: { 200: healthSchema, 503: healthSchema },
  async handle() {
    const found = await health.check();
    return new Reply(JSON.stringify(found), jsonContentType, found.status === 'ok' ? 200 : 503, {
      'Cache-Control': 'no-store',
    });
  },
});

const metricsRoute = (metrics: Metrics | null, token: string | null): PublicRoute => ({
  ...common,
  path: '/metrics',
  summary: 'Figures for Prometheus, if switched on: from this machine, or with the token for it',
  replies: { 200: 'text', 401: failureSchema, 403: failureSchema, 404: failureSchema },
  async handle(_server, call) {
    if (metrics === null) throw new Failure('not_found', 'This address was not found.');
    assertMayRead(call, token);
    return new Reply(await metrics.text(), metrics.type, 200, { 'Cache-Control': 'no-store' });
  },
});

/** Throws 401 or 403. */
function assertMayRead(call: Call, token: string | null): void {
  if (call.token !== null) {
    if (token !== null && matchesSecret(call.token, secretDigest(token))) return;
    throw new Failure('forbidden', 'This is not the token for the figures.');
  }
  // Behind a proxy on this machine everybody would come from here.
  if (isLoopback(call.address) && !isForwarded(call)) return;
  throw new Failure('unauthenticated', 'Reading the figures from here needs their token in the Authorization header.');
}

/** Whether a proxy says that it passes a request on. */
const isForwarded = ({ headers }: Call): boolean =>
  Object.keys(headers).some(
    (name) => name.startsWith('x-forwarded') || ['forwarded', 'via', 'x-real-ip', 'x-client-ip'].includes(name),
  );
