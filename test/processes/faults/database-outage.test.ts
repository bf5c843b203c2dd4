import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Event } from '../../../src/core/events.ts';
import { countPending } from '../../../src/db/announcement-progress.ts';
import { openDatabase } from '../../../src/db/open.ts';
import type { TestApp } from '../../support/app.ts';
import { startApp } from '../../support/app.ts';
import { PostgresCluster } from '../../support/postgres-cluster.ts';

// Two processes on one PostgreSQL, which crashes under load and starts again, or responds no more.

const crashes = 2;
/** Pause of a writer between its requests, in ms: events of two processes for one device alternate slowly. */
const pause = 200;

let cluster: PostgresCluster;
const servers: TestApp[] = [];
const delivered: Event[] = [];

beforeAll(async () => {
  cluster = await PostgresCluster.start();
  const DATABASE_URL = await cluster.createDatabase('potager');
  for (let i = 0; i < 2; i++) {
    const server = await startApp('sqlite', { DATABASE_URL, HOST: '127.0.0.1', PORT: '0' });
    servers.push(server);
    await server.app.attach((event) => void delivered.push(event));
    // Starts to poll.
    await server.app.listen();
  }
});
afterAll(async () => {
  for (const server of servers) await server.close();
  await cluster.remove();
});

/** Records that one process changes without a pause; requests may fail while PostgreSQL is unavailable. */
class Writer {
  readonly #server: TestApp;
  readonly #token: string;
  readonly #toolId: number;
  /** Texts of the successful replies, in their order. */
  readonly acknowledged: string[] = [];
  #isOver = false;

  constructor(server: TestApp, token: string, toolId: number) {
    this.#server = server;
    this.#token = token;
    this.#toolId = toolId;
  }

  async write(flowRate: number): Promise<boolean> {
    const options = { token: this.#token, body: { flow_rate_ml_per_s: flowRate } };
    const { status, text } = await this.#server.call('PATCH', `/api/tools/${this.#toolId}`, options);
    expect([200, 503], text).toContain(status);
    if (status === 200) this.acknowledged.push(text);
    return status === 200;
  }

  async run(first: number): Promise<void> {
    for (let n = first; !this.#isOver; n++) await sleep((await this.write(n)) ? pause : 20);
  }

  end(): void {
    this.#isOver = true;
  }
}

it('every process announces again after each crash, in order, the newest body last', async () => {
  const [one, other] = servers as [TestApp, TestApp];
  const { token, deviceId } = await one.signUp();
  const make = async (name: string): Promise<number> =>
    (await one.call('POST', '/api/tools', { token, body: { name } })).json.id;
  const toolIds = [await make('Rake'), await make('Hoe'), await make('Fork')] as const;
  const [rake, hoe, fork] = toolIds;
  // Both change the hoe.
  const writers = [
    new Writer(one, token, rake),
    new Writer(one, token, hoe),
    new Writer(other, token, hoe),
    new Writer(other, token, fork),
  ];
  const running = writers.map((writer, i) => writer.run(100_000 * i));
  try {
    for (let crash = 1; crash <= crashes; crash++) {
      const before = writers.map(({ acknowledged }) => acknowledged.length);
      const isBusy = () => writers.every(({ acknowledged }, i) => acknowledged.length > (before[i] ?? 0) + 2);
      await expect.poll(isBusy).toBe(true);
      // Right after a delivery, whose row is not deleted yet.
      const { length } = delivered;
      await expect.poll(() => delivered.length, { interval: 1 }).toBeGreaterThan(length);
      await cluster.crash();
      await cluster.resume();
    }
  } finally {
    for (const writer of writers) writer.end();
  }
  await Promise.all(running);
  for (const writer of writers) await expect.poll(() => writer.write(1e6), { interval: 20 }).toBe(true);
  const isHeard = (text: string) => delivered.some(({ body }) => body === text);
  await expect.poll(() => writers.every(({ acknowledged }) => isHeard(acknowledged.at(-1) ?? ''))).toBe(true);

  await expect.poll(() => countPending(one.app.server())).toBe(0);
  const heard = delivered.filter((event) => event.deviceId === deviceId);
  expect(writers.flatMap(({ acknowledged }) => acknowledged).filter((text) => !isHeard(text))).toEqual([]);
  const first = [...new Set(heard.map(({ id }) => id))];
  expect(first).toEqual(first.toSorted((a, b) => a - b));
  for (const id of toolIds) {
    const { text } = await one.call('GET', `/api/tools/${id}`, { token });
    expect(heard.findLast(({ recordId }) => recordId === id)?.body).toBe(text);
  }
});

it('requests fail while PostgreSQL is frozen, and succeed after it', async () => {
  const [one, other] = servers as [TestApp, TestApp];
  const { token } = await one.signUp();
  const get = () => one.call('GET', '/api/tools', { token });
  const post = (n: number) => other.call('POST', '/api/tools', { token, body: { name: `Tool ${n}` } });
  // More than a process has connections.
  const many = async () => {
    const responses = await Promise.all(Array.from({ length: 30 }, (_, n) => (n % 2 === 0 ? get() : post(n))));
    return new Set(responses.map(({ status }) => status));
  };
  expect(await many()).toEqual(new Set([200]));
  await cluster.freeze();
  // PostgreSQL thaws only after all of them have responses.
  expect(await many().finally(() => cluster.thaw())).toEqual(new Set([503]));
  await expect.poll(async () => [(await get()).status, (await post(31)).status], { interval: 50 }).toEqual([200, 200]);
});

it('statements that take long on a server that responds are not interrupted', async () => {
  const database = await openDatabase(`${cluster.server}/potager`, '', () => undefined);
  await expect(database.reader.query('select pg_sleep(4.6)', [], false)).resolves.toHaveLength(1);
  await database.close();
});
