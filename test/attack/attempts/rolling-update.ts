import { expect } from 'vitest';
import { signUp } from '../../support/accounts.ts';
import { createMigratedDatabase, dropDatabase } from '../../support/databases.ts';
import { freePort } from '../../support/free-port.ts';
import { MqttTestClient } from '../../support/mqtt-test-client.ts';
import { createTempFolder, ServerProcess } from '../../support/servers.ts';
import type { AttackContext } from '../attack-context.ts';
import type { Attempt } from '../attempt.ts';
import { always } from '../attempt.ts';

/** Processes that share a database on PostgreSQL, whatever the engine of the attacked server. */
class ProcessGroup {
  readonly #url: string;
  readonly #processes: ServerProcess[] = [];

  private constructor(url: string) {
    this.#url = url;
  }

  static async create(): Promise<ProcessGroup> {
    return new ProcessGroup((await createMigratedDatabase('postgres', await createTempFolder())) ?? '');
  }

  async start(): Promise<ServerProcess> {
    const settings = { HOST: '127.0.0.1', MQTT_PORT: String(await freePort()), EMAIL_VERIFICATION: 'off' };
    const process = new ServerProcess(await createTempFolder(), await freePort(), {
      ...settings,
      DATABASE_URL: this.#url,
    });
    this.#processes.push(process);
    await process.start();
    return process;
  }

  async remove(): Promise<void> {
    for (const process of this.#processes) await process.kill();
    await dropDatabase(this.#url);
  }
}

/**
 * Stops a process to which no client has returned since its start, with a change that a command made in the meantime. Returns the time
 * until the other process announces a change of its own, in ms.
 */
async function delayAfterStop(group: ProcessGroup, other: ServerProcess, round: number): Promise<number> {
  const account = await signUp({ client: other.client, outbox: null }, 'rolling');
  await other.client.post('/api/tools', { name: 'Hoe' }, account.token);
  const stopped = await group.start();
  const { code, output } = await other.run(['user', 'email', account.email, `rolling.${round}@example.com`]);
  expect(code, output).toBe(0);
  // Both have found the change of the command.
  await new Promise((resolve) => setTimeout(resolve, 1500));
  expect(await stopped.stop()).toBe(0);
  const client = await MqttTestClient.connect(other.mqtt, { username: account.bot, password: account.token });
  await client.subscribe(`bot/${account.bot}/sync/#`);
  const start = performance.now();
  await other.client.post('/api/tools', { name: 'Rake' }, account.token);
  await client.waitUntil((received) => received.some(({ text }) => text.includes('Rake')), 'the announcement');
  await client.end();
  return performance.now() - start;
}

export const rollingUpdateAttempts: readonly Attempt[] = [
  {
    name: 'Delay the announcements of other processes by stopping one, as a rolling update does',
    property: 'Durability',
    defense: 'a stop releases its claims: the next process announces within a second',
    tries: always(3),
    async run(context: AttackContext) {
      const group = await ProcessGroup.create();
      try {
        const other = await group.start();
        for (let round = 1; round <= context.tries; round++) {
          const delay = await delayAfterStop(group, other, round);
          context.record(delay < 3000 ? 'announced at once' : `announced after ${Math.round(delay / 1000)} s`);
          expect(delay).toBeLessThan(3000);
        }
      } finally {
        await group.remove();
      }
    },
  },
];
