import { isObject } from '../../core/json.ts';
import type { JsonSchema } from '../../engine/json-schema.ts';
import { Type } from '../../engine/json-schema.ts';
import { idSchema, timeSchema } from '../../engine/kinds.ts';
import { type RobotStatus, robotStatusOf } from './status-message.ts';

const nullable = { text: Type.Nullable(Type.String()), number: Type.Nullable(Type.Number()) } as const;

/** The schema of a {@link RobotStatus} and its time of receipt. */
export const robotStatusSchema: JsonSchema = Type.Object(
  {
    received_at: timeSchema,
    position: Type.Object(
      { x: nullable.number, y: nullable.number, z: nullable.number },
      { description: 'In millimeters.' },
    ),
    busy: Type.Nullable(Type.Boolean()),
    locked: Type.Nullable(Type.Boolean({ description: 'After an emergency stop.' })),
    sync_status: nullable.text,
    pins: Type.Record(Type.Object({ mode: nullable.number, value: nullable.number }), {
      description: 'The pins that were read or written, by number.',
    }),
    controller_version: nullable.text,
    firmware_version: nullable.text,
    update_available: Type.Nullable(Type.Boolean()),
    target: nullable.text,
    soc_temp: Type.Nullable(Type.Number({ description: 'In °C.' })),
    wifi_level_percent: nullable.number,
    uptime: Type.Nullable(Type.Number({ description: 'In seconds.' })),
    running: Type.Nullable(
      Type.Array(
        Type.Object({
          sequence_id: idSchema,
          step: Type.Integer({ minimum: 1, description: 'The number of the running step, from 1.' }),
          steps: Type.Integer({ minimum: 1, description: 'How many steps the sequence has.' }),
        }),
        {
          description:
            'The stored sequences that it runs, the outermost first; each one runs the next. Only virtual robots report it: null for the others.',
        },
      ),
    ),
    jobs: Type.Record(Type.Object({ status: nullable.text, percent: nullable.number }), {
      description: 'Work that it reports, by name: updates, uploads, and what scripts set.',
    }),
  },
  {
    $id: 'RobotStatus',
    description: 'The last status of the robot. Values that it did not send are null.',
    examples: [
      {
        received_at: '2026-04-01T08:00:00.000Z',
        position: { x: 100, y: 200, z: 0 },
        busy: false,
        locked: false,
        sync_status: 'synced',
        pins: { 8: { mode: 0, value: 0 } },
        controller_version: '15.4.11',
        firmware_version: '6.6.20.R.genesisK17',
        update_available: false,
        target: 'rpi3',
        soc_temp: 42,
        wifi_level_percent: 80,
        uptime: 3600,
        running: [{ sequence_id: 7, step: 2, steps: 5 }],
        jobs: { Watering: { status: 'Working', percent: 40 } },
      },
    ],
  },
);

/** Parses a status message. Returns null for anything but a JSON object. [rule R12] */
export function parseRobotStatus(payload: Buffer): RobotStatus | null {
  let message: unknown;
  try {
    message = JSON.parse(payload.toString('utf8'));
  } catch {
    return null;
  }
  return isObject(message) ? robotStatusOf(message) : null;
}
