import type { Change } from '../core/changes.ts';

/** A comment, which keeps proxies and clients from closing a silent connection. An empty line after it would be an event without data for some clients. */
export const comment = ':\n';

/** Returns a change as an event of the stream. */
export const changeEvent = ({ id, action, resource, recordId, after, label, actor, at }: Change): string =>
  `id: ${id}\nevent: ${resource}\ndata: {"action":"${action}","resource":"${resource}","id":${recordId},"record":${after ?? 'null'},"label":${JSON.stringify(label)},"actor":${JSON.stringify(actor)},"at":"${at}"}\n\n`;

/** Returns the event after which the client must read everything again; the stream continues after the change `id`. */
export const resetEvent = (id: number): string => `id: ${id}\nevent: reset\ndata: {}\n\n`;

/** Returns the event at which a stream begins, so that the client can resume before the first change. Some clients ignore ids without data. */
export const startEvent = (id: number): string => `id: ${id}\nevent: start\ndata: {}\n\n`;

/** Returns JSON as an event without an id: the position in the log stays. */
export const jsonEvent = (name: string, json: string): string => `event: ${name}\ndata: ${json}\n\n`;

/** Returns a message of the robot as an event; null if it is not JSON. */
export function messageEvent(channel: string, payload: Buffer): string | null {
  try {
    return jsonEvent(channel, JSON.stringify(JSON.parse(payload.toString('utf8'))));
  } catch {
    return null;
  }
}
