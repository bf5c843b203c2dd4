import { mkdtempSync, rmSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import inject from 'light-my-request';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { App } from '../src/app.ts';
import { createApp } from '../src/app.ts';
import type { Event } from '../src/core/events.ts';
import { EventDispatcher } from '../src/db/event-dispatcher.ts';
import { eventRows } from '../src/db/event-rows.ts';
import { openDatabase } from '../src/db/open.ts';
import type { DeviceScope } from '../src/db/scope.ts';
import { deleteRecord, find, insertRecord, updateRecord } from '../src/engine/records.ts';
import { tools } from '../src/garden/tools.ts';
import { openCommandSession } from '../src/operations.ts';
import { readSettings } from '../src/settings/settings.ts';
import { createDatabase, dropDatabase } from './support/databases.ts';
import { describeEngines } from './support/engines.ts';
import { EventRecordingClient, eventSummaries, suiteEventClient } from './support/event-recording-client.ts';
import { HttpClient } from './support/http-client.ts';

// When, in which order and to which listener announcements are delivered.

describeEngines('the delivery of announcements', (engine) => {
  const my = suiteEventClient(engine, { HOST: '127.0.0.1', PORT: '0' });
  let client: HttpClient;
  const moments: { name: string; at: number }[] = [];
  beforeAll(async () => {
    my.server.app.http.server.on('request', (_request: IncomingMessage, response: ServerResponse) => {
      response.on('finish', () => moments.push({ name: 'sent', at: performance.now() }));
    });
    client = new HttpClient((await my.server.app.listen()).address);
    await my.server.app.attach(({ resource }) => void moments.push({ name: resource, at: performance.now() }));
  });
  afterAll(async () => {
    client.close();
  });

  const scope = () => my.server.app.server().device(my.account.deviceId);
  const inTransaction = async (work: (scope: DeviceScope) => Promise<unknown>) => {
    await my.takeEvents();
    await scope().transaction(work);
    return my.takeEvents();
  };

  it('follows the response, a tenth of a second later for a robot', async () => {
    const { token } = my.account;
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
      const [event] = await my.takeEvents();
      expect([response.status, event?.origin]).toEqual([200, agent === robot ? 'robot' : 'client']);
      expect(moments.map(({ name }) => name)).toEqual(['sent', 'SensorReading']);
      expect((moments[1]?.at ?? 0) - (moments[0]?.at ?? 0)).toBeGreaterThanOrEqual(least);
    }
  });

  it('keeps the commit order of a device', async () => {
    const id = await my.create('tools');
    await my.takeEvents();
    const { token } = my.account;
    const steps = Array.from({ length: 40 }, (_, step) => step);
    const responses = await Promise.all(
      steps.map((step) =>
        my.server.call('PATCH', `/api/tools/${id}`, { token, body: { flow_rate_ml_per_s: step + 1 } }),
      ),
    );
    expect(responses.map(({ status }) => status)).toEqual(steps.map(() => 200));
    const events = await my.takeEvents();
    expect(events).toHaveLength(40);
    expect(events.map((event) => event.id)).toEqual(events.map((event) => event.id).sort((a, b) => a - b));
    expect(new Set(events.map(({ body }) => body))).toEqual(new Set(responses.map(({ text }) => text)));
    expect(events.at(-1)?.body).toBe((await my.requestOk('GET', `/api/tools/${id}`)).text);
  });

  it('labels changes by jobs NONE', async () => {
    const [event] = await inTransaction((inner) =>
      insertRecord(inner, tools, { name: 'By a job', flow_rate_ml_per_s: 0, seeder_tip_z_offset: 80 }),
    );
    expect(event).toMatchObject({ resource: 'Tool', label: 'NONE', origin: 'server' });
  });

  it('merges several changes of a record into one event', async () => {
    const id = await my.create('tools', { name: 'Thrice' });
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
    const id = await my.create('tools', { name: 'Steady' });
    const rename = async (inner: DeviceScope) => {
      await updateRecord(inner, tools, await find(inner, tools, id), { name: 'Fleeting' });
      throw new Error('back');
    };
    await expect(inTransaction(rename)).rejects.toThrow('back');
    expect(await my.takeEvents()).toEqual([]);
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
    await my.server.app.attach((event) => {
      if (event.deviceId === my.account.deviceId && failures-- > 0) throw new Error('not now');
      delivered.push(event);
    });
    const first = await my.server.call('POST', '/api/tools', { token: my.account.token, body: { name: 'First' } });
    const second = await my.server.call('POST', '/api/tools', { token: my.account.token, body: { name: 'Second' } });
    await my.takeEvents();
    expect(delivered.map(({ recordId }) => recordId)).toEqual([first.json.id, second.json.id]);
  });

  it('reaches only the device of the change', async () => {
    const other = await my.server.signUp();
    await my.takeEvents();
    const { status } = await my.server.call('POST', '/api/tools', { token: other.token, body: { name: 'Hers' } });
    expect([status, await my.takeEvents()]).toEqual([200, []]);
  });
});

