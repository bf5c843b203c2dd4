import { capitalized } from '../core/capital-letters.ts';
import { changeExample, changesSchema } from '../engine/change-schemas.ts';
import type { JsonSchema, SchemaProperties } from '../engine/json-schema.ts';
import { Type, unionOf } from '../engine/json-schema.ts';
import { idSchema, timeSchema } from '../engine/kinds.ts';
import type { SentRequest } from '../engine/route.ts';
import type { RobotEvent } from './webhook-resource.ts';

/** What the report of each event of the robot contains besides its name and time. */
const robotDetails: Readonly<Record<RobotEvent, SchemaProperties>> = {
  connected: {},
  disconnected: {},
  emergency_stop: {},
  error_log: { message: Type.String() },
  sequence_finished: {
    sequence_ids: Type.Array(idSchema),
    label: Type.String({ description: 'Of the request to the robot.' }),
    result: Type.OneOf(['ok', 'error']),
    message: Type.Nullable(Type.String({ description: 'Why it failed.' })),
  },
};

const nameOf = (event: string): string => event.split('_').map(capitalized).join('');

const at = '2026-04-01T08:00:00.000Z';

const robotEventSchema = unionOf(
  'event',
  Object.entries(robotDetails).map(([event, details]) => ({
    ...Type.Object({ event: Type.Literal(event), at: timeSchema, ...details }),
    $id: `Robot${nameOf(event)}`,
  })),
  { $id: 'RobotEvent', description: 'Something that the robot did.', examples: [{ event: 'connected', at }] },
);

const headers = Type.Object({
  'webhook-id': Type.String({ description: 'The same for each attempt of a delivery.' }),
  'webhook-timestamp': Type.String({ description: 'Of the attempt, in seconds since the epoch.' }),
  'webhook-signature': Type.String({ description: 'By the rules of Standard Webhooks.' }),
});

const delivery = ($id: string, type: JsonSchema, data: JsonSchema, example: object): JsonSchema =>
  Type.Object({ type, timestamp: timeSchema, data }, { $id, examples: [{ ...example, timestamp: at }] });

/** Returns the requests that webhooks receive. `resources`: names in the log. */
export const deliveryRequests = (resources: readonly string[]): Readonly<Record<string, SentRequest>> => ({
  recordChanged: {
    headers,
    summary: 'A record was changed',
    description: 'Reports a change of a resource that the webhook names in `resources`.',
    body: delivery(
      'ChangeDelivery',
      Type.String({ pattern: '^\\w+\\.(created|updated|deleted)$', description: '`Point.updated`' }),
      changesSchema(resources),
      { type: 'Point.deleted', data: changeExample },
    ),
  },
  robotEvent: {
    headers,
    summary: 'The robot did something',
    description: 'Reports an event that the webhook names in `robot_events`.',
    body: delivery(
      'RobotDelivery',
      Type.OneOf(Object.keys(robotDetails).map((event) => `robot.${event}`)),
      robotEventSchema,
      { type: 'robot.connected', data: { event: 'connected', at } },
    ),
  },
  webhookTested: {
    headers,
    summary: 'A webhook is tested',
    description: 'Was requested with `POST /api/webhooks/{id}/test`.',
    body: delivery('TestDelivery', Type.Literal('test'), Type.Object({ webhook_id: idSchema }), {
      type: 'test',
      data: { webhook_id: 1 },
    }),
  },
  changesMissed: {
    headers,
    summary: 'Changes are missing',
    description: 'The change log no longer had all changes since the last delivery: read the garden again.',
    body: delivery('ResetDelivery', Type.Literal('reset'), Type.Object({}), { type: 'reset', data: {} }),
  },
});
