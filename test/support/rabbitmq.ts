import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './free-port.ts';
import { isRunning, startProgram } from './started-program.ts';

const home = '/usr/lib/rabbitmq/lib';
/** Long enough for a machine with much other load. */
const startTimeout = 180_000;

/** The ports of a server. */
export interface RabbitMqPorts {
  readonly amqp: number;
  readonly mqtt: number;
  readonly webMqtt: number;
  readonly management: number;
}

/** The configuration of docs/rabbitmq.md with local ports. Details of connections are collected more often than every 5 s. */
const configuration = (ports: RabbitMqPorts, hooks: string, knowsAdmin: boolean): string => `
listeners.tcp.local = 127.0.0.1:${ports.amqp}
mqtt.listeners.tcp.local = 127.0.0.1:${ports.mqtt}
mqtt.allow_anonymous = false
mqtt.vhost = /
mqtt.exchange = amq.topic
web_mqtt.tcp.ip = 127.0.0.1
web_mqtt.tcp.port = ${ports.webMqtt}
web_mqtt.ws_path = /ws
management.tcp.ip = 127.0.0.1
management.tcp.port = ${ports.management}
max_message_size = 2097152
collect_statistics_interval = 250
auth_http.http_method = post
auth_http.user_path = ${hooks}/api/rmq/user
auth_http.vhost_path = ${hooks}/api/rmq/vhost
auth_http.resource_path = ${hooks}/api/rmq/resource
auth_http.topic_path = ${hooks}/api/rmq/topic
log.console = true
log.console.level = info
log.file = false
${knowsAdmin ? ownAdmin : 'auth_backends.1 = http'}
`;

const defaultPlugins = '[rabbitmq_mqtt,rabbitmq_web_mqtt,rabbitmq_auth_backend_http,rabbitmq_management].\n';

/** The password of `admin`. */
export const adminPassword = 'rabbit-admin-password';

/** Makes RabbitMQ authenticate `admin` itself and all other users with the hooks, and retain nothing. */
const ownAdmin = `
auth_backends.1 = internal
auth_backends.2 = http
default_user = admin
default_pass = ${adminPassword}
default_user_tags.administrator = true
mqtt.retained_message_store = rabbit_mqtt_retained_msg_store_noop
`;

/** A RabbitMQ server with MQTT, web-MQTT and the management plugin, which authenticates users with Potager's hooks. */
export class RabbitMq {
  readonly #folder: string;
  readonly #ports: RabbitMqPorts;
  readonly #variables: Readonly<Record<string, string>>;
  readonly #distributionPort: number;
  readonly #epmdPort: number;
  #epmd: ChildProcess | null = null;
  #server: ChildProcess | null = null;
  #output = '';
  #starts = 0;

  private constructor(
    folder: string,
    ports: RabbitMqPorts,
    [distributionPort, epmdPort]: readonly [number, number],
    variables: Readonly<Record<string, string>>,
  ) {
    this.#folder = folder;
    this.#ports = ports;
    this.#distributionPort = distributionPort;
    this.#epmdPort = epmdPort;
    this.#variables = variables;
  }

  /** Prepares a server, without starting it, whose hooks are at `hooks` (`http://…`, without a path). `knowsAdmin`: it authenticates `admin` itself, as docs/rabbitmq.md recommends. */
  static prepare(hooks: string, knowsAdmin = true): Promise<RabbitMq> {
    return RabbitMq.configured((ports) => configuration(ports, hooks, knowsAdmin), defaultPlugins);
  }

  /** Prepares a server with the content of `rabbitmq.conf` and `enabled_plugins`. `variables` are added to its environment, `known` are ports that are not chosen. */
  static async configured(
    conf: (ports: RabbitMqPorts) => string,
    plugins: string,
    variables: Readonly<Record<string, string>> = {},
    known: Partial<RabbitMqPorts> = {},
  ): Promise<RabbitMq> {
    const folder = await mkdtemp(join(tmpdir(), 'potager-rabbitmq-'));
    const ports = {
      amqp: await freePort(),
      mqtt: await freePort(),
      webMqtt: await freePort(),
      management: await freePort(),
      ...known,
    };
    await writeFile(join(folder, 'rabbitmq.conf'), conf(ports));
    await writeFile(join(folder, 'enabled_plugins'), plugins);
    // A separate cookie, so that no other node can connect.
    await writeFile(join(folder, '.erlang.cookie'), randomBytes(16).toString('hex'), { mode: 0o400 });
    return new RabbitMq(folder, ports, [await freePort(), await freePort()], variables);
  }

  get amqpUrl(): string {
    return `amqp://127.0.0.1:${this.#ports.amqp}`;
  }

  get mqttUrl(): string {
    return `mqtt://127.0.0.1:${this.#ports.mqtt}`;
  }

  get webMqttUrl(): string {
    return `ws://127.0.0.1:${this.#ports.webMqtt}/ws`;
  }

  get managementUrl(): string {
    return `http://127.0.0.1:${this.#ports.management}`;
  }

