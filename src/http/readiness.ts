import { jsonFor } from '../core/message.ts';
import { untagged } from '../engine/entity-tag.ts';
import { Type } from '../engine/json-schema.ts';
import type { PublicRoute } from '../engine/route.ts';
import { jsonContentType, Reply } from '../engine/route.ts';
import { Exchange } from './exchange.ts';

const readiness = (ready: boolean) => Type.Object({ ready: Type.Boolean() }, { examples: [{ ready }] });

/** `GET /ready`: whether a load balancer may send requests to this process. [ADR 80] */
export const readinessRoute: PublicRoute = {
  access: 'public',
  method: 'GET',
  path: '/ready',
  tag: 'Server',
  summary: 'Whether this process takes requests: 200, or 503 from the signal to stop on',
  description:
    'For load balancers in front of several processes. Neither the database nor the broker is checked, which processes have in common: see `/health`.',
  addition: true,
  acceptsAnyVersion: true,
  rateLimit: 'none',
  untagged: untagged.momentary,
  replies: { 200: readiness(true), 503: readiness(false) },
  handle(_server, call) {
    const ready = !(call instanceof Exchange && call.context.isStopping);
    return new Reply(jsonFor('api', { ready }), jsonContentType, ready ? 200 : 503, { 'Cache-Control': 'no-store' });
  },
};
