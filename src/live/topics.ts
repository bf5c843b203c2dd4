import type { Scope } from '../engine/tags.ts';

/** First level of the devices' topics. */
export const topicRoot = 'bot';

/** Topic that every client may read. [rule M6] */
export const publicTopic = 'public_broadcast';

/** First level of the topics on which the sessions of demo accounts are published, `demos/<secret>`. [rule M7] */
export const demoRoot = 'demos';

/** The needs of a client to use a channel. */
interface Channel {
  /** `ingested`: the server stores its messages. */
  readonly kind: 'relayed' | 'ingested';
  /** The last message that a client sends with the retain flag is kept for later subscribers. Elsewhere it would be a command that runs again. [decision 71] */
  readonly isRetained?: true;
  /** One of these scopes is needed to subscribe. Announcements on `sync` need their resource's scope. */
  readonly read: readonly Scope[];
  readonly write: readonly Scope[];
}

/** Commands to the robot, and its answers. */
const ofRobot = { kind: 'relayed', read: ['read', 'control'], write: ['control'] } as const;

/** THE table of the channels below `bot/device_<id>/`, with the scopes of personal tokens; viewers may only read. [rule M5, M19, M22, ADR 49] */
export const channels = {
  from_api: ofRobot,
  from_clients: ofRobot,
  from_device: ofRobot,
  terminal_output: { kind: 'relayed', read: ['control'], write: ['control'] },
  terminal_input: { kind: 'relayed', read: ['control'], write: ['control'] },
  logs: { kind: 'ingested', read: ['read', 'logs'], write: ['logs'] },
  ping: ofRobot,
  pong: ofRobot,
  status: { ...ofRobot, isRetained: true },
  sync: { kind: 'relayed', read: [], write: ['control'] },
  telemetry: { kind: 'ingested', read: ['read', 'garden'], write: ['garden'] },
} as const satisfies Record<string, Channel>;

export type ChannelName = keyof typeof channels;

export const channelNames = Object.keys(channels) as readonly ChannelName[];

/** The channels whose messages are retained. */
export const retainedChannels: ReadonlySet<string> = new Set(
  channelNames.filter((name) => 'isRetained' in channels[name]),
);

/** A channel whose messages the server stores. */
export type IngestedChannel = {
  [K in keyof typeof channels]: (typeof channels)[K]['kind'] extends 'ingested' ? K : never;
}[keyof typeof channels];

const isIngested = (name: string): name is IngestedChannel =>
  Object.entries(channels).some(([key, { kind }]) => key === name && kind === 'ingested');

/** The channels whose messages the server stores. */
export const ingestedChannels: readonly IngestedChannel[] = Object.keys(channels).filter(isIngested);

/** The channels whose messages the server observes: the ones on which robots publish, and requests to robots. */
const observedChannels = [
  'from_device',
  'status',
  'logs',
  'telemetry',
  'pong',
  'from_clients',
] as const satisfies readonly (keyof typeof channels)[];

/** A channel whose messages the server observes. */
export type ObservedChannel = (typeof observedChannels)[number];

/** The observed channels as AMQP bindings; `pong` has the name of the ping as another level. */
export const observedKeys: readonly string[] = observedChannels.map(
  (channel) => `${topicRoot}.*.${channel}${channel === 'pong' ? '.#' : ''}`,
);

/** Returns the username of a device, as in tokens and topics. */
export const deviceUsername = (deviceId: number): string => `device_${deviceId}`;

/** Returns the device with a username, exactly `device_<id>`; null for all other names. */
export function deviceIdOf(username: string): number | null {
  const digits = /^device_([1-9]\d{0,15})$/.exec(username)?.[1];
  const id = Number(digits);
  return digits !== undefined && Number.isSafeInteger(id) ? id : null;
}

/** Returns a topic of a device in MQTT notation, `bot/device_5/sync/Point/7`. */
export const deviceTopic = (deviceId: number, ...levels: readonly (string | number)[]): string =>
  `${topicRoot}/${deviceUsername(deviceId)}/${levels.join('/')}`;

const ingestedTopic = new RegExp(`^${topicRoot}/(device_\\d+)/(${ingestedChannels.join('|')})$`);

/** Returns the device and the channel of a topic (MQTT notation) whose messages are stored; null for other topics, deeper ones included. [rule M19, M22] */
export function parseIngestedTopic(
  topic: string,
): { readonly deviceId: number; readonly channel: IngestedChannel } | null {
  const [, username = '', channel = ''] = ingestedTopic.exec(topic) ?? [];
  const deviceId = deviceIdOf(username);
  return deviceId !== null && isIngested(channel) ? { deviceId, channel } : null;
}

const observedTopic = new RegExp(
  `^${topicRoot}/(device_\\d+)/(?:(${observedChannels.filter((each) => each !== 'pong').join('|')})|pong/.*)$`,
);

const isObserved = (name: string): name is ObservedChannel => observedChannels.some((each) => each === name);

/** Returns the device and the channel of a topic (MQTT notation) that the server observes; null for other topics. */
export function parseObservedTopic(
  topic: string,
): { readonly deviceId: number; readonly channel: ObservedChannel } | null {
  const [, username = '', channel = 'pong'] = observedTopic.exec(topic) ?? [];
  const deviceId = deviceIdOf(username);
  return deviceId !== null && isObserved(channel) ? { deviceId, channel } : null;
}

/** Whether a client id belongs to a device's robot, `device_5_15.4.11`. [rule R2] */
export const isRobotClientId = (deviceId: number, clientId: string | null): boolean =>
  clientId?.startsWith(`${deviceUsername(deviceId)}_`) === true && /_\d+\.\d+\.\d+/.test(clientId);

/** Converts an MQTT topic or filter to AMQP notation: `/` and `.` are swapped, `+` becomes `*`. [rule M16] */
export const routingKeyOf = (topic: string): string =>
  topic.replace(/[/.+]/g, (sign) => (sign === '+' ? '*' : swap(sign)));

/** Converts a routing key to the MQTT topic. [rule M16] */
export const topicOfRoutingKey = (key: string): string => key.replace(/[/.]/g, swap);

const swap = (sign: string): string => (sign === '/' ? '.' : '/');
