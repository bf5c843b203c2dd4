import { setTimeout as sleep } from 'node:timers/promises';
import mqtt from 'mqtt';
import { it, type TestContext } from 'vitest';
import { claimDuration } from '../../../src/db/change-claims.ts';
import { type SignedInAccount, signUp } from '../../support/accounts.ts';
import { describeEnginesConcurrently } from '../../support/engines.ts';
import { isObject, type Json, numberAt } from '../../support/json.ts';
import { anyPort, type ServerProcess, startServer } from '../../support/servers.ts';

const robots = 6;

/** A tool whose creation was acknowledged. */
interface Tool {
  readonly id: number;
  readonly name: string;
}

/** A robot that sends logs, each after the acknowledgment of the previous one, across restarts of the server. */
class SendingRobot {
  readonly acknowledged: string[] = [];
  readonly received: string[] = [];
  connections = 0;
  /** Settles when the subscription was granted: only then is it repeated after a reconnection. */
  readonly subscribed: Promise<unknown>;
  readonly #client: mqtt.MqttClient;
  #isOver = false;

  constructor(url: string, { bot, token }: SignedInAccount) {
    this.#client = mqtt.connect(url, { username: bot, password: token, protocolVersion: 4, reconnectPeriod: 200 });
    this.#client.on('error', () => undefined);
    this.#client.on('connect', () => {
      this.connections++;
    });
    this.#client.on('message', (_topic, payload) => this.received.push(payload.toString('utf8')));
    this.subscribed = this.#client.subscribeAsync(`bot/${bot}/sync/#`).catch(() => undefined);
    void this.#send(`bot/${bot}/logs`);
  }

  async #send(topic: string): Promise<void> {
    for (let i = 0; !this.#isOver; i++) {
      const message = `log ${i}`;
      // Repeated after a reconnection: a log that was not acknowledged may be stored twice.
      await this.#client.publishAsync(topic, JSON.stringify({ message, type: 'info', major_version: 15 }), { qos: 1 });
      this.acknowledged.push(message);
      await sleep(5);
    }
  }

  /** Stays connected. */
  stopSending(): void {
    this.#isOver = true;
  }

  async end(): Promise<void> {
    this.stopSending();
    await sleep(100);
    await this.#client.endAsync(true);
  }
}

describeEnginesConcurrently('kill -9 under live load', (engine) => {
  async function start({ onTestFinished }: TestContext): Promise<ServerProcess> {
    const server = await startServer(engine, { EMAIL_VERIFICATION: 'off', RATE_LIMITS: 'off', MQTT_PORT: anyPort });
    onTestFinished(() => server.remove());
    return server;
  }

  it('loses no acknowledged write and no acknowledged log; clients reconnect', {
    timeout: 240_000,
  }, async (context) => {
    // The global one does not poll in concurrent tests.
    const { expect } = context;
    const running = await start(context);
    const accounts: SignedInAccount[] = [];
    for (let i = 0; i < robots; i++) accounts.push(await signUp({ client: running.client, outbox: null }, `robot${i}`));
    const sending = accounts.map((account) => new SendingRobot(running.mqtt, account));
    const written: Tool[][] = accounts.map(() => []);
    const writing = accounts.map((account, i) => writeTools(running, account, written[i] ?? []));
    const minimum = () => Math.min(...sending.map(({ acknowledged }) => acknowledged.length));
    await expect.poll(minimum, { timeout: 60_000 }).toBeGreaterThan(50);
    await expect.poll(() => written.flat().length, { timeout: 60_000 }).toBeGreaterThan(100);
    await running.kill();
    await Promise.all(writing);
    const before = sending.map(({ acknowledged }) => acknowledged.length);
    expect(written.flat().length).toBeGreaterThan(50);

    await running.restart();
    await expect
      .poll(() => sending.map(({ connections }) => connections), { timeout: 60_000 })
      .toEqual(sending.map(() => 2));
    await expect
      .poll(() => sending.every(({ acknowledged }, i) => acknowledged.length > (before[i] ?? 0) + 20), {
        timeout: 60_000,
      })
      .toBe(true);
    for (const robot of sending) await robot.end();

    for (const [i, account] of accounts.entries()) {
      const logs = new Set(await column(running, '/api/logs', 'message', account));
      expect(sending[i]?.acknowledged.filter((message) => !logs.has(message))).toEqual([]);
      const ids = await column(running, '/api/tools', 'id', account);
      const names = await column(running, '/api/tools', 'name', account);
      const tools = new Map(ids.map((id, at) => [id, names[at]]));
      expect(written[i]?.filter(({ id, name }) => tools.get(id) !== name)).toEqual([]);
      const logged = await loggedTools(running, account);
      expect(ids.filter((id) => !logged.has(id))).toEqual([]);
    }
  });

  it('announces changes to clients that reconnected', async (context) => {
    const { expect } = context;
    const running = await start(context);
    const account = await signUp({ client: running.client, outbox: null }, 'robot');
    const robot = new SendingRobot(running.mqtt, account);
    await expect.poll(() => robot.acknowledged.length, { timeout: 60_000 }).toBeGreaterThan(0);
    await robot.subscribed;
    await running.kill();
    await running.restart();
    await expect.poll(() => robot.connections, { timeout: 60_000 }).toBe(2);
    robot.stopSending();
    // The end of its subscription is not reported: tools are created until it receives one.
    // Events of the killed server come first, after their claim has expired.
    const created: string[] = [];
    const hasReceived = async () => {
      const { json } = await running.client.post('/api/tools', { name: `Hoe ${created.length}` }, account.token);
      created.push(`"body":{"id":${numberAt(json, 'id')},`);
      return robot.received.some((text) => created.some((part) => text.includes(part)));
    };
    await expect.poll(hasReceived, { timeout: 2 * claimDuration + 60_000, interval: 100 }).toBe(true);
    await robot.end();
  });
});

/** Creates tools until the server does not respond. Adds the acknowledged ones to `tools`. */
async function writeTools(server: ServerProcess, account: SignedInAccount, tools: Tool[]): Promise<void> {
  for (let i = 0; ; i++) {
    const name = `${account.name} ${i}`;
    const response = await server.client.post('/api/tools', { name }, account.token).catch(() => null);
    if (!response) return;
    tools.push({ id: numberAt(response.json, 'id'), name });
  }
}

async function column(
  server: ServerProcess,
  path: string,
  name: string,
  account: SignedInAccount,
): Promise<readonly Json[]> {
  const { json } = await server.client.get(path, account.token);
  return Array.isArray(json) ? json.filter(isObject).map((row) => row[name] ?? null) : [];
}

/** Returns the ids of the tools whose creation is in the change log. */
async function loggedTools(server: ServerProcess, { token }: SignedInAccount): Promise<ReadonlySet<Json>> {
  const ids = new Set<Json>();
  for (let query = ''; ; ) {
    const { json } = await server.client.get(`/api/history?resource=Tool&limit=200${query}`, token);
    const page = Array.isArray(json) ? json.filter(isObject) : [];
    for (const change of page) ids.add(change.record_id ?? null);
    if (page.length < 200) return ids;
    query = `&before_id=${numberAt(page.at(-1) ?? null, 'id')}`;
  }
}
