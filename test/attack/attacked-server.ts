import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import type { SignedInAccount } from '../support/accounts.ts';
import { signUp } from '../support/accounts.ts';
import { createMigratedDatabase } from '../support/databases.ts';
import type { Engine } from '../support/engines.ts';
import { freePort } from '../support/free-port.ts';
import type { HttpResponse, RequestOptions } from '../support/http-client.ts';
import { HttpClient } from '../support/http-client.ts';
import type { Json } from '../support/json.ts';
import { textAt } from '../support/json.ts';
import { MqttTestClient } from '../support/mqtt-test-client.ts';
import { createTempFolder, ServerProcess } from '../support/servers.ts';

export type AttackedAccount = SignedInAccount;

/** The User-Agent of a robot. */
export const robotAgent = { 'user-agent': 'FARMBOTOS/17.1.2 (RPI4) RPI4 ()' };

/** The address of this machine that is not a loopback address for the server. */
export const ownAddress =
  Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? '127.0.0.2';

/** A foreign web server, from which the settings allow fetching. */
export const strangersHost = '127.0.0.9';

export const brokerPassword = 'the password of the broker';
export const metricsToken = 'the-token-of-prometheus';

/** The settings of production, with quotas that are filled quickly. */
const settings = {
  HOST: '0.0.0.0',
  EMAIL_VERIFICATION: 'required',
  METRICS: 'on',
  METRICS_TOKEN: metricsToken,
  BROKER_ADMIN_PASSWORD: brokerPassword,
  FETCH_ALLOW: strangersHost,
  QUOTA_PHOTO_BYTES: '200000',
  QUOTA_TOKENS: '20',
  QUOTA_PUBLISHED_BYTES: '300000',
  AI_DAILY_QUESTIONS: '4',
  HOME_ASSISTANT: 'on',
  OPERATOR_EMAIL: 'operator@example.com',
};

/**
 * The built server with passwords of the real cost, limits on, and a proxy in front of it: the tests, whose requests have the
 * foreign addresses. Requests through the proxy without an address are this machine's, which is not limited.
 */
export class AttackedServer {
  readonly process: ServerProcess;
  /** Many connections, as a proxy has. */
  readonly proxy: HttpClient;
  /** The broker, reached from an address that is not a loopback address. */
  readonly mqtt: string;
  readonly mqttPort: number;
  #addresses = 0;
  #attacker: Promise<AttackedAccount> | null = null;

  private constructor(process: ServerProcess, mqttPort: number) {
    this.process = process;
    this.proxy = new HttpClient(process.base, 512);
    this.mqttPort = mqttPort;
    this.mqtt = `mqtt://${ownAddress}:${mqttPort}`;
  }

  /** `more`: settings that differ from production's. */
  static async start(engine: Engine, more: Readonly<Record<string, string>> = {}): Promise<AttackedServer> {
    const folder = await createTempFolder();
    const url = await createMigratedDatabase(engine, join(folder, 'data'));
    const mqttPort = await freePort();
    const env = { ...settings, TRUST_PROXY: '127.0.0.1', MQTT_PORT: String(mqttPort), ...more };
    const process = new ServerProcess(folder, await freePort(), { ...env, ...(url && { DATABASE_URL: url }) });
    const server = new AttackedServer(process, mqttPort);
    try {
      await process.start();
    } catch (error) {
      await server.remove();
      throw error;
    }
    return server;
  }

  async remove(): Promise<void> {
    this.proxy.close();
    await this.process.remove();
  }

  /** An address from which nothing was sent before. */
  newAddress(): string {
    const number = ++this.#addresses;
    return `11.${number >> 16}.${(number >> 8) & 255}.${number & 255}`;
  }

  /** Sends a request that the proxy forwards for a client. */
  send(from: string, method: string, path: string, options: RequestOptions = {}): Promise<HttpResponse> {
    return this.proxy.send(method, path, { ...options, headers: { 'x-forwarded-for': from, ...options.headers } });
  }

  /** Sends a request that bypasses the proxy, from {@link ownAddress}. */
  async sendDirectly(method: string, path: string, options: RequestOptions = {}): Promise<HttpResponse> {
    const client = new HttpClient(`http://${ownAddress}:${this.process.port}`);
    try {
      return await client.send(method, path, options);
    } finally {
      client.close();
    }
  }

  signIn(from: string, email: string, password: string, headers: Record<string, string> = {}): Promise<HttpResponse> {
    return this.send(from, 'POST', '/api/tokens', { body: { user: { email, password } }, headers });
  }

  /** Signs an account up and in, from this machine. */
  createAccount(name: string): Promise<AttackedAccount> {
    return signUp({ client: this.proxy, outbox: this.process.outbox }, name);
  }

  /** Returns the account of attempts that need one, and do not use it up. */
  attacker(): Promise<AttackedAccount> {
    this.#attacker ??= this.createAccount('attacker');
    return this.#attacker;
  }

  /** Creates a demo account, as a visitor does, and returns its token. */
  async createDemoAccount(): Promise<string> {
    const secret = `visitor ${++this.#addresses}`;
    const visitor = await MqttTestClient.connect(this.mqtt, { username: 'farmbot_demo', password: 'none' });
    await visitor.subscribe(`demos/${secret}`);
    const body = { secret, product_line: 'none' };
    await this.send(this.newAddress(), 'POST', '/api/demo_account', { body });
    await visitor.waitUntil((received) => received.length > 0, 'the session of a demo account');
    await visitor.end();
    return textAt(JSON.parse(visitor.received[0]?.text ?? '') as Json, 'token.encoded');
  }

  /** Returns the token of a robot of an account. */
  async robotToken({ email, password }: AttackedAccount): Promise<string> {
    const body = { user: { email, password } };
    const { json } = await this.proxy.send('POST', '/api/tokens', { body, headers: robotAgent });
    return textAt(json, 'token.encoded');
  }

  /** Waits for the mail number `count` with a link of a kind to an address, and returns the last part of its link. */
  async linkToken(address: string, kind: string, count = 1): Promise<string> {
    const { outbox } = this.process;
    const link = new RegExp(`/${kind}/([^\\s"<>]+)`);
    const links: string[] = [];
    await outbox.mailTo(address, ({ text }) => {
      const token = link.exec(text)?.[1];
      if (token !== undefined && !links.includes(token)) links.push(token);
      return links.length >= count;
    });
    return links[count - 1] ?? '';
  }
}