describeEngines('announcements that the database does not delete', (engine) => {
  const my = suiteEventClient(engine);

  it('are deleted when it does again, and other processes go on', async () => {
    const { app, settings } = my.server;
    const database = await openDatabase(settings.DATABASE_URL, settings.DATA_DIR, () => undefined);
    const rejecting =
      engine === 'sqlite'
        ? ["create trigger rejecting before delete on events begin select raise(abort, 'full'); end"]
        : [
            "create function reject() returns trigger language plpgsql as $$ begin raise exception 'full'; end $$",
            'create trigger rejecting before delete on events for each row execute function reject()',
          ];
    const delivered: Event[] = [];
    await app.attach((event) => void delivered.push(event));
    await database.script(rejecting);
    const { token } = my.account;
    const { json } = await my.server.call('POST', '/api/tools', { token, body: { name: 'Rake' } });
    await expect.poll(() => delivered.length).toBe(1);
    const rest = () => app.server().count(eventRows);
    await sleep(100);
    expect(await rest()).toBe(1);
    await database.script([`drop trigger rejecting${engine === 'postgres' ? ' on events' : ''}`]);
    await expect.poll(rest).toBe(0);
    await my.server.call('PATCH', `/api/tools/${json.id}`, { token, body: { name: 'Hoe' } });
    await expect.poll(() => delivered.map(({ recordId }) => recordId)).toEqual([json.id, json.id]);
    await database.close();
  });
});

describeEngines('announcements that another process took over during their delivery', (engine) => {
  const my = suiteEventClient(engine);

  it('are dropped, and no others', async () => {
    const { app } = my.server;
    const neighbor = await my.server.signUp();
    await expect.poll(() => app.server().count(eventRows)).toBe(0);
    const clock = { time: Date.now(), now: () => clock.time };
    const log = pino({ level: 'silent' });
    const [stalled, other] = [new EventDispatcher(clock), new EventDispatcher(clock)];
    const started: string[] = [];
    const accept = new Map<string, () => void>();
    const listener = async ({ label }: Event) => {
      started.push(label);
      if (label !== 'later') await new Promise<void>((resolve) => accept.set(label, resolve));
    };
    const commit = async (deviceId: number, ...labels: string[]) => {
      const scope = app.server().device(deviceId);
      const event = { resource: 'Tool', record_id: 1, origin: 'server', body: null, ...stalled.claim() };
      const rows = await scope.transaction((inner) =>
        inner.insertAll(
          eventRows,
          labels.map((label) => ({ ...event, label })),
        ),
      );
      stalled.enqueue(deviceId, rows, undefined);
    };
    await stalled.attach(listener, app.server, log, false);
    await commit(my.account.deviceId, 'taken');
    await commit(neighbor.deviceId, 'first', 'second');
    await expect.poll(() => accept.size).toBe(2);
    clock.time += 20_000;
    const taken: string[] = [];
    await other.attach(({ label }) => void taken.push(label), app.server, log, false);
    await other.whenIdle();
    expect(taken.sort()).toEqual(['first', 'second', 'taken']);
    await commit(my.account.deviceId, 'later');
    // Before the second one, all claims are renewed.
    accept.get('first')?.();
    await sleep(200);
    accept.get('taken')?.();
    await expect.poll(() => started).toEqual(['taken', 'first', 'later']);
    await stalled.stop();
    await other.stop();
  });
});

