import { rm } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type SignedInAccount, signUp } from '../../support/accounts.ts';
import { createMigratedDatabase, dropDatabase } from '../../support/databases.ts';
import { freePort } from '../../support/free-port.ts';
import { numberAt, textAt } from '../../support/json.ts';
import { cheapPasswords, createTempFolder, ServerProcess } from '../../support/servers.ts';
import { type Received, suiteReceiver, verified } from '../../support/webhook-receiver.ts';

/** A killed process keeps its job until its lease ends. */
const waiting = { timeout: 90_000, interval: 50 };

describe('webhooks of two processes on PostgreSQL', () => {
  const receiver = suiteReceiver();
  let url = '';
  const processes: ServerProcess[] = [];
  beforeEach(async () => {
    url = (await createMigratedDatabase('postgres', await createTempFolder())) ?? '';
    const environment = { HOST: '127.0.0.1', MQTT_PORT: '0', EMAIL_VERIFICATION: 'off', RATE_LIMITS: 'off' };
    for (const _ of ['one', 'two']) {
      const env = { ...environment, DATABASE_URL: url, FETCH_ALLOW: '127.0.0.1' };
      processes.push(new ServerProcess(await createTempFolder(), await freePort(), env, cheapPasswords));
    }
  });
  afterEach(async () => {
    for (const process of processes.splice(0)) {
      await process.kill();
      process.client.close();
      await rm(process.folder, { recursive: true, force: true });
    }
    await dropDatabase(url);
  });

  /** The names of the tools that a path received, of repeated deliveries the first only. */
  const namesAt = (path: string): string[] => {
    const byDelivery = new Map(receiver.at(path).map((each) => [idOf(each), String(each.json.data.record.name)]));
    return [...byDelivery.values()];
  };
  const idOf = ({ headers }: Received): string => String(headers['webhook-id']);

  it('deliver each change in order, also when the delivering one is killed', async () => {
    const [one, two] = processes;
    if (!one || !two) throw new Error('there are two');
    await one.start();
    const owner: SignedInAccount = await signUp({ client: one.client, outbox: null }, 'ada');
    expect((await one.run(['user', 'admin', owner.email, 'on'])).code).toBe(0);
    const hook = async (path: string): Promise<string> => {
      const made = await one.client.post(
        '/api/webhooks',
        { url: receiver.url(path), resources: ['Tool'] },
        owner.token,
      );
      return textAt(made.json, 'secret');
    };
    const secrets = { '/first': await hook('/first'), '/second': await hook('/second') };
    const acknowledged: string[] = [];
    const makeTools = async (by: ServerProcess, prefix: string, count: number): Promise<void> => {
      for (let each = 0; each < count; each++) {
        const name = `${prefix} ${each}`;
        const { json } = await by.client.post('/api/tools', { name }, owner.token);
        expect(numberAt(json, 'id')).toBeGreaterThan(0);
        acknowledged.push(name);
      }
    };

    // The only process begins a delivery, whose response it waits for when it is killed.
    let heldId = '';
    let isKilled = false;
    receiver.answers.set('/first', (response, request) => {
      // On a busy machine, it may have repeated it before.
      if (!isKilled && request.json.data.record.name === 'Alone 2') heldId = idOf(request);
      else response.writeHead(204).end();
    });
    await makeTools(one, 'Alone', 5);
    await expect.poll(() => heldId, waiting).not.toBe('');
    await two.start();
    await makeTools(two, 'By the second', 5);
    expect(namesAt('/first')).toEqual(['Alone 0', 'Alone 1', 'Alone 2']);
    await one.kill();
    isKilled = true;
    await makeTools(two, 'After the kill', 5);
    for (const path of ['/first', '/second']) await expect.poll(() => namesAt(path), waiting).toEqual(acknowledged);
    expect(receiver.at('/first').filter((each) => idOf(each) === heldId).length).toBeGreaterThan(1);

    // Both make changes, and either may deliver them.
    await one.start();
    await Promise.all([makeTools(one, 'One', 30), makeTools(two, 'Two', 30)]);
    const listed = await two.client.get('/api/tools', owner.token);
    const inOrder = (listed.json as { id: number; name: string }[]).sort((a, b) => a.id - b.id).map(({ name }) => name);
    expect(inOrder).toHaveLength(75);
    for (const [path, secret] of Object.entries(secrets)) {
      await expect.poll(() => namesAt(path).length, waiting).toBe(75);
      expect(namesAt(path)).toEqual(inOrder);
      const ids = receiver.at(path).map(({ json }) => Number(json.data.id));
      expect(ids).toEqual([...ids].sort((a, b) => a - b));
      for (const each of receiver.at(path)) expect(verified(secret, each)).toEqual(each.json);
    }
  });
});
