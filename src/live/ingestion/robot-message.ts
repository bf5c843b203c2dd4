import { isUtf8 } from 'node:buffer';
import { isObject } from '../../core/json.ts';
import type { Body } from '../../engine/body.ts';

/** Bytes of a message that is read. Robots send less than 1 KiB, and 32 KiB of message must fit even when all of it is escaped. */
export const longestMessage = 64 * 1024;

/** Why a message is not read at all; the words are those of the counters. */
export type Unreadable = 'too_long' | 'not_utf8' | 'not_json' | 'not_object';

/** The object that a robot sent, or why there is none. Never throws. [reference 13.1] */
export function readMessage(payload: Buffer): Body | Unreadable {
  if (payload.length > longestMessage) return 'too_long';
  if (!isUtf8(payload)) return 'not_utf8';
  let value: unknown;
  try {
    value = JSON.parse(payload.toString('utf8'));
  } catch {
    return 'not_json';
  }
  return isObject(value) ? value : 'not_object';
}

/** Robots older than this log what today's clients cannot show. [reference 13.1] */
const firstVersion = 7;

/** Whether a log is of a kind that is kept at all: the others go silently. [reference 13.1] */
export function isKeptLog({ major_version, type }: Body): boolean {
  if (type === undefined || type === null || type === 'fun' || type === 'debug') return false;
  const version = typeof major_version === 'string' ? Number.parseInt(major_version, 10) : major_version;
  return typeof version === 'number' && version >= firstVersion;
}

const measured = [
  'soc_temp',
  'throttled',
  'wifi_level_percent',
  'uptime',
  'memory_usage',
  'disk_usage',
  'cpu_usage',
  'target',
] as const;

/** A telemetry by the names of its fields; null for the other figures that robots send on the same channel. [reference 13.2] */
export function telemetryOf(message: Body): Body | null {
  if (message.telemetry_target === undefined || message.telemetry_target === null) return null;
  const body: Record<string, unknown> = {};
  for (const name of measured) {
    const value = message[`telemetry_${name}`];
    if (value !== undefined) body[name] = value;
  }
  return body;
}
