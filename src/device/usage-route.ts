import type { QuotaName, QuotaUsage } from '../core/quotas.ts';
import { quotaNames, quotas } from '../core/quotas.ts';
import type { DeviceScope } from '../db/scope.ts';
import { Type } from '../engine/json-schema.ts';
import type { DeviceRoute } from '../engine/route.ts';

const usage = (description: string) =>
  Type.Object({ used: Type.Integer(), limit: Type.Integer() }, { additionalProperties: false, description });

/** `GET /api/usage`: what the account uses of its quotas. */
export const usageRoute = (
  read: (scope: DeviceScope) => Promise<Readonly<Record<QuotaName, QuotaUsage>>>,
): DeviceRoute => ({
  access: 'token',
  tag: 'device',
  method: 'GET',
  path: '/api/usage',
  addition: true,
  summary: 'Show what the account stores and does, and how much of it is allowed',
  replies: {
    200: Type.Object(Object.fromEntries(quotaNames.map((name) => [name, usage(quotas[name].description)])), {
      additionalProperties: false,
      title: 'Usage',
    }),
  },
  handle: (scope) => read(scope),
});
