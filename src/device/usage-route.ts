import { quotaNames, quotas } from '../core/quotas.ts';
import { Type } from '../engine/json-schema.ts';
import type { DeviceRoute } from '../engine/route.ts';
import type { Quotas } from '../quotas/quotas.ts';

const usage = (description: string) => Type.Object({ used: Type.Integer(), limit: Type.Integer() }, { description });

/** Each quota with its usage. */
export const usageSchema = Type.Object(
  Object.fromEntries(quotaNames.map((name) => [name, usage(quotas[name].description)])),
  { $id: 'Usage' },
);

/** `GET /api/usage`: the account's usage of its quotas. */
export const usageRoute = (meters: Quotas): DeviceRoute => ({
  access: 'token',
  tag: 'Account',
  method: 'GET',
  path: '/api/usage',
  addition: true,
  summary: 'Show what the account stores and does, and how much of it is allowed',
  description: 'Returns each quota with what is used of it. Requests beyond a quota get 422 or 507.',
  replies: { 200: usageSchema },
  handle: (scope) => meters.usage(scope),
});
