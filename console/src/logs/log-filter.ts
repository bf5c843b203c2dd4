import { epochSeconds } from '../../../src/core/time-formats.ts';
import type { components } from '../data/generated/api.ts';
import { plain } from '../ui/letters.ts';

type Log = components['schemas']['Log'];
export type LogKind = Log['type'];

/** THE list of kinds, the most urgent first. */
export const logKinds = [
  'error',
  'warn',
  'assertion',
  'success',
  'busy',
  'info',
  'fun',
  'debug',
] as const satisfies readonly LogKind[];

const hour = 3_600_000;
/** The shown time spans, in ms, by receipt. */
const logSpans = { hour, day: 24 * hour, week: 168 * hour } as const;
export type LogSpan = keyof typeof logSpans;
export const logSpanNames = Object.keys(logSpans) as readonly LogSpan[];

/** A log as the page shows it. */
export interface LogEntry {
  /** The same for as long as it is shown. */
  readonly key: string;
  /** When the robot says that it was, in ms since the epoch. */
  readonly at: number;
  /** When the server received it, in ms since the epoch: the clock of the robot may be wrong. */
  readonly receivedAt: number;
  readonly kind: LogKind;
  readonly message: string;
  readonly verbosity: number;
  readonly position: readonly [x: number | null, y: number | null, z: number | null];
  readonly channels: readonly string[];
  /** Of the robot's software; empty where it is unknown. */
  readonly version: string;
}

/** The filters of the logs. Undefined: all. */
export interface LogFilter {
  readonly kinds?: string | undefined;
  readonly level?: number | undefined;
  readonly text?: string | undefined;
  readonly span?: LogSpan | undefined;
}

const numberOf = (value: unknown): number | null => (typeof value === 'number' ? value : null);

/** Reads a stored log, or one that the robot has just sent; null if it is none. */
export function logEntryOf(log: Readonly<Record<string, unknown>>, key: string): LogEntry | null {
  const { message, type, created_at: at, updated_at: received, x, y, z, verbosity, channels } = log;
  if (typeof message !== 'string') return null;
  const version = [log.major_version, log.minor_version, log.patch_version];
  return {
    key,
    at: (epochSeconds(at) ?? Date.now() / 1000) * 1000,
    receivedAt: typeof received === 'string' ? Date.parse(received) : Date.now(),
    kind: logKinds.find((kind) => kind === type) ?? 'info',
    message,
    verbosity: numberOf(verbosity) ?? 1,
    position: [numberOf(x), numberOf(y), numberOf(z)],
    channels: Array.isArray(channels) ? channels.filter((channel) => typeof channel === 'string') : [],
    version: version.every((part) => typeof part === 'number') ? version.join('.') : '',
  };
}

/** Returns the logs that a filter shows; `now` in ms. */
export function filteredLogs(
  logs: readonly LogEntry[],
  { kinds, level, text, span }: LogFilter,
  now: number,
): readonly LogEntry[] {
  const shownKinds = kinds ? kinds.split(',') : undefined;
  const wanted = plain(text ?? '');
  const since = span ? now - logSpans[span] : Number.NEGATIVE_INFINITY;
  return logs.filter(
    ({ kind, message, verbosity, receivedAt }) =>
      (shownKinds?.includes(kind) ?? true) &&
      (level === undefined || verbosity <= level) &&
      plain(message).includes(wanted) &&
      receivedAt >= since,
  );
}

const identityOf = ({ at, kind, message, position }: LogEntry): string => JSON.stringify([at, kind, message, position]);

/** Adds logs that arrived live and are not stored yet to the stored ones; the newest first. */
export function withLive(stored: readonly LogEntry[], live: readonly LogEntry[]): readonly LogEntry[] {
  const known = new Set(stored.map(identityOf));
  return [...live.filter((log) => !known.has(identityOf(log))), ...stored];
}

/** Returns logs with the entries that are known by their keys instead of new ones. */
export function withKnown(logs: readonly LogEntry[], before: readonly LogEntry[] = []): readonly LogEntry[] {
  const known = new Map(before.map((log) => [log.key, log]));
  return logs.map((log) => known.get(log.key) ?? log);
}