  /** Potager's settings for this server. */
  get settings(): Record<'BROKER_URL' | 'BROKER_ADMIN_PASSWORD' | 'BROKER_MANAGEMENT_URL', string> {
    return {
      BROKER_URL: this.amqpUrl,
      BROKER_ADMIN_PASSWORD: adminPassword,
      BROKER_MANAGEMENT_URL: this.managementUrl,
    };
  }

  /** How often it was started. */
  get starts(): number {
    return this.#starts;
  }

  /** The output so far. */
  logs(): string {
    return this.#output;
  }

  /** Starts the server on existing data and waits until all ports are open. Throws with the output if it exits or after a minute. */
  async start(): Promise<void> {
    const environment = {
      PATH: process.env.PATH ?? '',
      HOME: this.#folder,
      ERL_EPMD_PORT: String(this.#epmdPort),
      RABBITMQ_NODENAME: `potager${this.#ports.amqp}@localhost`,
      RABBITMQ_DIST_PORT: String(this.#distributionPort),
      RABBITMQ_MNESIA_BASE: join(this.#folder, 'mnesia'),
      RABBITMQ_LOG_BASE: join(this.#folder, 'log'),
      RABBITMQ_CONFIG_FILE: join(this.#folder, 'rabbitmq.conf'),
      RABBITMQ_ENABLED_PLUGINS_FILE: join(this.#folder, 'enabled_plugins'),
      RABBITMQ_CONF_ENV_FILE: '/dev/null',
      RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: '+S 2:2 +sbwt none +sbwtdcpu none +sbwtdio none',
      // Makes the script exec the node, so that signals reach it.
      RUNNING_UNDER_SYSTEMD: 'true',
      ...this.#variables,
    };
    this.#starts++;
    this.#epmd ??= this.#spawn('epmd', ['-port', String(this.#epmdPort)], environment);
    // Debian's command would switch users.
    const release = readdirSync(home).find((name) => name.startsWith('rabbitmq_server-'));
    if (!release) throw new Error(`RabbitMQ is not installed in ${home}`);
    const server = this.#spawn(join(home, release, 'sbin', 'rabbitmq-server'), [], environment);
    this.#server = server;
    const end = Date.now() + startTimeout;
    for (const port of [this.#ports.management, this.#ports.amqp, this.#ports.mqtt, this.#ports.webMqtt])
      while (!(await isOpen(port))) {
        if (server.exitCode !== null) throw new Error(`RabbitMQ exited with ${server.exitCode}:\n${this.#output}`);
        if (Date.now() > end) throw new Error(`RabbitMQ did not start:\n${this.#output}`);
        await sleep(50);
      }
  }

  /** Stops the server gracefully; its data are kept. */
  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    if (server) await exited(server, 'SIGTERM');
  }

  /** Kills the server with SIGKILL. */
  async kill(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    if (server) await exited(server, 'SIGKILL');
  }

  /** Suspends the process (SIGSTOP), like a machine that lost its network. Resolves when all threads have stopped. */
  async suspend(): Promise<void> {
    this.#server?.kill('SIGSTOP');
    const threads = `/proc/${this.#server?.pid}/task`;
    const runs = (thread: string): boolean => !/\) [Tt] /.test(readFileSync(join(threads, thread, 'stat'), 'utf8'));
    while (readdirSync(threads).some(runs)) await sleep(5);
  }

  resume(): void {
    this.#server?.kill('SIGCONT');
  }

  /** Sends a request to the management API as `admin`. */
  async manage(method: string, path: string, body?: unknown): Promise<unknown> {
    const response = await fetch(`${this.managementUrl}${path}`, {
      method,
      headers: {
        authorization: `Basic ${Buffer.from(`admin:${adminPassword}`).toString('base64')}`,
        'content-type': 'application/json',
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === '' ? null : JSON.parse(text);
  }

  /** Kills the server and removes its data. */
  async remove(): Promise<void> {
    await this.kill();
    if (this.#epmd) await exited(this.#epmd, 'SIGTERM');
    await rm(this.#folder, { recursive: true, force: true });
  }

  #spawn(command: string, words: readonly string[], env: Readonly<Record<string, string>>): ChildProcess {
    return startProgram(command, words, { cwd: this.#folder, env }, (part) => {
      this.#output += part;
    });
  }
}

/** Prepares and starts a server. */
export async function startRabbitMq(hooks: string, knowsAdmin = true): Promise<RabbitMq> {
  const rabbitmq = await RabbitMq.prepare(hooks, knowsAdmin);
  try {
    await rabbitmq.start();
  } catch (error) {
    await rabbitmq.remove();
    throw error;
  }
  return rabbitmq;
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

/** Sends a signal and waits for the exit; sends SIGKILL after 30 s. */
async function exited(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (!isRunning(child)) return;
  const timer = setTimeout(() => child.kill('SIGKILL'), 30_000);
  const end = new Promise<void>((resolve) => {
    child.once('close', () => resolve());
  });
  child.kill(signal);
  await end;
  clearTimeout(timer);
}
