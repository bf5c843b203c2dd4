import type { Packet } from 'mqtt-packet';
import { generate } from 'mqtt-packet';
import type { CloseReason } from './close-reasons.ts';
import type { ConnectResult } from './connack-codes.ts';

/** Reason codes. [MQTT 5, 2.4] */
export const reasonCodes = {
  noSubscription: 0x11,
  protocolError: 0x82,
  notAuthorized: 0x87,
  sharedSubscription: 0x9e,
} as const;

const noMethods = 'Enhanced authentication is not available.';

/** Why the server ends a connection of MQTT 5. */
export type Mqtt5End =
  | CloseReason
  | 'taken_over'
  | 'stopping'
  | 'topic_alias'
  | 'subscription_identifier'
  | 'unsupported_packet';

/** Codes and sentences of DISCONNECT; for other reasons it has {@link protocolError}. */
const ends: Partial<Record<Mqtt5End, readonly [code: number, sentence: string]>> = {
  too_large: [0x95, 'The packet is too large.'],
  too_many_filters: [0x97, 'The client has too many subscriptions.'],
  queue_full: [0x97, 'Too many messages wait for the client.'],
  refused_publish: [0x87, 'The client may not publish to this topic.'],
  keep_alive: [0x8d, 'The client sent nothing for one and a half times its keep-alive time.'],
  token_revoked: [0x87, 'The token has ended. Sign in again.'],
  token_expired: [0x87, 'The token has expired. Sign in again.'],
  taken_over: [0x8e, 'Another connection uses the same client id.'],
  stopping: [0x8b, 'The server is stopping. Connect again in a moment.'],
  topic_alias: [0x94, 'Topic aliases are not available.'],
  subscription_identifier: [0xa1, 'Subscription identifiers are not available.'],
  unsupported_packet: [0x82, noMethods],
};
const protocolError = [reasonCodes.protocolError, 'The packet does not follow MQTT 5.'] as const;

/** Codes and sentences of CONNACK, by the codes of MQTT 3.1.1. */
const rejections: Record<Exclude<ConnectResult, 'none'> | 'method', readonly [code: number, sentence: string]> = {
  method: [0x8c, noMethods],
  2: [0x85, 'The client id is too long.'],
  4: [0x86, 'The password is not a valid session token.'],
  5: [0x87, 'The username and the password do not belong together, or the client signed in too often.'],
};

export const encode = (packet: Packet): Buffer => generate(packet, { protocolVersion: 5 });

/** Returns the CONNACK of a rejected client, by its code in MQTT 3.1.1, or for an authentication method. */
export function encodeRejection(returnCode: number | 'method'): Buffer {
  const [reasonCode, reasonString] = rejections[returnCode as keyof typeof rejections] ?? protocolError;
  return encode({ cmd: 'connack', reasonCode, sessionPresent: false, properties: { reasonString } });
}

export function encodeDisconnect(reason: Mqtt5End): Buffer {
  const [reasonCode, reasonString] = ends[reason] ?? protocolError;
  return encode({ cmd: 'disconnect', reasonCode, properties: { reasonString } });
}

/** Splits bytes into packets whose remaining length has one or two bytes, as the server's answers. Returns the rest last. */
export function splitAnswers(bytes: Buffer): { readonly packets: Buffer[]; readonly rest: Buffer } {
  const packets: Buffer[] = [];
  let start = 0;
  for (;;) {
    const [low, high] = [bytes[start + 1], bytes[start + 2]];
    if (low === undefined || (low >= 0x80 && high === undefined)) break;
    const length = low < 0x80 ? 2 + low : 3 + (low & 0x7f) + 0x80 * (high ?? 0);
    if (start + length > bytes.length) break;
    packets.push(bytes.subarray(start, start + length));
    start += length;
  }
  return { packets, rest: bytes.subarray(start) };
}
