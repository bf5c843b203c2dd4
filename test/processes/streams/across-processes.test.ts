import { rm } from 'node:fs/promises';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type SignedInAccount, signUp } from '../../support/accounts.ts';
import { createMigratedDatabase, dropDatabase } from '../../support/databases.ts';
import { describeEngines } from '../../support/engines.ts';
import { EventReader } from '../../support/event-reader.ts';
import { freePort } from '../../support/free-port.ts';
import { cheapPasswords, createTempFolder, ServerProcess, startServer } from '../../support/servers.ts';

const environment = { HOST: '127.0.0.1', MQTT_PORT: '0', EMAIL_VERIFICATION: 'off', RATE_LIMITS: 'off' };

describe('two processes on PostgreSQL', () => {
  let url = '';
  const processes: ServerProcess[] = [];
  const readers: EventReader[] = [];
  beforeAll(async () => {
    url = (await createMigratedDatabase('postgres', await createTempFolder())) ?? '';
    for (const _ of ['one', 'two']) {
      const env = { ...environment, DATABASE_URL: url };
      const process = new ServerProcess(await createTempFolder(), await freePort(), env, cheapPasswords);
      processes.push(process);
      await process.start();
    }
  });
  afterEach(() => {
    for (const reader of readers.splice(0)) reader.close();
  });
  afterAll(async () => {
    for (const process of processes) {
      await process.kill();
      process.client.close();
      await rm(process.folder, { recursive: true, force: true });
    }
    await dropDatabase(url);
  });

  const base = (index: number): string => processes[index]?.base ?? '';
  const open = async (index: number, account: SignedInAccount, query = ''): Promise<EventReader> => {
    const reader = await EventReader.open(`${base(index)}/api/events${query}`, account.token);
    readers.push(reader);
    return reader;
  };

  it('stream the changes of the other, take its tickets, and end the streams of tokens that it revoked', async () => {
    const [one, two] = processes;
    if (!one || !two) throw new Error('there are two');
    const account = await signUp({ client: one.client, outbox: null }, 'ada');
    const stream = await open(1, account);
    for (const name of ['First', 'Second']) await one.client.post('/api/tools', { name }, account.token);
    await expect.poll(() => stream.recordNames()).toEqual(['First', 'Second']);
    await two.client.post('/api/tools', { name: 'Third' }, account.token);
    await expect.poll(() => stream.recordNames()).toEqual(['First', 'Second', 'Third']);

    const ticket = await one.client.send('POST', '/api/events/ticket', { token: account.token });
    const body = ticket.json as { ticket: string };
    const byTicket = await EventReader.open(`${base(1)}/api/events?ticket=${body.ticket}`, null);
    readers.push(byTicket);
    await one.client.send('DELETE', '/api/tokens', { token: account.token });
    await expect.poll(() => [stream.isOpen, byTicket.isOpen]).toEqual([false, false]);
  });

  it('stream the logs that were sent to the other', async () => {
    const [one, two] = processes;
    if (!one || !two) throw new Error('there are two');
    const account = await signUp({ client: one.client, outbox: null }, 'ada');
    const streams = [await open(0, account, '?live=logs'), await open(1, account, '?live=logs')];
    const messages = ['One', 'Two', 'Three', 'Four'];
    for (const [index, message] of messages.entries())
      await (index % 2 ? one : two).client.post('/api/logs', { message }, account.token);
    const received = () => streams.map(({ events }) => events.map(({ data }) => data.message));
    await expect.poll(received).toEqual([messages, messages]);
    // Nothing is repeated by the polls after it.
    await one.client.post('/api/logs', { message: 'Last' }, account.token);
    await expect.poll(() => received().map((each) => each.at(-1))).toEqual(['Last', 'Last']);
    expect(received()).toEqual([
      [...messages, 'Last'],
      [...messages, 'Last'],
    ]);
  });

  it('stream a log that is committed after later ones of another garden', async () => {
    const [one, two] = processes;
    if (!one || !two) throw new Error('there are two');
    const ada = await signUp({ client: one.client, outbox: null }, 'ada');
    const bob = await signUp({ client: two.client, outbox: null }, 'bob');
    const [early, late] = [await open(1, ada, '?live=logs'), await open(1, bob, '?live=logs')];
    const received = () => [early, late].map(({ events }) => events.map(({ data }) => data.message));
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      await client.query('begin');
      await client.query('update devices set commits = coalesce(commits, 0) + 1 where id = $1', [ada.deviceId]);
      await client.query(
        `insert into logs (created_at, updated_at, device_id, channels, message, type, verbosity, posted)
         values (now(), now(), $1, '[]', 'Early', 'info', 1, true)`,
        [ada.deviceId],
      );
      await one.client.post('/api/logs', { message: 'Late' }, bob.token);
      await expect.poll(received).toEqual([[], ['Late']]);
      await client.query('commit');
      await one.client.post('/api/logs', { message: 'After' }, ada.token);
      await expect.poll(received).toEqual([['Early', 'After'], ['Late']]);
    } finally {
      await client.end();
    }
  });
});

describeEngines('a stream across a kill', (engine) => {
  it('has no gap and no repeat', async () => {
    const server = await startServer(engine, { EMAIL_VERIFICATION: 'off', RATE_LIMITS: 'off' });
    let reader: EventReader | undefined;
    try {
      const account = await signUp({ client: server.client, outbox: null }, 'ada');
      reader = await EventReader.open(`${server.base}/api/events`, account.token);
      const { events } = reader;
      const acknowledged: string[] = [];
      const work = async (from: number, to: number) => {
        for (let count = from; count < to; count++) {
          const name = `Tool ${count}`;
          const status = await server.client.post('/api/tools', { name }, account.token).then(
            (response) => response.status,
            () => 0,
          );
          if (status === 200) acknowledged.push(name);
        }
      };
      const writing = work(0, 400);
      await expect.poll(() => events.length).toBeGreaterThan(30);
      await server.kill();
      await writing;
      await server.start();
      await work(400, 450);
      await expect.poll(() => reader?.recordNames().at(-1)).toBe('Tool 449');
      const listed = (await server.client.get('/api/tools', account.token)).json as { name: string }[];
      // Exactly the commits: the acknowledged ones, and perhaps the request that the kill interrupted.
      expect(reader.recordNames()).toEqual(listed.map(({ name }) => name));
      for (const name of acknowledged) expect(reader.recordNames()).toContain(name);
      const ids = events.map(({ id }) => Number(id));
      expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
      expect(events.map(({ name }) => name)).not.toContain('reset');
    } finally {
      reader?.close();
      await server.remove();
    }
  });
});
