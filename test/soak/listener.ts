import { isDeepStrictEqual } from 'node:util';
import { resources } from '../../src/resources.ts';
import { at, type Json, type JsonObject } from '../support/json.ts';
import { MqttTestClient } from '../support/mqtt-test-client.ts';
import type { SoakAccount } from './account.ts';
import type { Installation } from './installation.ts';
import type { Random } from './random.ts';
import { collections } from './record-kinds.ts';
import type { SoakReport } from './soak-report.ts';

/** Names in announcements of the records under load, with their collections. */
const announced = new Map(
  resources.flatMap(({ name, options }) =>
    options.changeLogName && collections.includes(name) ? [[options.changeLogName, name] as const] : [],
  ),
);

/** The messages to a listener since it last subscribed. */
interface Session {
  /** Requests that were sent later must be announced. */
  since: number;
  /** Labels in the order in which they were first received. */
  readonly labels: Set<string>;
  /** `Tool/5` → its newest body. Read after the subscription, and announced since. */
  readonly bodies: Map<string, Json>;
  isComplete: boolean;
}

/** A client that subscribes to the announcements of an account, and reads its records after each reconnection, as the documents ask for. */
export class Listener {
  readonly #account: SoakAccount;
  readonly #installation: Installation;
  readonly #random: Random;
  readonly #report: SoakReport;
  #connection: MqttTestClient | null = null;
  #session: Session | null = null;
  #isOver = false;

  constructor(installation: Installation, account: SoakAccount, random: Random, report: SoakReport) {
    this.#account = account;
    this.#installation = installation;
    this.#random = random;
    this.#report = report;
  }

  /** Listens until {@link end}; connects again whenever the connection is lost. */
  async run(): Promise<void> {
    while (!this.#isOver) {
      try {
        await this.#listen();
      } catch {
        // The broker or the servers are down.
      }
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await this.#connection?.end();
  }

  async #listen(): Promise<void> {
    const { bot, token } = this.#account;
    const url = this.#random.pick(this.#installation.brokerUrls);
    const connection = await MqttTestClient.connect(url, { username: bot, password: token, connectTimeout: 20_000 });
    this.#connection = connection;
    try {
      const session: Session = { since: Infinity, labels: new Set(), bodies: new Map(), isComplete: false };
      connection.client.on('message', (topic, payload) => {
        connection.take();
        this.#receive(session, topic.split('/').slice(3).join('/'), payload.toString('utf8'));
      });
      const granted = await connection.subscribe(`bot/${bot}/sync/#`);
      if (granted[0] !== 0) throw new Error(`the subscription was granted with ${granted}`);
      session.since = performance.now();
      this.#session = session;
      this.#report.count('subscriptions to announcements');
      for (const [resource, collection] of announced)
        for (const row of await this.#installation.api.list(this.#random, collection, token)) {
          const key = `${resource}/${row.id}`;
          if (!session.bodies.has(key)) session.bodies.set(key, row);
        }
      session.isComplete = true;
      await this.#untilClosed(connection);
    } finally {
      this.#checkOrder();
      this.#session = null;
      await connection.end();
    }
  }

  async #untilClosed(connection: MqttTestClient): Promise<void> {
    if (!connection.isConnected) return;
    await new Promise<void>((resolve) => connection.client.once('close', resolve));
  }

  #receive({ labels, bodies }: Session, key: string, text: string): void {
    this.#report.count('announcements received');
    const message = JSON.parse(text) as JsonObject;
    labels.add(String(at(message, 'args.label')));
    if (announced.has(key.split('/')[0] ?? '')) bodies.set(key, message.body ?? null);
  }

  /** Announcements of acknowledged requests that did not overlap must be in the order of the requests. */
  #checkOrder(): void {
    if (!this.#session) return;
    let newest = { sentAt: 0, label: '' };
    for (const label of this.#session.labels) {
      const request = this.#account.requests.get(label);
      // Messages from before the subscription may be announced again, and messages in between were not received.
      if (!request?.acknowledgedAt || request.sentAt < this.#session.since) continue;
      if (request.acknowledgedAt < newest.sentAt)
        this.#report.violation(`${this.#account.bot}: ${label} was announced after the later ${newest.label}`);
      if (request.sentAt > newest.sentAt) newest = { sentAt: request.sentAt, label };
    }
  }

  /** Returns the acknowledged requests that were not announced since the subscription; null: not connected, or not read yet. */
  missing(): string[] | null {
    const session = this.#session;
    if (!session?.isComplete || !this.#connection?.isConnected) return null;
    return [...this.#account.requests].flatMap(([label, { sentAt, acknowledgedAt }]) =>
      acknowledgedAt !== null && sentAt > session.since && !session.labels.has(label) ? [label] : [],
    );
  }

  /** Compares the client's records with the server's, while no request is in progress. */
  async check(): Promise<void> {
    this.#checkOrder();
    const session = this.#session;
    // A broker may close a connection at any time. The client reads the missing records again.
    if (!session?.isComplete) return this.#report.count('listeners that reconnected meanwhile');
    const { api } = this.#installation;
    for (const [resource, collection] of announced) {
      const rows = await api.list(this.#random, collection, this.#account.token);
      const stored = new Map(rows.map((row) => [`${resource}/${row.id}`, row]));
      const known = [...session.bodies].filter(([key]) => key.startsWith(`${resource}/`));
      for (const key of new Set([...stored.keys(), ...known.map(([key]) => key)])) {
        const [expected, found] = [stored.get(key) ?? null, session.bodies.get(key) ?? null];
        if (!isDeepStrictEqual(expected, found))
          this.#report.violation(
            `${this.#account.bot}: the newest body of ${key} that was announced is ${JSON.stringify(found)}, stored is ${JSON.stringify(expected)}`,
          );
      }
      this.#report.count('announced bodies compared', known.length);
    }
    session.since = performance.now();
    session.labels.clear();
  }
}
