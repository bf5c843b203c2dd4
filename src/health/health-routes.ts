import { Failure } from '../core/errors.ts';
import { isLoopback } from '../core/ip-addresses.ts';
import { matchesSecret, secretDigest } from '../core/secret.ts';
import { failureSchema } from '../engine/failure-schemas.ts';
import { Type } from '../engine/json-schema.ts';
import type { Call, PublicRoute, Route } from '../engine/route.ts';
import { jsonContentType, Reply } from '../engine/route.ts';
import type { HealthCheck } from './health-check.ts';
import type { Metrics } from './metrics.ts';

export interface HealthRoutes {
  readonly health: HealthCheck;
  /** Null: disabled. */
  readonly metrics: Metrics | null;
  /** Token that allows reading metrics from other hosts; null: not allowed. */
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
  { ...closed, title: 'Health', description: 'Failed jobs are reported, but do not change the status.' },
);

/** `/health` for process supervisors, `/metrics` for Prometheus. */
export const healthRoutes = ({ health, metrics, metricsToken }: HealthRoutes): Route[] => [
  healthRoute(health),
  metricsRoute(metrics, metricsToken),
];

const common = { method: 'GET', access: 'public', tag: 'operation', acceptsAnyVersion: true, addition: true } as const;

const healthRoute = (health: HealthCheck): PublicRoute => ({
  ...common,
  path: '/health',
  // The result is cached for a second.
  rateLimit: 'none',
  summary: 'Health of the server: 200, or 503 if its database or its message broker is down',
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
  summary: 'Metrics for Prometheus, if enabled: from this machine, or with the metrics token',
  replies: { 200: 'text', 401: failureSchema, 403: failureSchema, 404: failureSchema },
  async handle(_server, call) {
    if (metrics === null) throw new Failure('not_found', 'This address was not found.');
    assertAllowed(call, token);
    return new Reply(await metrics.text(), metrics.type, 200, { 'Cache-Control': 'no-store' });
  },
});

/** Throws 401 or 403. */
function assertAllowed(call: Call, token: string | null): void {
  if (call.token !== null) {
    if (token !== null && matchesSecret(call.token, secretDigest(token))) return;
    throw new Failure('forbidden', 'Invalid metrics token.');
  }
  // Behind a local proxy, all requests come from a loopback address.
  if (isLoopback(call.address) && !isForwarded(call)) return;
  throw new Failure('unauthenticated', 'Send the metrics token in the Authorization header.');
}

/** Returns whether a proxy forwarded a request. */
const isForwarded = ({ headers }: Call): boolean =>
  Object.keys(headers).some(
    (name) => name.startsWith('x-forwarded') || ['forwarded', 'via', 'x-real-ip', 'x-client-ip'].includes(name),
  );
