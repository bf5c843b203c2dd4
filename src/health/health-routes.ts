import { Failure } from '../core/errors.ts';
import { matchesSecret, secretDigest } from '../core/secret.ts';
import { failureSchema } from '../engine/failure-schemas.ts';
import { Type } from '../engine/json-schema.ts';
import { isLocalCall } from '../engine/local-call.ts';
import type { Call, PublicRoute, Route } from '../engine/route.ts';
import { jsonContentType, Reply } from '../engine/route.ts';
import type { HealthCheck } from './health-check.ts';
import type { Metrics } from './metrics.ts';

/** Who may read metrics. */
export interface MetricsAccess {
  /** The token that every request needs; null: only programs on this machine may read them. */
  readonly metricsToken: string | null;
  /** Whether programs on this machine may read them without a token: not behind a proxy, whose requests could look the same. */
  readonly trustsLocal: boolean;
}

export interface HealthRoutes extends MetricsAccess {
  readonly health: HealthCheck;
  /** Null: disabled. */
  readonly metrics: Metrics | null;
}

const closed = { additionalProperties: false };
const state = Type.Object({ ok: Type.Boolean(), message: Type.String() }, closed);
const count = Type.Union([Type.Integer({ minimum: 0 }), Type.Null()]);

const healthSchema = Type.Object(
  {
    status: Type.Union([Type.Literal('ok'), Type.Literal('failing')]),
    database: state,
    broker: state,
    photos: state,
    jobs: Type.Object({ ok: Type.Boolean(), message: Type.String(), waiting: count, failed: count }, closed),
  },
  { ...closed, title: 'Health', description: 'Failed jobs are reported, but do not change the status.' },
);

/** `/health` for process supervisors, `/metrics` for Prometheus. */
export const healthRoutes = ({ health, metrics, ...access }: HealthRoutes): Route[] => [
  healthRoute(health),
  metricsRoute(metrics, access),
];

const common = { method: 'GET', access: 'public', tag: 'operation', acceptsAnyVersion: true, addition: true } as const;

const healthRoute = (health: HealthCheck): PublicRoute => ({
  ...common,
  path: '/health',
  // The result is cached for a second.
  rateLimit: 'none',
  summary:
    'Health of the server: 200, or 503 if its database or its message broker is down, or if nothing can be stored',
  replies: { 200: healthSchema, 503: healthSchema },
  async handle() {
    const found = await health.check();
    return new Reply(JSON.stringify(found), jsonContentType, found.status === 'ok' ? 200 : 503, {
      'Cache-Control': 'no-store',
    });
  },
});

const metricsRoute = (metrics: Metrics | null, access: MetricsAccess): PublicRoute => ({
  ...common,
  path: '/metrics',
  summary: 'Metrics for Prometheus, if enabled: with the metrics token, or without one from this machine',
  replies: { 200: 'text', 401: failureSchema, 403: failureSchema, 404: failureSchema },
  async handle(_server, call) {
    if (metrics === null) throw new Failure('not_found', 'This address was not found.');
    assertAllowed(call, access);
    return new Reply(await metrics.text(), metrics.type, 200, { 'Cache-Control': 'no-store' });
  },
});

/** Throws 401 or 403. */
function assertAllowed(call: Call, { metricsToken, trustsLocal }: MetricsAccess): void {
  if (call.token !== null) {
    if (metricsToken !== null && matchesSecret(call.token, secretDigest(metricsToken))) return;
    throw new Failure('forbidden', 'Invalid metrics token.');
  }
  if (metricsToken === null && trustsLocal && isLocalCall(call)) return;
  throw new Failure('unauthenticated', 'Send the metrics token in the Authorization header.');
}
