import { isObject } from '../../core/json.ts';
import type { JsonSchema } from '../../engine/json-schema.ts';
import { Type } from '../../engine/json-schema.ts';
import { timeSchema } from '../../engine/kinds.ts';

/** Pins of a status that are kept. A robot has 70. */
const maxPins = 100;
/** Maximum length of texts, in characters. */
const maxTextLength = 100;

/** The values of a status; null where the robot sent none of that type. */
export interface RobotStatus {
  readonly position: { readonly x: number | null; readonly y: number | null; readonly z: number | null };
  readonly busy: boolean | null;
  readonly locked: boolean | null;
  readonly sync_status: string | null;
  readonly pins: Readonly<Record<string, { readonly mode: number | null; readonly value: number | null }>>;
  readonly controller_version: string | null;
  readonly firmware_version: string | null;
  readonly update_available: boolean | null;
  readonly target: string | null;
  readonly soc_temp: number | null;
  readonly wifi_level_percent: number | null;
  readonly uptime: number | null;
}

const nullable = { text: Type.Nullable(Type.String()), number: Type.Nullable(Type.Number()) } as const;

/** The schema of a {@link RobotStatus} and when it was received. */
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
      },
    ],
  },
);

const objectOf = (value: unknown): Readonly<Record<string, unknown>> => (isObject(value) ? value : {});
const numberOf = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null;
const booleanOf = (value: unknown): boolean | null => (typeof value === 'boolean' ? value : null);
const textOf = (value: unknown): string | null =>
  typeof value === 'string' ? value.slice(0, maxTextLength).toWellFormed() : null;

/** Parses a status message. Returns null for anything but a JSON object. [rule R12] */
export function parseRobotStatus(payload: Buffer): RobotStatus | null {
  let message: unknown;
  try {
    message = JSON.parse(payload.toString('utf8'));
  } catch {
    return null;
  }
  if (!isObject(message)) return null;
  const position = objectOf(objectOf(message.location_data).position);
  const settings = objectOf(message.informational_settings);
  const pins = Object.entries(objectOf(message.pins)).filter(([name, pin]) => /^\d{1,3}$/.test(name) && isObject(pin));
  return {
    position: { x: numberOf(position.x), y: numberOf(position.y), z: numberOf(position.z) },
    busy: booleanOf(settings.busy),
    locked: booleanOf(settings.locked),
    sync_status: textOf(settings.sync_status),
    pins: Object.fromEntries(
      pins.slice(0, maxPins).map(([name, pin]) => {
        const { mode, value } = objectOf(pin);
        return [name, { mode: numberOf(mode), value: numberOf(value) }];
      }),
    ),
    controller_version: textOf(settings.controller_version),
    firmware_version: textOf(settings.firmware_version),
    update_available: booleanOf(settings.update_available),
    target: textOf(settings.target),
    soc_temp: numberOf(settings.soc_temp),
    wifi_level_percent: numberOf(settings.wifi_level_percent),
    uptime: numberOf(settings.uptime),
  };
}
