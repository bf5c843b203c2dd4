import { isObject } from '../../core/json.ts';

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

const objectOf = (value: unknown): Readonly<Record<string, unknown>> => (isObject(value) ? value : {});
const numberOf = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null;
const booleanOf = (value: unknown): boolean | null => (typeof value === 'boolean' ? value : null);
const textOf = (value: unknown): string | null =>
  typeof value === 'string' ? value.slice(0, maxTextLength).toWellFormed() : null;

/** Returns the values of a parsed status message. The console reads messages with it, too. */
export function robotStatusOf(message: Readonly<Record<string, unknown>>): RobotStatus {
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
