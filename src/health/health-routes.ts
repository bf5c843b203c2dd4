import { networkInterfaces } from 'node:os';
import { addressNotFound, Failure } from '../core/errors.ts';
import { jsonFor, messagesIn } from '../core/message.ts';
import { matchesSecret, secretDigest } from '../core/secret.ts';
import { untagged } from '../engine/entity-tag.ts';
import { failureSchema } from '../engine/failure-schemas.ts';
import { Type } from '../engine/json-schema.ts';
import { isForwarded } from '../engine/local-call.ts';
import type { Call, PublicRoute, Route } from '../engine/route.ts';
import { jsonContentType, Reply } from '../engine/route.ts';
import type { HealthCheck } from './health-check.ts';
import type { Metrics } from './metrics.ts';

const say = messagesIn({
  en: {
    wrongToken: 'Invalid metrics token.',
    noToken: 'Send the metrics token in the Authorization header.',
  },
  fr: {
    wrongToken: 'Le jeton des métriques est faux.',
    noToken: 'Envoyez le jeton des métriques dans l’en-tête Authorization.',
  },
});

/** The clients that may read metrics. */
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
  /** See `HealthDependencies.proxyProblem`. */
  readonly proxyProblem: () => string | null;
}

const state = Type.Object({ ok: Type.Boolean(), message: Type.String() });
const proxySchema = Type.Object(
  {
    ok: Type.Boolean(),
    message: Type.String(),
    local: Type.Boolean({ description: 'Whether this request counts as one of this machine, which is not limited.' }),
  },
  {
    description:
      'Whether requests came through a proxy that TRUST_PROXY does not name. Only programs on this machine see it.',
  },
);
/** Nonces of the last requests, at most. */
const maxNonces = 16;
const maxNonceLength = 64;
const count = Type.Nullable(Type.Integer({ minimum: 0 }));

const healthy = {
  status: 'ok',
  database: { ok: true, message: 'The database responds.' },
  broker: { ok: true, message: 'The message broker is running.' },
  photos: { ok: true, message: 'Photos can be stored.' },
  disk: { ok: true, message: 'There is enough free space.' },
  jobs: { ok: true, message: 'No background job failed permanently.', waiting: 0, failed: 0 },
  proxy: { ok: true, message: 'No request came through a proxy that TRUST_PROXY does not name.', local: true },
};
const failing = {
  ...healthy,
  status: 'failing',
  broker: { ok: false, message: 'The message broker is not running.' },
};
const healthSchema = Type.Object(
  {
    status: Type.OneOf(['ok', 'failing']),
    database: state,
    broker: state,
    photos: state,
    disk: state,
    jobs: Type.Object({ ok: Type.Boolean(), message: Type.String(), waiting: count, failed: count }),
    proxy: Type.Optional(proxySchema),
    seen: Type.Optional(
      Type.Boolean({
        description: 'Whether another one of the last requests had this `nonce`. Only programs on this machine see it.',
      }),
    ),
  },
  {
    $id: 'Health',
    examples: [healthy],
    description:
      'Failed jobs, a disk that is almost full and, to programs on this machine, a proxy that TRUST_PROXY does not name are reported, but do not change the status.',
  },
);

/** `/health` for process supervisors, `/metrics` for Prometheus. */
export const healthRoutes = ({ health, metrics, proxyProblem, ...access }: HealthRoutes): Route[] => [
  healthRoute(health, proxyProblem),
  metricsRoute(metrics, access),
];

const common = { method: 'GET', access: 'public', tag: 'Server', acceptsAnyVersion: true, addition: true } as const;

/** Whether a program on this machine asks, also where the server listens at an address of its network. */
const isOfThisMachine = (call: Call): boolean =>
  !isForwarded(call) &&
  Object.values(networkInterfaces()).some((addresses) => addresses?.some(({ address }) => address === call.address));

const proxyState = (problem: string | null) => ({
  ok: problem === null,
  message: problem ?? healthy.proxy.message,
});

/** Returns a function that tells whether a nonce was sent before, and keeps it: a program finds out whether an address leads here. */
function nonceMemory(): (nonce: string) => boolean {
  const nonces: string[] = [];
  return (sent) => {
    const nonce = sent.slice(0, maxNonceLength);
    if (nonces.includes(nonce)) return true;
    if (nonces.push(nonce) > maxNonces) nonces.shift();
    return false;
  };
}

const healthRoute = (
  health: HealthCheck,
  proxyProblem: () => string | null,
  isKnownNonce = nonceMemory(),
): PublicRoute => ({
  ...common,
  path: '/health',
  // The result is cached for a second.
  rateLimit: 'none',
  summary:
    'Health of the server: 200, or 503 if its database or its message broker is down, or if nothing can be stored',
  description:
    'For process supervisors: checks the database, the message broker, the storage of photos, the disk and the jobs, at most once a second.',
  query: Type.Object({
    nonce: Type.Optional(
      Type.String({
        maxLength: maxNonceLength,
        description:
          'A random text, with which a program on this machine finds out whether another address leads here.',
      }),
    ),
  }),
  replies: { 200: healthSchema, 503: { ...healthSchema, examples: [failing] } },
  untagged: untagged.momentary,
  async handle(_server, call) {
    const found = await health.check();
    const { nonce } = call.query;
    const seen = nonce === undefined ? {} : { seen: isKnownNonce(nonce) };
    // Other clients get no details of the proxy.
    const shown = isOfThisMachine(call)
      ? { ...found, proxy: { ...proxyState(proxyProblem()), local: call.isLocal }, ...seen }
      : found;
    return new Reply(jsonFor('api', shown), jsonContentType, found.status === 'ok' ? 200 : 503, {
      'Cache-Control': 'no-store',
    });
  },
});

const metricsRoute = (metrics: Metrics | null, access: MetricsAccess): PublicRoute => ({
  ...common,
  path: '/metrics',
  summary: 'Metrics for Prometheus, if enabled: with the metrics token, or without one from this machine',
  description: 'Returns counters and durations in the text format of Prometheus.',
  textExamples: { 200: '# TYPE potager_broker_up gauge\npotager_broker_up 1\n' },
  replies: { 200: 'text', 401: failureSchema, 403: failureSchema, 404: failureSchema },
  async handle(_server, call) {
    if (metrics === null) throw addressNotFound();
    assertAllowed(call, access);
    return new Reply(await metrics.text(), metrics.type, 200, { 'Cache-Control': 'no-store' });
  },
});

/** Throws 401 or 403. */
function assertAllowed(call: Call, { metricsToken, trustsLocal }: MetricsAccess): void {
  if (call.token !== null) {
    if (metricsToken !== null && matchesSecret(call.token, secretDigest(metricsToken))) return;
    throw new Failure('forbidden', say.wrongToken);
  }
  if (metricsToken === null && trustsLocal && call.isLocal) return;
  throw new Failure('unauthenticated', say.noToken);
}
