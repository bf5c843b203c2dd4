import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Counters } from '../../src/core/counters.ts';
import type { Rights } from '../../src/engine/rights.ts';
import { allRights } from '../../src/engine/rights.ts';
import type { DeviceTokens } from '../../src/engine/token-reference.ts';
import type { BrokerUser, Login, LoginVerdict, TopicVerdict } from '../../src/live/access.ts';
import type { EmbeddedBrokerAccess, EmbeddedBrokerOptions } from '../../src/live/embedded-broker.ts';
import { EmbeddedBroker } from '../../src/live/embedded-broker.ts';
import { topicPermission } from '../../src/live/topic-permissions.ts';
import { mayUseTopic } from '../../src/live/topic-rights.ts';
import { isRobotClientId } from '../../src/live/topics.ts';
import { resourceRights } from '../../src/resources.ts';
import { MqttTestClient } from './mqtt-test-client.ts';

/** A message of a device that the broker passed to ingestion. */
export interface IngestedMessage {
  readonly channel: string;
  readonly deviceId: number;
  readonly text: string;
}

/** Returns a user's token in these tests, `<user>:<jti>`. */
const tokenOf = (name: string, jti = 'a'): string => `${name}:${jti}`;

/** The real permissions, with tokens in memory. */
export class FakeAccess implements EmbeddedBrokerAccess {
  readonly revoked = new Set<string>();
  /** When tokens expire, in ms. */
  expires = Date.now() + 60 * 60_000;
  /** Awaited in each sign-in. */
  delay: Promise<unknown> = Promise.resolve();
  /** Awaited in each check of tokens. */
  checked: () => Promise<unknown> = async () => undefined;
  /** Number of sign-ins that have begun. */
  signIns = 0;
  readonly denied: string[] = [];
  /** Reported messages on unknown channels. */
  readonly unknown: string[] = [];
  /** The rights of further sign-ins of devices. */
  rights: Rights = allRights;

  async authenticate({ username, password, clientId }: Omit<Login, 'address'>): Promise<LoginVerdict> {
    this.signIns++;
    await this.delay;
    if (username === 'admin')
      return password === 'secret'
        ? allowed({
            name: 'admin',
            role: 'admin',
            deviceId: null,
            token: null,
            reference: null,
            rights: allRights,
            isRobot: false,
          })
        : denied;
    if (username === 'farmbot_demo')
      return allowed({
        name: username,
        role: 'demo',
        deviceId: null,
        token: null,
        reference: null,
        rights: allRights,
        isRobot: false,
      });
    const [name, jti = ''] = password.split(':');
    const deviceId = Number(/^device_(\d+)$/.exec(name ?? '')?.[1]);
    if (!deviceId || this.revoked.has(jti)) return { verdict: 'bad_token' };
    if (name !== username) return denied;
    return allowed({
      name,
      role: 'device',
      deviceId,
      token: { jti, expires: this.expires },
      reference: null,
      rights: this.rights,
      isRobot: isRobotClientId(deviceId, clientId),
    });
  }

  async findValidGardenCredentials(): Promise<ReadonlySet<string>> {
    return new Set();
  }

  reject(): void {
    // There are no users of gardens.
  }

  reportUnknownChannel(username: string, topic: string): void {
    this.unknown.push(`${username} ${topic}`);
  }

  async checkTopic(username: string, operation: string, key: string): Promise<TopicVerdict> {
    const { verdict, staffDeviceId } = topicPermission(username, operation, key);
    if (verdict === 'allow' && staffDeviceId === undefined) return 'allow';
    this.denied.push(`${username} ${operation} ${key}`);
    return 'deny';
  }

  permits(rights: Rights, operation: 'read' | 'write', key: string, quantifier: 'some' | 'every'): boolean {
    return mayUseTopic({ rights, resources: resourceRights }, operation, key, quantifier);
  }

  async findValidTokens(tokens: DeviceTokens): Promise<DeviceTokens> {
    await this.checked();
    const valid = ([deviceId, jtis]: readonly [number, ReadonlySet<string>]) =>
      [deviceId, new Set([...jtis].filter((jti) => !this.revoked.has(jti)))] as const;
    return new Map([...tokens].map(valid));
  }
}

const denied: LoginVerdict = { verdict: 'deny' };
const allowed = (user: BrokerUser): LoginVerdict => ({ verdict: 'allow', user });

/** The built-in broker with an HTTP server, and permissions in memory. */
export class BrokerHarness {
  readonly broker: EmbeddedBroker;
  readonly access = new FakeAccess();
  readonly counters = new Counters();
  readonly ingested: IngestedMessage[] = [];
  readonly logLines: string[] = [];
  readonly time = { offset: 0 };
  /** Changes when tokens may have ended. */
  tokensVersion: string | null = 'first';
  /** Devices whose robots will be sent a factory reset. */
  resetting: ReadonlySet<number> = new Set();
  /** Awaited for each ingested message. */
  store: () => Promise<unknown> = async () => undefined;
  readonly #http: Server;

  private constructor(options: Partial<EmbeddedBrokerOptions>) {
    this.#http = createServer((_request, response) => response.end('not a broker'));
    const write = (object: object, message: string) => this.logLines.push(`${message} ${JSON.stringify(object)}`);
    this.broker = new EmbeddedBroker({
      host: '127.0.0.1',
      port: 0,
      tls: null,
      access: this.access,
      ingest: async (channel, deviceId, payload) => {
        await this.store();
        this.ingested.push({ channel, deviceId, text: payload.toString('utf8') });
      },
      observe: () => undefined,
      tokensVersion: () => this.tokensVersion,
      pendingResets: async () => this.resetting,
      limitsRates: false,
      counters: this.counters,
      clock: { now: () => Date.now() + this.time.offset },
      log: { debug: write, info: write, warn: write, error: write },
      ...options,
    });
  }

  static async start(options: Partial<EmbeddedBrokerOptions> = {}): Promise<BrokerHarness> {
    const started = new BrokerHarness(options);
    await new Promise<void>((resolve) => started.#http.listen(0, '127.0.0.1', resolve));
    await started.broker.start(started.#http);
    return started;
  }

  get port(): number {
    return this.broker.server.ports[0] ?? 0;
  }

  get url(): string {
    return `mqtt://127.0.0.1:${this.port}`;
  }

  get httpPort(): number {
    return (this.#http.address() as AddressInfo).port;
  }

  /** Connects a client, by default with a random client id. */
  connect(
    name: string,
    options: Parameters<typeof MqttTestClient.connect>[1] & { readonly jti?: string; readonly url?: string } = {},
  ): Promise<MqttTestClient> {
    const { jti, url, ...others } = options;
    const password = name === 'admin' ? 'secret' : tokenOf(name, jti);
    return MqttTestClient.connect(url ?? this.url, { username: name, password, ...others });
  }

  /** Waits until a condition holds. Rejects after 45 s. */
  async waitUntil(holds: () => boolean, what: string): Promise<void> {
    const end = Date.now() + 45_000;
    while (!holds()) {
      if (Date.now() > end) throw new Error(`timeout: ${what}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  /** Returns the number of rejections or closed connections with a reason. */
  count(name: 'broker_refusals' | 'broker_cut', reason: string): number {
    return this.counters.values(name).get(reason) ?? 0;
  }

  async stop(): Promise<void> {
    await this.broker.stop();
    await new Promise((resolve) => this.#http.close(resolve));
  }
}
