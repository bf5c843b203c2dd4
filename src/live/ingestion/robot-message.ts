import { isUtf8 } from 'node:buffer';
import { isObject } from '../../core/json.ts';
import { epochSeconds } from '../../core/time-formats.ts';
import type { Body } from '../../engine/body.ts';

/** Maximum size of a message, in bytes. Robots send less than 1 KiB, and a text of 32 KiB must fit even when all of it is escaped. */
export const maxMessageSize = 64 * 1024;

/** The reason why a message is not parsed, as a reason for the counters. */
export type ParseProblem = 'too_long' | 'not_utf8' | 'not_json' | 'not_object';

/** Parses a robot's message, or returns the reason why it cannot be parsed. Never throws. [rule M19] */
export function parseMessage(payload: Buffer): Body | ParseProblem {
  if (payload.length > maxMessageSize) return 'too_long';
  if (!isUtf8(payload)) return 'not_utf8';
  let value: unknown;
  try {
    value = JSON.parse(payload.toString('utf8'));
  } catch {
    return 'not_json';
  }
  return isObject(value) ? value : 'not_object';
}

/** Lowest `major_version` of logs that are stored. [rule M20] */
const minMajorVersion = 7;

/** Whether a log is stored at all. [rule M20] */
export function isStorableLog({ major_version, type }: Body): boolean {
  if (type === undefined || type === null || type === 'fun' || type === 'debug') return false;
  const version = typeof major_version === 'string' ? Number.parseInt(major_version, 10) : major_version;
  return typeof version === 'number' && version >= minMajorVersion;
}

/** Returns a log with its time in seconds since the epoch; without the time if it is none, so that the log is not lost. [rule D18] */
export function withTime({ created_at, ...log }: Body): Body {
  const seconds = epochSeconds(created_at);
  return seconds === undefined ? log : { ...log, created_at: seconds };
}

const telemetryFields = [
  'soc_temp',
  'throttled',
  'wifi_level_percent',
  'uptime',
  'memory_usage',
  'disk_usage',
  'cpu_usage',
  'target',
] as const;

/** Returns a telemetry record by field names; null for other measurements on the same channel. [rule M23] */
export function telemetryOf(message: Body): Body | null {
  if (message.telemetry_target === undefined || message.telemetry_target === null) return null;
  const body: Record<string, unknown> = {};
  for (const name of telemetryFields) {
    const value = message[`telemetry_${name}`];
    if (value !== undefined) body[name] = value;
  }
  return body;
}
