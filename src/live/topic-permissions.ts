import { deviceUsername } from './broker.ts';

/** Bytes of a routing key; AMQP has no longer ones. */
const longestKey = 255;

const everybodysKeys: ReadonlySet<string> = new Set(['public_broadcast', 'public_broadcast.*', 'public_broadcast.#']);

/** A device's topics. `$` without the flag `m` is the very end: a line break at the end does not pass. */
const deviceKey =
  /^bot\.device_(\d+)\.(?:from_api|from_clients|from_device|terminal_output|terminal_input|logs|ping|pong|status|sync|telemetry|#|\*)(?:\.|$)/;

/** The name under which anybody may wait for a demo account's session. [reference 12.2] */
export const demoName = 'farmbot_demo';

/** What may be done with a topic. With `staffOf`, `verdict` counts only while a token for staff of that device is valid; else it is a refusal. */
export interface TopicRuling {
  readonly verdict: 'allow' | 'deny' | 'malformed';
  readonly staffOf?: number;
}

const allow: TopicRuling = { verdict: 'allow' };
const deny: TopicRuling = { verdict: 'deny' };
const malformed: TopicRuling = { verdict: 'malformed' };

/** The device that a broker user is, by its name: exactly `device_<id>`; null for all other names. */
export function deviceNamed(username: string): number | null {
  const digits = /^device_([1-9]\d{0,15})$/.exec(username)?.[1];
  const id = Number(digits);
  return digits !== undefined && Number.isSafeInteger(id) ? id : null;
}

/** A topic of MQTT as RabbitMQ spells it in AMQP: `/` and `.` change places, `+` is `*`. */
export function routingKeyOf(topic: string): string {
  return topic.replace(/[/.+]/g, (sign) => (sign === '/' ? '.' : sign === '.' ? '/' : '*'));
}

const isTooLong = (routingKey: string): boolean => Buffer.byteLength(routingKey) > longestKey;

const isTerminal = (routingKey: string): boolean => routingKey.includes('.terminal_input');

/** Whether the ruling on a topic depends on what is to be done with it. [reference 12.2] */
export const needsPermission = (username: string, routingKey: string): boolean =>
  everybodysKeys.has(routingKey) || username === demoName || isTerminal(routingKey);

/** What a user may do (`read`, `write`) with a topic in AMQP's form. `admin` is none of its business. [reference 12.2] */
export function topicRuling(username: string, permission: string, routingKey: string): TopicRuling {
  const isReading = permission === 'read';
  if (everybodysKeys.has(routingKey)) return isReading ? allow : deny;
  if (username === demoName) return isReading && isDemoKey(routingKey) ? allow : deny;
  const ruling = deviceRuling(username, routingKey);
  if (permission !== 'write' || !isTerminal(routingKey) || ruling.verdict === 'deny') return ruling;
  const digits = /^bot\.device_(\d{1,16})\./.exec(routingKey)?.[1];
  return digits === undefined ? deny : { ...ruling, staffOf: Number(digits) };
}

function deviceRuling(username: string, routingKey: string): TopicRuling {
  if (isTooLong(routingKey)) return malformed;
  const digits = deviceKey.exec(routingKey)?.[1];
  if (digits === undefined) return malformed;
  const own = deviceNamed(username);
  // As text: `device_05` is nobody, and not the fifth device.
  return own !== null && deviceUsername(own) === `device_${digits}` ? allow : deny;
}

/** `demos.<secret>`, neither more nor less, and nobody else's with it. */
function isDemoKey(routingKey: string): boolean {
  if (isTooLong(routingKey)) return false;
  const [first, secret = '', ...rest] = routingKey.split('.', 3);
  return first === 'demos' && secret !== '' && !/[*#]/.test(secret) && rest.length === 0;
}
