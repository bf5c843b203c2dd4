import { isObject, listOf, objectOf } from '../core/json.ts';
import type { RobotMessage } from '../live/offer.ts';

/** The content of a message for webhooks. */
export type Said =
  /** Whether the robot is locked, as it is after an emergency stop. */
  | { readonly kind: 'locked'; readonly locked: boolean }
  | { readonly kind: 'error_log'; readonly message: string }
  /** A client asks the robot to run sequences. */
  | { readonly kind: 'execute'; readonly label: string; readonly sequenceIds: readonly number[] }
  | {
      readonly kind: 'reply';
      readonly label: string;
      readonly result: 'ok' | 'error';
      readonly message: string | null;
    };

/** Larger messages are not read, in bytes. */
const maxSize = 100_000;
/** In characters. */
const maxText = 10_000;
const maxLabel = 200;

function parse(payload: Buffer): Readonly<Record<string, unknown>> | null {
  if (payload.length > maxSize) return null;
  try {
    const message: unknown = JSON.parse(payload.toString('utf8'));
    return isObject(message) ? message : null;
  } catch {
    return null;
  }
}

const textOf = (value: unknown): string | null =>
  typeof value === 'string' ? value.slice(0, maxText).replaceAll('\0', '').toWellFormed() : null;

/** Returns the content of a message; null if there is nothing to report. */
export function said({ channel, payload }: RobotMessage): Said | null {
  if (!['status', 'logs', 'from_clients', 'from_device'].includes(channel)) return null;
  const message = parse(payload);
  if (!message) return null;
  if (channel === 'status') {
    const { locked } = objectOf(message.informational_settings);
    return typeof locked === 'boolean' ? { kind: 'locked', locked } : null;
  }
  if (channel === 'logs') {
    const text = textOf(message.message);
    return message.type === 'error' && text !== null ? { kind: 'error_log', message: text } : null;
  }
  const { label } = objectOf(message.args);
  if (typeof label !== 'string' || label.length > maxLabel) return null;
  if (message.kind === 'rpc_request' && channel === 'from_clients') {
    const steps = listOf(message.body).map(objectOf);
    const sequenceIds = steps.flatMap(({ kind, args }) => {
      const { sequence_id: id } = objectOf(args);
      return kind === 'execute' && typeof id === 'number' ? [id] : [];
    });
    return sequenceIds.length > 0 ? { kind: 'execute', label, sequenceIds } : null;
  }
  if (channel !== 'from_device' || (message.kind !== 'rpc_ok' && message.kind !== 'rpc_error')) return null;
  const [explanation] = listOf(message.body).map((node) => textOf(objectOf(objectOf(node).args).message));
  return { kind: 'reply', label, result: message.kind === 'rpc_ok' ? 'ok' : 'error', message: explanation ?? null };
}
