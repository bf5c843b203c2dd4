import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { IClientOptions, MqttClient } from 'mqtt';
import { errorCode } from '../../core/system.ts';
import { connectionProblem, hookProblem, rabbitMqAddress, thisMachine } from './rabbitmq-address.ts';
import { RabbitMqConnection } from './rabbitmq-connection.ts';
import { RabbitMqManagement } from './rabbitmq-management.ts';

export interface RabbitMqCheckOptions {
  readonly url: string;
  readonly adminPassword: string | null;
  readonly managementUrl: string | null;
  /** Address ranges that may call the hooks; null: this machine. */
  readonly hookAddresses: string | null;
  readonly publicUrl: string | null;
  /** The address at which clients connect. */
  readonly mqttUrl: string;
}

export interface RabbitMqCheckResult {
  readonly name: 'broker' | 'broker management' | 'broker hooks' | 'broker retention' | 'broker sessions';
  readonly ok: boolean;
  /** A sentence. */
  readonly message: string;
  /** It could not be checked. */
  readonly isWarning?: true;
}

/** Routing key without subscribers, for a test message. */
const testKey = 'potager.doctor';
/** Maximum duration of connecting and of publishing, in ms. */
const timeout = 10_000;

/** Begins the topics of test messages with the retain flag. */
const retainedTopic = 'potager/doctor';
/** Until a retained message is stored, and until it is delivered, in ms. */
const retentionTime = 1000;

/** Begins the topics of test messages for a session. */
const sessionTopic = 'potager/doctor/sessions';
/** Until a connection is closed for RabbitMQ, and until a message is delivered, in ms. */
const sessionTime = 1000;

/** Checks whether the server can sign in to RabbitMQ, publish, and use the management interface, whether RabbitMQ retains messages, and whether it keeps the sessions of robots. Leaves nothing changed. */
export async function checkRabbitMq(options: RabbitMqCheckOptions): Promise<RabbitMqCheckResult[]> {
  const connection = await checkConnection(options);
  const others = [await checkManagement(options), await checkHooks(options)];
  return [connection, ...others, ...(connection.ok ? await checkMqtt(options) : [])];
}

async function checkConnection({ url, adminPassword }: RabbitMqCheckOptions): Promise<RabbitMqCheckResult> {
  const name = 'broker';
  let address: ReturnType<typeof rabbitMqAddress>;
  try {
    address = rabbitMqAddress(url, adminPassword);
  } catch (error) {
    return { name, ok: false, message: messageOf(error) };
  }
  if (address.password === '')
    return {
      name,
      ok: false,
      message: `BROKER_ADMIN_PASSWORD is not set, so this server cannot sign in to RabbitMQ at ${address.name}.`,
    };
  try {
    const connection = await RabbitMqConnection.open(address, [], AbortSignal.timeout(timeout));
    const timer = setTimeout(() => connection.drop(new Error(connection.blocked ?? 'it accepts no messages')), timeout);
    try {
      await connection.publish(testKey, Buffer.alloc(0));
    } finally {
      clearTimeout(timer);
      await connection.close();
    }
    return { name, ok: true, message: `RabbitMQ at ${address.name} accepts this server's sign-in and messages.` };
  } catch (error) {
    const problem = String(connectionProblem(address, error));
    // RabbitMQ may ask this server's hooks about the sign-in, which respond only while it is running.
    const hint = problem.includes('refused the user') ? ' Is `serve` running?' : '';
    return { name, ok: false, message: `${problem}${hint}` };
  }
}

async function checkManagement({ managementUrl, adminPassword }: RabbitMqCheckOptions): Promise<RabbitMqCheckResult> {
  const name = 'broker management';
  if (managementUrl === null)
    return {
      name,
      ok: true,
      message:
        'BROKER_MANAGEMENT_URL is not set: clients with a revoked token stay connected until they disconnect; they cannot sign in again.',
    };
  try {
    const management = new RabbitMqManagement({ url: managementUrl, adminPassword });
    await management.check();
    return { name, ok: true, message: `RabbitMQ's management interface at ${management.address} responds.` };
  } catch (error) {
    return { name, ok: false, message: messageOf(error) };
  }
}

/** Checks that the hooks respond to RabbitMQ, and not to other clients: a proxy on this machine that adds no header to forwarded requests makes requests look local. */
async function checkHooks({ url, hookAddresses, publicUrl }: RabbitMqCheckOptions): Promise<RabbitMqCheckResult> {
  const name = 'broker hooks';
  if (hookAddresses !== null)
    return { name, ok: true, message: `The hooks at /api/rmq respond only to BROKER_HOOKS_FROM (${hookAddresses}).` };
  const problem = hookProblem(url, hookAddresses);
  if (problem !== null) return { name, ok: false, message: problem };
  if (publicUrl !== null && !thisMachine.test(new URL(publicUrl).hostname) && (await answersAt(publicUrl)))
    return {
      name,
      ok: false,
      message: `The hooks at /api/rmq respond to any client at ${publicUrl}, because the proxy there forwards requests without X-Forwarded-For: have it add that header, or refuse /api/rmq.`,
    };
  return { name, ok: true, message: 'The hooks at /api/rmq respond only to programs on this machine.' };
}

