/** First level of the devices' topics. */
export const topicRoot = 'bot';

/** Topic that every client may read. [rule M6] */
export const publicTopic = 'public_broadcast';

/** First level of the topics on which demo accounts are handed out, `demos/<secret>`. [rule M7] */
export const demoRoot = 'demos';

/** The channels below `bot/device_<id>/`; messages on `ingested` ones are stored by the server. [rule M5, M19, M22] */
export const channels = {
  from_api: 'relayed',
  from_clients: 'relayed',
  from_device: 'relayed',
  terminal_output: 'relayed',
  terminal_input: 'relayed',
  logs: 'ingested',
  ping: 'relayed',
  pong: 'relayed',
  status: 'relayed',
  sync: 'relayed',
  telemetry: 'ingested',
} as const;

/** A channel whose messages the server stores. */
export type IngestedChannel = {
  [K in keyof typeof channels]: (typeof channels)[K] extends 'ingested' ? K : never;
}[keyof typeof channels];

const isIngested = (name: string): name is IngestedChannel =>
  Object.entries(channels).some(([key, kind]) => key === name && kind === 'ingested');

/** The channels whose messages the server stores. */
export const ingestedChannels: readonly IngestedChannel[] = Object.keys(channels).filter(isIngested);

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

/** Converts an MQTT topic or filter to AMQP notation: `/` and `.` are swapped, `+` becomes `*`. [rule M16] */
export const routingKeyOf = (topic: string): string =>
  topic.replace(/[/.+]/g, (sign) => (sign === '+' ? '*' : swap(sign)));

/** Converts a routing key to the MQTT topic. [rule M16] */
export const topicOfRoutingKey = (key: string): string => key.replace(/[/.]/g, swap);

const swap = (sign: string): string => (sign === '/' ? '.' : '/');
