import { isObject, objectOf } from '../../core/json.ts';

/** Pins of a status that are kept. A robot has 70. */
const maxPins = 100;
/** Sequences that run each other, of a status. */
const maxRunning = 20;
/** Jobs of a status that are kept. */
const maxJobs = 100;
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
  /** Its positions in the stored sequences that it runs, the outermost first. */
  readonly running: RunningSequence[] | null;
  /** Work that it reports, by name. */
  readonly jobs: Readonly<Record<string, { readonly status: string | null; readonly percent: number | null }>>;
}

/** A step of a stored sequence that the robot runs. */
export interface RunningSequence {
  readonly sequence_id: number;
  /** From 1. */
  readonly step: number;
  readonly steps: number;
}

const numberOf = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null;
const booleanOf = (value: unknown): boolean | null => (typeof value === 'boolean' ? value : null);
/** Halves of characters become U+FFFD, as by `toWellFormed`, which older browsers do not have. */
const textOf = (value: unknown): string | null =>
  typeof value === 'string' ? value.slice(0, maxTextLength).replace(/\p{Surrogate}/gu, '\ufffd') : null;

const countOf = (value: unknown): number => (Number.isSafeInteger(value) && Number(value) > 0 ? Number(value) : 0);

/** Returns the running sequences in a status, if every part of it is valid. */
function runningOf(value: unknown): RunningSequence[] | null {
  if (!Array.isArray(value) || value.length > maxRunning) return null;
  const positions = value.map((each) => {
    const { sequence_id, step, steps } = objectOf(each);
    return { sequence_id: countOf(sequence_id), step: countOf(step), steps: countOf(steps) };
  });
  return positions.every(({ sequence_id, step, steps }) => sequence_id > 0 && step > 0 && steps >= step)
    ? positions
    : null;
}

/** Returns the values of a parsed status message. The console reads messages with it, too. */
export function robotStatusOf(message: Readonly<Record<string, unknown>>): RobotStatus {
  const position = objectOf(objectOf(message.location_data).position);
  const settings = objectOf(message.informational_settings);
  const jobs = Object.entries(objectOf(message.jobs)).filter(([, job]) => isObject(job));
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
    running: runningOf(message.running),
    jobs: Object.fromEntries(
      jobs.slice(0, maxJobs).map(([name, job]) => {
        const { status, unit, percent } = objectOf(job);
        return [textOf(name) ?? '', { status: textOf(status), percent: unit === 'percent' ? numberOf(percent) : null }];
      }),
    ),
  };
}
