import { invalid } from '../core/errors.ts';
import { ownDevice } from '../device/devices.ts';
import { assertValid, parseBody } from '../engine/body.ts';
import { boolean, oneOf } from '../engine/fields.ts';
import { Type } from '../engine/json-schema.ts';
import { objectBody } from '../engine/resource-routes.ts';
import type { DeviceRoute } from '../engine/route.ts';
import { inputSchema } from '../engine/schemas.ts';
import type { JobQueue } from '../jobs/queue.ts';
import { findSeedPlan, productOptions } from './product-lines.ts';
import { queueSeeding } from './seeding-jobs.ts';

const fields = {
  product_line: oneOf(...productOptions.map(({ line }) => line))
    .required()
    .describe('The robot; `none` creates nothing. Those with `stress` in their names are for demos only.'),
  demo: boolean().describe('Adds plants, photos and settings of a demo garden.'),
};

/** `POST /api/device/seed`: creates the garden of a product line, once. [rule S1, S2] */
export function seedingRoutes({ queue }: { readonly queue: JobQueue }): DeviceRoute[] {
  return [
    {
      access: 'token',
      tag: 'device',
      method: 'POST',
      path: '/api/device/seed',
      summary: 'Create the garden of a product line',
      body: { rule: 'object', schema: inputSchema(fields, 'create', 'Seeding') },
      replies: { 200: Type.Object({ done: Type.String() }, { additionalProperties: false }) },
      async handle(scope, call) {
        const parsed = parseBody(fields, objectBody(call), 'create');
        assertValid(parsed);
        const line = String(parsed.values.product_line);
        const isDemo = parsed.values.demo === true;
        if (!isDemo && findSeedPlan(line)?.stressCount !== 0)
          throw invalid({ product_line: 'Product Line must be another one, unless this is a demo.' });
        const { account_seeded_at } = await ownDevice(scope);
        if (account_seeded_at !== null) return { done: 'This account already has a garden.' };
        await queueSeeding(scope, queue, { line, isDemo });
        return { done: 'Your garden is being created.' };
      },
    },
  ];
}
