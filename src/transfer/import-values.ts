import type { Timestamp } from '../core/clock.ts';
import { timestamp } from '../core/clock.ts';
import type { FieldFailure } from '../core/errors.ts';
import { parseTime } from '../engine/kinds.ts';
import type { ImportRemarks } from './import-report.ts';

/** Escapes a key for a JSON pointer. */
export const escapeKey = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');

/** Returns the JSON pointer to an element of a list. */
export const elementPath = (key: string, index: number): string => `/${escapeKey(key)}/${index}`;

/** Joins the failures of a field into one message. */
export function failureMessage(failure: FieldFailure): string {
  if (typeof failure === 'string') return failure;
  const parts = Array.isArray(failure) ? failure.filter((part) => part !== null) : Object.values(failure);
  return [...new Set(parts.map(failureMessage))].slice(0, 5).join(' ');
}

/** The last second of the year 9999, since the epoch: databases store no later times. */
const maxEpochSeconds = 253_402_300_799;

/** Parses a creation time: ISO 8601, or seconds since the epoch. Returns null if it is missing or invalid. */
export function parseCreationTime(value: unknown): Timestamp | null {
  if (typeof value === 'string') return value.length <= 100 ? parseTime(value) : null;
  const isValid = typeof value === 'number' && value >= 0 && value <= maxEpochSeconds;
  return isValid ? timestamp(Math.trunc(value * 1000)) : null;
}

/** Returns the creation time of a record; null if it has none. Reports an invalid one. */
export function creationTime(
  { created_at: sent = null }: Readonly<Record<string, unknown>>,
  path: string,
  remarks: ImportRemarks,
): Timestamp | null {
  const time = parseCreationTime(sent);
  if (time === null && sent !== null)
    remarks.changed(`${path}/created_at`, 'This time is invalid: it was replaced by the current time.');
  return time;
}

const maxReportedKeys = 200;

/** Reports the unknown keys of an object. */
export function reportUnknownKeys(
  path: string,
  record: object,
  known: ReadonlySet<string>,
  remarks: ImportRemarks,
): void {
  for (const name of Object.keys(record).slice(0, maxReportedKeys))
    if (!known.has(name)) remarks.omitted(`${path}/${escapeKey(name)}`, 'This key is unknown.');
}
