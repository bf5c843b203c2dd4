import { channelNames, demoRoot, deviceIdOf, deviceUsername, publicTopic, routingKeyOf, topicRoot } from './topics.ts';

/** Maximum size of a routing key in AMQP, in bytes. */
const maxKeySize = 255;

const publicKeys: ReadonlySet<string> = new Set([publicTopic, `${publicTopic}.*`, `${publicTopic}.#`]);

/** Matches a device's keys. `$` without the flag `m` does not match before a final line break. */
const deviceKey = new RegExp(`^${topicRoot}\\.device_(\\d+)\\.(?:${channelNames.join('|')}|#|\\*)(?:\\.|$)`);

/** The username of visitors who wait for a demo account. [rule M2] */
export const demoName = 'farmbot_demo';

/** The permission for a topic. With `staffDeviceId`, `verdict` holds only while a staff token for that device is valid; otherwise the topic is denied. */
export interface TopicPermission {
  readonly verdict: 'allow' | 'deny' | 'malformed';
  readonly staffDeviceId?: number;
}

const allow: TopicPermission = { verdict: 'allow' };
const deny: TopicPermission = { verdict: 'deny' };
const malformed: TopicPermission = { verdict: 'malformed' };

const isTooLong = (routingKey: string): boolean => Buffer.byteLength(routingKey) > maxKeySize;

const isTerminalInput = (routingKey: string): boolean => routingKey.includes('.terminal_input');

/** Whether the permission for a topic depends on the operation. [rule M12] */
export const dependsOnOperation = (username: string, routingKey: string): boolean =>
  publicKeys.has(routingKey) || username === demoName || isTerminalInput(routingKey);

/** Returns whether a user other than `admin` may `read` or `write` a topic in AMQP notation. [rule M5, M6, M7, M8] */
export function topicPermission(username: string, operation: string, routingKey: string): TopicPermission {
  const isRead = operation === 'read';
  if (publicKeys.has(routingKey)) return isRead ? allow : deny;
  if (username === demoName) return isRead && isDemoKey(routingKey) ? allow : deny;
  const permission = devicePermission(username, routingKey);
  if (operation !== 'write' || !isTerminalInput(routingKey) || permission.verdict === 'deny') return permission;
  const digits = /^bot\.device_(\d{1,16})\./.exec(routingKey)?.[1];
  return digits === undefined ? deny : { ...permission, staffDeviceId: Number(digits) };
}

/** Returns a function that says whether a message on a topic (MQTT notation) may be delivered to a user other than `admin`, whatever it subscribed to. */
export function receivableTopics(username: string): (topic: string) => boolean {
  const own = username === demoName ? `${demoRoot}/` : `${topicRoot}/${username}/`;
  return (topic) => topic.startsWith(own) || topic === publicTopic || topic.startsWith(`${publicTopic}/`);
}

/** Whether a topic (MQTT notation) is below a device's own, on no channel of it. [rule M26] */
export const isUnknownChannel = (username: string, topic: string): boolean =>
  topic.startsWith(`${topicRoot}/${username}/`) &&
  devicePermission(username, routingKeyOf(topic)).verdict === 'malformed';

function devicePermission(username: string, routingKey: string): TopicPermission {
  if (isTooLong(routingKey)) return malformed;
  const digits = deviceKey.exec(routingKey)?.[1];
  if (digits === undefined) return malformed;
  const deviceId = deviceIdOf(username);
  // Compared as text: `device_05` is not device 5.
  return deviceId !== null && deviceUsername(deviceId) === `device_${digits}` ? allow : deny;
}

/** Whether a key is exactly `demos.<secret>`, without wildcards. */
function isDemoKey(routingKey: string): boolean {
  if (isTooLong(routingKey)) return false;
  const [root, secret = '', ...rest] = routingKey.split('.', 3);
  return root === demoRoot && secret !== '' && !/[*#]/.test(secret) && rest.length === 0;
}
