import { channels, deviceIdOf, deviceTopic, topicRoot } from '../../src/live/topics.ts';
import type { components } from '../generated/api.ts';
import type { SyncedResource } from '../generated/resources.ts';
import type { UserSession } from './session.ts';

export type { SyncedResource };

/** The channels of a device. */
export type Channel = keyof typeof channels;

type Schemas = components['schemas'];

/** A record as the API returns it. */
export type SyncedRecord<R extends SyncedResource> = R extends keyof Schemas ? Schemas[R] : unknown;

/** A change of a record; `body` is null after its deletion. `label` is the id of the request that changed it. */
export type SyncMessage = {
  [R in SyncedResource]: {
    readonly channel: 'sync';
    readonly deviceId: number;
    readonly resource: R;
    readonly id: number;
    readonly label: string;
    readonly body: SyncedRecord<R> | null;
  };
}[SyncedResource];

/** A command to the robot. */
export interface RequestMessage {
  readonly channel: 'from_clients';
  readonly deviceId: number;
  readonly body: Schemas['RpcRequest'];
}

/** The robot's response to the command with the same label. */
export interface ResponseMessage {
  readonly channel: 'from_device';
  readonly deviceId: number;
  readonly body: Schemas['RpcOk'] | Schemas['RpcError'];
}

/** A log of the robot, as it sends it. */
export interface LogMessage {
  readonly channel: 'logs';
  readonly deviceId: number;
  readonly body: Schemas['LogInput'];
}

/** A message on another channel: JSON, or text that is not. */
export interface OtherMessage {
  readonly channel: Exclude<Channel, 'sync' | 'from_clients' | 'from_device' | 'logs'>;
  readonly deviceId: number;
  /** The levels of the topic below the channel. */
  readonly levels: readonly string[];
  readonly body: unknown;
}

export type Message = SyncMessage | RequestMessage | ResponseMessage | LogMessage | OtherMessage;

/** Builds the topics of a device, and the filters to subscribe to. */
export const topics = {
  /** `bot/device_5/from_clients`. */
  channel: (deviceId: number, channel: Channel): string => deviceTopic(deviceId, channel),
  /** `bot/device_5/sync/Point/7`. */
  sync: (deviceId: number, resource: SyncedResource, id: number): string => deviceTopic(deviceId, 'sync', resource, id),
  /** `bot/device_5/sync/Point/+`, or `bot/device_5/sync/#` for all resources. */
  syncFilter: (deviceId: number, resource?: SyncedResource): string =>
    resource === undefined ? deviceTopic(deviceId, 'sync', '#') : deviceTopic(deviceId, 'sync', resource, '+'),
  /** `bot/device_5/#`. */
  filter: (deviceId: number): string => deviceTopic(deviceId, '#'),
} as const;

/** Returns a message with its type; null for topics of no device's channel, and for malformed changes, commands and logs. */
export function parseMessage(topic: string, payload: Uint8Array | string): Message | null;
export function parseMessage(topic: string, payload: Uint8Array | string): object | null {
  const [root, username = '', channel = '', ...levels] = topic.split('/');
  const deviceId = deviceIdOf(username);
  if (root !== topicRoot || deviceId === null || !Object.hasOwn(channels, channel)) return null;
  const content = parseContent(typeof payload === 'string' ? payload : new TextDecoder().decode(payload));
  if (channel === 'sync') {
    const [resource, id] = levels;
    const label = content?.args?.label;
    if (levels.length !== 2 || !/^\d+$/.test(id ?? '') || typeof label !== 'string') return null;
    return { channel, deviceId, resource, id: Number(id), label, body: content.body ?? null };
  }
  if (channel === 'from_clients' || channel === 'from_device')
    return typeof content?.kind === 'string' ? { channel, deviceId, body: content } : null;
  if (channel === 'logs') return typeof content?.message === 'string' ? { channel, deviceId, body: content } : null;
  return { channel, deviceId, levels, body: content };
}

/** The payload of a command on `from_clients`; the robot's response on `from_device` has the same label. */
export function command(label: string, steps: NonNullable<Schemas['RpcRequest']['body']>, priority = 600): string {
  const request: Schemas['RpcRequest'] = { kind: 'rpc_request', args: { label, priority }, body: steps };
  return JSON.stringify(request);
}

/** Returns the address of a session's message broker, and the values to sign in: `mqtt.connect(url, { username, password })`. */
export async function brokerOf(
  session: UserSession,
): Promise<{ readonly url: string; readonly username: string; readonly password: string; readonly deviceId: number }> {
  const { token, user } = await session.account();
  const { bot: username, mqtt_ws: url } = token.unencoded;
  return { url, username, password: token.encoded, deviceId: deviceIdOf(username) ?? user.device_id };
}

function parseContent(text: string) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
