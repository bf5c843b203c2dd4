import { invalid } from '../core/errors.ts';
import { labels } from '../core/field-labels.ts';
import { languageOf } from '../core/languages.ts';
import { ownDevice } from '../device/devices.ts';
import { assertValid, parseBody } from '../engine/body.ts';
import { boolean, oneOf } from '../engine/fields.ts';
import { Type } from '../engine/json-schema.ts';
import { languageField } from '../engine/language-field.ts';
import { objectBody } from '../engine/resource-routes.ts';
import type { DeviceRoute } from '../engine/route.ts';
import { inputSchema, withExample } from '../engine/schemas.ts';
import type { JobQueue } from '../jobs/queue.ts';
import { say } from './messages.ts';
import { findSeedPlan, productOptions } from './product-lines.ts';
import { queueSeeding } from './seeding-jobs.ts';

const fields = {
  product_line: oneOf(...productOptions.map(({ line }) => line))
    .required()
    .describe('The robot; `none` creates nothing. Those with `stress` in their names are for demos only.')
    .label(labels.robot),
  demo: boolean().describe('Adds plants, photos and settings of a demo garden.'),
  past: boolean().describe(
    'Gives a demo garden a past: plants of different ages, a schedule with its logs, measured moisture, photos, weeds, notes and a plan. Not for stress tests.',
  ),
  language: languageField,
};

/** `POST /api/device/seed`: creates the garden of a product line, once. [rule S1, S2] */
export function seedingRoutes({ queue }: { readonly queue: JobQueue }): DeviceRoute[] {
  return [
    {
      access: 'token',
      tag: 'Device',
      method: 'POST',
      path: '/api/device/seed',
      // It creates programs, too.
      scope: 'account',
      summary: 'Create the garden of a product line',
      description:
        'Creates the tools, slots, pins, sequences and settings that belong to this model of the robot, in the background and once per account.',
      body: {
        rule: 'object',
        schema: withExample(inputSchema(fields, 'create', 'SeedingInput'), { product_line: 'genesis_1.8' }),
      },
      replies: { 200: Type.Object({ done: Type.String({ examples: [String(say.started)] }) }) },
      async handle(scope, call) {
        const parsed = parseBody(fields, objectBody(call), 'create');
        assertValid(parsed);
        const line = String(parsed.values.product_line);
        const isDemo = parsed.values.demo === true;
        const hasPast = parsed.values.past === true;
        const isStress = findSeedPlan(line)?.stressCount !== 0;
        if (!isDemo && isStress) throw invalid({ product_line: say.otherLine });
        if (hasPast && (!isDemo || isStress)) throw invalid({ past: say.noPast });
        const { account_seeded_at } = await ownDevice(scope);
        if (account_seeded_at !== null) return { done: say.seeded };
        const language = languageOf(parsed.values.language);
        await queueSeeding(scope, queue, { line, isDemo, hasPast, language });
        return { done: say.started };
      },
    },
  ];
}
