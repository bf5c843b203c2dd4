import { mkdtempSync, rmSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import inject from 'light-my-request';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { App } from '../../src/app.ts';
import { createApp } from '../../src/app.ts';
import { timestamp } from '../../src/core/clock.ts';
import type { Event } from '../../src/core/events.ts';
import { noRecords } from '../../src/db/announced-records.ts';
import { countPending } from '../../src/db/announcement-progress.ts';
import { claimDuration } from '../../src/db/change-claims.ts';
import { changeCursors } from '../../src/db/change-cursors.ts';
import { ChangeDispatcher } from '../../src/db/change-dispatcher.ts';
import { ChangeLog } from '../../src/db/change-log.ts';
import { openDatabase } from '../../src/db/open.ts';
import type { DeviceScope } from '../../src/db/scope.ts';
import { createScopeFactory } from '../../src/db/scopes.ts';
import { devices } from '../../src/device/devices.ts';
import { deleteRecord, find, insertRecord, updateRecord } from '../../src/engine/records.ts';
import { tools } from '../../src/garden/tools.ts';
import { openCommandSession } from '../../src/operations.ts';
import { readSettings } from '../../src/settings/settings.ts';
import { createDatabase, dropDatabase } from '../support/databases.ts';
import { describeEngines, itAnyEngine } from '../support/engines.ts';
import { EventRecordingClient, eventSummaries, suiteEventClient } from '../support/event-recording-client.ts';
import { HttpClient } from '../support/http-client.ts';
import { countPendingOf } from '../support/pending-changes.ts';
import { plainTool } from '../support/plain-tool.ts';

// The times, order and listeners of announcements.

describeEngines('the delivery of announcements', (engine) => {
  const api = suiteEventClient(engine, { HOST: '127.0.0.1', PORT: '0' });
  let client: HttpClient;
  const moments: { name: string; at: number }[] = [];
  beforeAll(async () => {
    api.server.app.http.server.on('request', (_request: IncomingMessage, response: ServerResponse) => {
      response.on('finish', () => moments.push({ name: 'sent', at: performance.now() }));
    });
    client = new HttpClient((await api.server.app.listen()).address);
    await api.server.app.attach(({ resource }) => void moments.push({ name: resource, at: performance.now() }));
  });
  afterAll(async () => {
    client.close();
  });

  const scope = () => api.server.app.server().device(api.account.deviceId);
  const inTransaction = async (work: (scope: DeviceScope) => Promise<unknown>) => {
    await api.takeEvents();
    await scope().transaction(work);
    return api.takeEvents();
  };

  it('follows the response, a tenth of a second later for a robot', async () => {
    const { token } = api.account;
    const robot = 'FarmBotOS/15.4.6 (RPI3) RPI3 ()';
    for (const [agent, least] of [
      ['curl/8', 0],
      [robot, 95],
    ] as const) {
      moments.length = 0;
      const headers = { 'user-agent': agent };
      const response = await client.send('POST', '/api/sensor_readings', {
        token,
        headers,
        body: { pin: 1, value: 2, x: 0, y: 0, z: 0 },
      });
      const [event] = await api.takeEvents();
      expect([response.status, event?.origin]).toEqual([200, agent === robot ? 'robot' : 'client']);
      expect(moments.map(({ name }) => name)).toEqual(['sent', 'SensorReading']);
      expect((moments[1]?.at ?? 0) - (moments[0]?.at ?? 0)).toBeGreaterThanOrEqual(least);
    }
  });

  it('keeps the commit order of a device', async () => {
    const id = await api.create('tools');
    await api.takeEvents();
    const { token } = api.account;
    const steps = Array.from({ length: 40 }, (_, step) => step);
    const responses = await Promise.all(
      steps.map((step) =>
        api.server.call('PATCH', `/api/tools/${id}`, { token, body: { flow_rate_ml_per_s: step + 1 } }),
      ),
    );
    expect(responses.map(({ status }) => status)).toEqual(steps.map(() => 200));
    const events = await api.takeEvents();
    expect(events).toHaveLength(40);
    expect(events.map((event) => event.id)).toEqual(events.map((event) => event.id).sort((a, b) => a - b));
    expect(new Set(events.map(({ body }) => body))).toEqual(new Set(responses.map(({ text }) => text)));
    expect(events.at(-1)?.body).toBe((await api.requestOk('GET', `/api/tools/${id}`)).text);
  });

  it('labels changes by jobs NONE', async () => {
    const [event] = await inTransaction((inner) => insertRecord(inner, tools, plainTool('By a job')));
    expect(event).toMatchObject({ resource: 'Tool', label: 'NONE', origin: 'server' });
  });

  it('merges several changes of a record into one event', async () => {
    const id = await api.create('tools', { name: 'Thrice' });
    const events = await inTransaction(async (inner) => {
      await updateRecord(inner, tools, await find(inner, tools, id), { name: 'Once' });
      await inner.transaction(async (nested) =>
        updateRecord(nested, tools, await find(nested, tools, id), { name: 'Twice' }),
      );
      await updateRecord(inner, tools, await find(inner, tools, id), { flow_rate_ml_per_s: 3 });
    });
    expect(events.map(({ body }) => JSON.parse(body ?? 'null'))).toMatchObject([
      { name: 'Twice', flow_rate_ml_per_s: 3 },
    ]);
    const deleted = await inTransaction(async (inner) => {
      await updateRecord(inner, tools, await find(inner, tools, id), { name: 'Last words' });
      await deleteRecord(inner, tools, await find(inner, tools, id));
    });
    expect(deleted).toMatchObject([{ resource: 'Tool', recordId: id, body: null }]);
  });

  it('delivers nothing for a rolled-back transaction', async () => {
    const id = await api.create('tools', { name: 'Steady' });
    const rename = async (inner: DeviceScope) => {
      await updateRecord(inner, tools, await find(inner, tools, id), { name: 'Fleeting' });
      throw new Error('back');
    };
    await expect(inTransaction(rename)).rejects.toThrow('back');
    expect(await api.takeEvents()).toEqual([]);
    const events = await inTransaction(async (inner) => {
      await inner.transaction(rename).catch(() => undefined);
      await updateRecord(inner, tools, await find(inner, tools, id), { flow_rate_ml_per_s: 9 });
    });
    expect(events.map(({ body }) => JSON.parse(body ?? 'null'))).toMatchObject([
      { name: 'Steady', flow_rate_ml_per_s: 9 },
    ]);
  });

  it('retries in order when a listener fails', async () => {
    const delivered: Event[] = [];
    let failures = 1;
    await api.server.app.attach((event) => {
      if (event.deviceId === api.account.deviceId && failures-- > 0) throw new Error('not now');
      delivered.push(event);
    });
    const first = await api.server.call('POST', '/api/tools', { token: api.account.token, body: { name: 'First' } });
    const second = await api.server.call('POST', '/api/tools', { token: api.account.token, body: { name: 'Second' } });
    await api.takeEvents();
    expect(delivered.map(({ recordId }) => recordId)).toEqual([first.json.id, second.json.id]);
  });

  it('reaches only the device of the change', async () => {
    const other = await api.server.signUp();
    await api.takeEvents();
    const { status } = await api.server.call('POST', '/api/tools', { token: other.token, body: { name: 'Hers' } });
    expect([status, await api.takeEvents()]).toEqual([200, []]);
  });
});

describeEngines('announcements whose delivery the database does not record', (engine) => {
  const api = suiteEventClient(engine);

  it('are recorded when it does again, and later ones are announced in between', async () => {
    const { app, settings } = api.server;
    const database = await openDatabase(settings.DATABASE_URL, settings.DATA_DIR, () => undefined);
    const rejecting =
      engine === 'sqlite'
        ? [
            "create trigger rejecting before update of position on change_cursors begin select raise(abort, 'full'); end",
          ]
        : [
            "create function reject() returns trigger language plpgsql as $$ begin raise exception 'full'; end $$",
            'create trigger rejecting before update of position on change_cursors for each row execute function reject()',
          ];
    const delivered: Event[] = [];
    await app.attach((event) => void delivered.push(event));
    await database.script(rejecting);
    const { token } = api.account;
    const { json } = await api.server.call('POST', '/api/tools', { token, body: { name: 'Rake' } });
    await expect.poll(() => delivered.length).toBe(1);
    await api.server.call('PATCH', `/api/tools/${json.id}`, { token, body: { name: 'Hoe' } });
    await sleep(100);
    expect(await countPending(app.server())).toBe(2);
    await database.script([`drop trigger rejecting${engine === 'postgres' ? ' on change_cursors' : ''}`]);
    await expect.poll(() => countPending(app.server())).toBe(0);
    await expect.poll(() => delivered.map(({ recordId }) => recordId)).toEqual([json.id, json.id]);
    await database.close();
  });
});

describeEngines('several processes', (engine) => {
  const api = suiteEventClient(engine);
  const log = pino({ level: 'silent' });

  /** Starts the announcer of a process, with a connection and a clock of its own. */
  const startProcess = async (
    listener: (event: Event) => void | Promise<void>,
    now = () => Date.now(),
    untilClientsReturn = async (_deviceId: number): Promise<void> => undefined,
  ) => {
    const { settings } = api.server;
    const database = await openDatabase(settings.DATABASE_URL, settings.DATA_DIR, () => undefined);
    const changes = new ChangeLog();
    const source = createScopeFactory({ database, clock: { now }, changeLog: changes, records: noRecords });
    const dispatcher = new ChangeDispatcher(changes);
    dispatcher.addListener(listener);
    await dispatcher.start({ server: () => source(log), log, isOnlyProcess: false, untilClientsReturn });
    return {
      dispatcher,
      /** The number of claimed devices. */
      claims: () => source(log).count(changeCursors, { where: { claimed_until: { gt: timestamp(0) } } }),
      changes,
      /** Logs changes of a device in one commit. */
      commit: (deviceId: number, ...labels: string[]): Promise<void> =>
        source(log)
          .device(deviceId)
          .transaction(async (inner) => {
            for (const [id, label] of labels.entries()) inner.events.deleted('Tool', id, label);
          }),
      async stop(): Promise<void> {
        await dispatcher.stop();
        await database.close();
      },
    };
  };

  it('announce the changes of a device one after the other: another process’s later than a second, or never', async () => {
    const { deviceId } = await api.server.signUp();
    await expect.poll(() => countPendingOf(api.server.app.server(), [deviceId])).toBe(0);
    const clock = { time: Date.now() };
    const now = () => clock.time;
    const heard: string[] = [];
    let accept = (): void => undefined;
    const accepted = new Promise<void>((resolve) => {
      accept = resolve;
    });
    const one = await startProcess(async ({ label }) => {
      heard.push(`one ${label}`);
      if (label === 'a') await accepted;
    }, now);
    const two = await startProcess(({ label }) => void heard.push(`two ${label}`), now);
    await one.commit(deviceId, 'a');
    await expect.poll(() => heard).toEqual(['one a']);
    await two.commit(deviceId, 'b');
    await one.commit(deviceId, 'c');
    await two.dispatcher.poll();
    await sleep(100);
    expect(heard).toEqual(['one a']);
    accept();
    await expect.poll(() => heard).toEqual(['one a', 'two b', 'one c']);
    await one.dispatcher.stop();
    // Its process does not announce it any more.
    await one.commit(deviceId, 'd');
    clock.time += 1000;
    await expect
      .poll(async () => {
        await two.dispatcher.poll();
        return heard;
      })
      .toEqual(['one a', 'two b', 'one c', 'two d']);
    await one.stop();
    await two.stop();
  });

  it('take over devices of a stalled process, which then announces nothing old', async () => {
    const { app } = api.server;
    const clock = { time: Date.now() };
    const [mine, neighbor] = [await api.server.signUp(), await api.server.signUp()];
    await expect.poll(() => countPendingOf(app.server(), [mine.deviceId, neighbor.deviceId])).toBe(0);
    const started: string[] = [];
    const accept = new Map<string, () => void>();
    const stalled = await startProcess(
      async ({ label }) => {
        started.push(label);
        if (label !== 'later') await new Promise<void>((resolve) => accept.set(label, resolve));
      },
      () => clock.time,
    );
    await stalled.commit(mine.deviceId, 'taken');
    await stalled.commit(neighbor.deviceId, 'first', 'second');
    await expect.poll(() => accept.size).toBe(2);
    clock.time += 2 * claimDuration;
    const taken: string[] = [];
    const other = await startProcess(
      ({ label }) => void taken.push(label),
      () => clock.time,
    );
    await expect
      .poll(async () => {
        await other.dispatcher.poll();
        return taken.toSorted();
      })
      .toEqual(['first', 'second', 'taken']);
    await other.dispatcher.whenIdle();
    accept.get('first')?.();
    await stalled.commit(mine.deviceId, 'later');
    accept.get('taken')?.();
    await expect.poll(() => started.at(-1)).toBe('later');
    await stalled.dispatcher.whenIdle();
    expect(started.toSorted()).toEqual(['first', 'later', 'taken']);
    await stalled.stop();
    await other.stop();
  });

  it('end the announcements of a device that was deleted while they waited', async () => {
    const { deviceId } = await api.server.signUp();
    await expect.poll(() => countPendingOf(api.server.app.server(), [deviceId])).toBe(0);
    const clock = { time: Date.now() };
    const heard: string[] = [];
    let accept = (): void => undefined;
    const one = await startProcess(
      ({ label }) => {
        heard.push(label);
        return new Promise<void>((resolve) => (accept = resolve));
      },
      () => clock.time,
    );
    await one.commit(deviceId, 'a');
    await expect.poll(() => heard).toEqual(['a']);
    await one.commit(deviceId, 'b');
    await api.server.app.server().delete(devices, { where: { id: deviceId } });
    clock.time += 2 * claimDuration;
    accept();
    await one.dispatcher.whenIdle(Number.POSITIVE_INFINITY);
    expect(heard).toEqual(['a']);
    await one.stop();
  });

  it('release their claims, also while they stop', async () => {
    const { deviceId } = await api.server.signUp();
    await expect.poll(() => countPendingOf(api.server.app.server(), [deviceId])).toBe(0);
    const heard: string[] = [];
    const other = await startProcess(({ label }) => void heard.push(label));
    // One whose broker does not accept its announcement, and one that waits for clients, until its broker stops.
    let accept = (): void => undefined;
    const stuck = await startProcess(() => new Promise<void>((resolve) => (accept = resolve)));
    await stuck.commit(deviceId, 'a');
    await expect.poll(() => stuck.claims()).toBe(1);
    await stuck.dispatcher.stop();
    let returned = (): void => undefined;
    const untilReturned = new Promise<void>((resolve) => (returned = resolve));
    const waiting = await startProcess(
      () => undefined,
      Date.now,
      () => untilReturned,
    );
    // It would never resolve if it waited for the clients.
    await waiting.dispatcher.stop();
    returned();
    await expect.poll(() => other.claims()).toBe(0);
    await other.commit(deviceId, 'b');
    await expect.poll(() => heard, { timeout: 3000 }).toEqual(['a', 'b']);
    accept();
    await stuck.stop();
    await waiting.stop();
    await other.stop();
  });

  it('notify the readers of the log of commits of another process', async () => {
    const { deviceId } = await api.server.signUp();
    const heard: (readonly [number, unknown])[] = [];
    const one = await startProcess(() => undefined);
    const two = await startProcess(() => undefined);
    two.changes.onCommit((id, source) => void (id === deviceId && heard.push([id, source])));
    await two.dispatcher.poll();
    heard.length = 0;
    await one.commit(deviceId, 'a');
    await one.dispatcher.whenIdle();
    await two.dispatcher.poll();
    expect(heard).toEqual([[deviceId, 'other process']]);
    await two.dispatcher.poll();
    expect(heard).toHaveLength(1);
    await one.stop();
    await two.stop();
  });
});

describeEngines('announcements of commands', (engine) => {
  it('are delivered by the server process', async () => {
    const serving = await EventRecordingClient.start(engine);
    const { app, settings } = serving.server;
    const command = await openCommandSession(settings, pino({ level: 'silent' }));
    await serving.takeEvents();
    const heard: number[] = [];
    const dispatcher = new ChangeDispatcher(new ChangeLog());
    dispatcher.addListener(({ recordId }) => void heard.push(recordId));
    await dispatcher.start({ server: app.server, log: pino({ level: 'silent' }), isOnlyProcess: engine === 'sqlite' });
    const { id } = await command
      .server()
      .device(serving.account.deviceId)
      .transaction((inner) => insertRecord(inner, tools, plainTool('Left')));
    await command.close();
    await expect
      .poll(async () => {
        await dispatcher.poll();
        return heard;
      })
      .toEqual([id]);
    await dispatcher.stop();
    expect(await countPending(app.server())).toBe(0);
    await serving.server.close();
  });
});

itAnyEngine('polling writes nothing while there is nothing to announce', async () => {
  const { server } = await EventRecordingClient.start('sqlite');
  const dispatcher = new ChangeDispatcher(new ChangeLog());
  await dispatcher.start({ server: server.app.server, log: pino({ level: 'silent' }), isOnlyProcess: true });
  const writer = new Sqlite(join(server.settings.DATA_DIR, 'potager.sqlite'));
  writer.exec('begin immediate');
  // A write would time out behind the other connection's lock.
  await expect(dispatcher.poll()).resolves.toBeUndefined();
  writer.exec('rollback');
  writer.close();
  await dispatcher.stop();
  await server.close();
});

describeEngines('announcements across a restart', (engine) => {
  it('are delivered by the next run if no listener accepted them', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'potager-restart-'));
    const url = engine === 'postgres' ? await createDatabase() : null;
    const settings = readSettings({
      DATA_DIR: folder,
      EMAIL_VERIFICATION: 'off',
      MQTT_PORT: '0',
      LOG_LEVEL: 'silent',
      ...(url && { DATABASE_URL: url }),
    });
    const send = async (app: App, path: string, payload: object, token?: string) => {
      const headers = { 'user-agent': 'test', 'x-farmbot-rpc-id': 'L', ...(token && { authorization: token }) };
      const response = await inject(app.http.handler, { method: 'POST', url: path, headers, payload });
      expect(response.statusCode, response.body).toBe(200);
      return response;
    };
    const [email, password] = ['restart@example.com', 'password123'];

    const first = await createApp(settings);
    await first.attach(() => undefined);
    await send(first, '/api/users', {
      name: 'A',
      email,
      password,
      password_confirmation: password,
      agree_to_terms: true,
    });
    const session = await send(first, '/api/tokens', { user: { email, password } });
    const token: string = session.json().token.encoded;
    await expect.poll(() => countPending(first.server())).toBe(0);
    // A listener that never settles, as if the process were killed during delivery.
    await first.attach(() => new Promise(() => undefined));
    const created = await send(first, '/api/tools', { name: 'Kept' }, token);
    const next = await send(first, '/api/tools', { name: 'Kept too' }, token);
    await first.close();

    // Other processes may use a PostgreSQL database, so a device is claimed only after its claim expired.
    const second = await createApp(settings, url ? { clock: { now: () => Date.now() + 61_000 } } : {});
    const delivered: Event[] = [];
    await second.attach((event) => void delivered.push(event));
    await expect.poll(() => delivered.length).toBe(2);
    expect(eventSummaries(delivered)).toEqual([`Tool ${created.json().id}`, `Tool ${next.json().id}`]);
    expect(delivered.map(({ body }) => body)).toEqual([created.body, next.body]);
    await expect.poll(() => countPending(second.server())).toBe(0);
    await second.close();
    if (url) await dropDatabase(url);
    rmSync(folder, { recursive: true, force: true });
  });
});