describeEngines('announcements of commands', (engine) => {
  it('are recorded and delivered by the server process', async () => {
    const serving = await EventRecordingClient.start(engine);
    // The broker is never started, but it is configured.
    const command = await openCommandSession({ ...serving.server.settings, MQTT_PORT: 1 }, pino({ level: 'silent' }));
    await serving.takeEvents();
    const scope = command.server().device(serving.account.deviceId);
    const { id } = await scope.transaction((inner) =>
      insertRecord(inner, tools, { name: 'Left', flow_rate_ml_per_s: 0, seeder_tip_z_offset: 80 }),
    );
    await command.close();
    const dispatcher = new EventDispatcher({ now: () => Date.now() });
    const delivered: Event[] = [];
    const log = pino({ level: 'silent' });
    await dispatcher.attach((event) => void delivered.push(event), serving.server.app.server, log, false);
    await expect.poll(() => eventSummaries(delivered)).toEqual([`Tool ${id} with another label`]);
    await dispatcher.claimExpired();
    await dispatcher.stop();
    expect(delivered).toHaveLength(1);
    const rest = await serving.server.app.server().rows(eventRows, { where: { resource: 'Tool' } });
    expect(rest).toEqual([]);
    await serving.server.close();
  });

  it('are not recorded without a broker', async () => {
    const serving = await EventRecordingClient.start(engine);
    const command = await openCommandSession(serving.server.settings, pino({ level: 'silent' }));
    await serving.takeEvents();
    await command
      .server()
      .device(serving.account.deviceId)
      .transaction((inner) =>
        insertRecord(inner, tools, { name: 'Unheard', flow_rate_ml_per_s: 0, seeder_tip_z_offset: 80 }),
      );
    expect(await command.server().count(eventRows, { where: { resource: 'Tool' } })).toBe(0);
    await command.close();
    await serving.server.close();
  });
});

it('polling writes nothing while there are no events to claim', async () => {
  const { server } = await EventRecordingClient.start('sqlite');
  const dispatcher = new EventDispatcher({ now: () => Date.now() });
  await dispatcher.attach(() => undefined, server.app.server, pino({ level: 'silent' }), true);
  const writer = new Sqlite(join(server.settings.DATA_DIR, 'potager.sqlite'));
  writer.exec('begin immediate');
  // A write would time out behind the other connection's lock.
  await expect(dispatcher.claimExpired()).resolves.toBeUndefined();
  writer.exec('rollback');
  writer.close();
  await dispatcher.stop();
  await server.close();
});

describeEngines('announcements across a restart', (engine) => {
  it('are delivered by the next run if no listener accepted them', {
    timeout: 30_000,
  }, async () => {
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
    await send(first, '/api/users', {
      name: 'A',
      email,
      password,
      password_confirmation: password,
      agree_to_terms: true,
    });
    const session = await send(first, '/api/tokens', { user: { email, password } });
    const token: string = session.json().token.encoded;
    await send(first, '/api/tools', { name: 'Unheard' }, token);
    expect(await first.server().count(eventRows)).toBe(0);
    // A listener that never settles, as if the process were killed during delivery.
    await first.attach(() => new Promise(() => undefined));
    const created = await send(first, '/api/tools', { name: 'Kept' }, token);
    const next = await send(first, '/api/tools', { name: 'Kept too' }, token);
    await first.close();

    // Other processes may use a PostgreSQL database, so the events are claimed only after their claim expired.
    const second = await createApp(settings, url ? { clock: { now: () => Date.now() + 61_000 } } : {});
    const delivered: Event[] = [];
    await second.attach((event) => void delivered.push(event));
    await expect.poll(() => delivered.length).toBe(2);
    expect(eventSummaries(delivered)).toEqual([`Tool ${created.json().id}`, `Tool ${next.json().id}`]);
    expect(delivered.map(({ body }) => body)).toEqual([created.body, next.body]);
    await expect.poll(() => second.server().count(eventRows)).toBe(0);
    await second.close();
    if (url) await dropDatabase(url);
    rmSync(folder, { recursive: true, force: true });
  });
});