/** Returns whether the hooks accept a request that is sent to this URL. */
async function answersAt(publicUrl: string): Promise<boolean> {
  const body = new URLSearchParams({ username: 'admin', vhost: '/' });
  const signal = AbortSignal.timeout(timeout);
  const text = await fetch(`${publicUrl}/api/rmq/vhost`, { method: 'POST', body, redirect: 'manual', signal })
    .then(async (response) => (response.ok ? response.text() : ''))
    // Not reachable from here.
    .catch(() => '');
  return text.startsWith('allow');
}

/** Signs in with MQTT as the administrator, as often as it is called. */
type Connect = (options?: IClientOptions) => Promise<MqttSession>;

/** A signed-in client. */
interface MqttSession {
  readonly client: MqttClient;
  /** RabbitMQ has a session of its client id. */
  readonly isPresent: boolean;
}

/** Makes the checks that need a sign-in with MQTT. */
async function checkMqtt({ url, adminPassword, mqttUrl }: RabbitMqCheckOptions): Promise<RabbitMqCheckResult[]> {
  const { protocol, host } = new URL(mqttUrl);
  const address = `${protocol}//${host}`;
  try {
    const { username, password } = rabbitMqAddress(url, adminPassword);
    const options = { username, password, protocolVersion: 4, reconnectPeriod: 0, connectTimeout: timeout } as const;
    const { default: mqtt } = await import('mqtt');
    const connect: Connect = (others) =>
      new Promise((resolve, reject) => {
        const client = mqtt.connect(mqttUrl, { ...options, ...others });
        client.once('connect', ({ sessionPresent }) => resolve({ client, isPresent: sessionPresent }));
        client.once('error', reject);
        client.once('close', () => reject(new Error('it closes the connection')));
      });
    return [await checkRetention(connect, address), await checkSessions(connect, address)];
  } catch (error) {
    // The administrator may be allowed on RabbitMQ's own machine only.
    const message = `Whether RabbitMQ retains messages of clients, and keeps the sessions of robots, was not checked, because this server cannot sign in at ${address} (${errorCode(error) ?? messageOf(error)}).`;
    return [{ name: 'broker retention', ok: true, isWarning: true, message }];
  }
}

/** Checks that RabbitMQ retains no messages of clients: a retained command would run at each start of a robot. [decision 71] */
async function checkRetention(connect: Connect, address: string): Promise<RabbitMqCheckResult> {
  const name = 'broker retention';
  const topic = `${retainedTopic}/${randomUUID()}`;
  const { client } = await connect();
  try {
    let isRetained = false;
    client.on('message', () => {
      isRetained = true;
    });
    await client.publishAsync(topic, 'test', { qos: 1, retain: true });
    await sleep(retentionTime);
    await client.subscribeAsync(topic);
    await sleep(retentionTime);
    await client.publishAsync(topic, '', { qos: 1, retain: true });
    if (!isRetained) return { name, ok: true, message: `RabbitMQ at ${address} retains no messages of clients.` };
  } finally {
    await client.endAsync(true);
  }
  return {
    name,
    ok: false,
    message: `RabbitMQ at ${address} retains messages, so a command with the retain flag runs at each start of the robot: set "mqtt.retained_message_store = rabbit_mqtt_retained_msg_store_noop" in rabbitmq.conf.`,
  };
}

/** Checks that a robot hears something after a reconnection: it does not subscribe again where the broker says that its session is there. [rule R33] */
async function checkSessions(connect: Connect, address: string): Promise<RabbitMqCheckResult> {
  const name = 'broker sessions';
  const topic = `${sessionTopic}/${randomUUID()}`;
  const kept = { clientId: `potager_doctor_${randomUUID()}`, clean: false, resubscribe: false };
  const first = await connect(kept);
  await first.client.subscribeAsync(topic, { qos: 0 });
  await first.client.endAsync(true);
  await sleep(sessionTime);
  const { client, isPresent } = await connect(kept);
  let isDeaf = false;
  try {
    isDeaf = isPresent && !(await hears(client, topic));
  } finally {
    await client.endAsync(true);
    // Deletes the session.
    await (await connect({ ...kept, clean: true })).client.endAsync(true);
  }
  if (!isDeaf) return { name, ok: true, message: `Robots hear RabbitMQ at ${address} after a reconnection.` };
  return {
    name,
    ok: false,
    message: `RabbitMQ at ${address} brings sessions of robots back without their subscriptions, so a robot hears nothing after a reconnection until it restarts: use another version of RabbitMQ.`,
  };
}

/** Returns whether a client receives its own message. */
async function hears(client: MqttClient, topic: string): Promise<boolean> {
  let isHeard = false;
  client.on('message', () => {
    isHeard = true;
  });
  await client.publishAsync(topic, 'test', { qos: 1 });
  await sleep(sessionTime);
  return isHeard;
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
