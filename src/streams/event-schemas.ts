import { capitalized } from '../core/capital-letters.ts';
import { changeExample, changeName, changesSchema } from '../engine/change-schemas.ts';
import type { JsonSchema } from '../engine/json-schema.ts';
import { Type, unionOf } from '../engine/json-schema.ts';
import type { LiveChannel } from './event-stream.ts';

const open = { additionalProperties: true };
const number = Type.Optional(Type.Nullable(Type.Number()));
const text = Type.Optional(Type.Nullable(Type.String()));
const truth = Type.Optional(Type.Nullable(Type.Boolean()));

/** Messages of robots, which have further fields: the server passes them on as they are. */
const messages: Readonly<Record<LiveChannel, JsonSchema>> = {
  status: Type.Object(
    {
      location_data: Type.Optional(
        Type.Object({ position: Type.Optional(Type.Object({ x: number, y: number, z: number }, open)) }, open),
      ),
      pins: Type.Optional(Type.Record(Type.Object({ mode: number, value: number }, open))),
      informational_settings: Type.Optional(
        Type.Object(
          {
            ...{ busy: truth, locked: truth, sync_status: text, update_available: truth, target: text, uptime: number },
            ...{ controller_version: text, firmware_version: text, soc_temp: number, wifi_level_percent: number },
          },
          open,
        ),
      ),
      jobs: Type.Optional(Type.Record(Type.Object({ status: text, unit: text, percent: number }, open))),
      running: Type.Optional(
        Type.Array(Type.Object({ sequence_id: Type.Integer(), step: Type.Integer(), steps: Type.Integer() }, open), {
          description:
            'The stored sequences that it runs, the outermost first, with their running steps. Only virtual robots report it.',
        }),
      ),
    },
    open,
  ),
  logs: Type.Object(
    {
      ...{ message: text, type: text, verbosity: number, x: number, y: number, z: number, created_at: number },
      channels: Type.Optional(Type.Nullable(Type.Array(Type.String()))),
    },
    open,
  ),
  telemetry: Type.Object(
    {
      ...{ telemetry_soc_temp: number, telemetry_wifi_level_percent: number, telemetry_uptime: number },
      ...{ telemetry_memory_usage: number, telemetry_disk_usage: number, telemetry_cpu_usage: number },
    },
    open,
  ),
};

const event = ($id: string, name: string, data: JsonSchema) => ({
  ...Type.Object({
    event: Type.Literal(name),
    id: Type.String({ description: 'The id of the event, or of the last one that had one.' }),
    data,
  }),
  $id,
});

/** Returns the JSON Schema of the events of a stream, with their data as it is parsed. `resources`: names in the log. */
export function eventSchema(resources: readonly string[]): JsonSchema {
  const changes = changesSchema(resources);
  const union = unionOf(
    'event',
    [
      ...resources.map((name) => event(`${name}Event`, name, Type.Ref(changeName(name)))),
      ...Object.entries(messages).map(([name, data]) => event(`Robot${capitalized(name)}Event`, name, data)),
      event('StartEvent', 'start', Type.Object({})),
      event('ResetEvent', 'reset', Type.Object({})),
    ],
    {
      $id: 'GardenEvent',
      description: 'An event of the stream: a change, a message of the robot, `start` or `reset`. `data` is JSON.',
      examples: [{ event: 'Point', id: '41', data: changeExample }],
    },
  );
  return { ...union, $defs: { ...(union.$defs as object), RecordChange: changes } };
}
