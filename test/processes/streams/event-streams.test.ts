import { once } from 'node:events';
import { get } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { find, updateRecord } from '../../../src/engine/records.ts';
import { points } from '../../../src/garden/points.ts';
import { emptyHistory } from '../../../src/upkeep/device-emptying.ts';
import { signUp } from '../../support/accounts.ts';
import type { Account, TestApp } from '../../support/app.ts';
import { password, startApp } from '../../support/app.ts';
import { describeEngines } from '../../support/engines.ts';
import { EventReader } from '../../support/event-reader.ts';
import { join } from '../../support/members.ts';
import { MqttTestClient } from '../../support/mqtt-test-client.ts';
import { anyPort, startServer } from '../../support/servers.ts';
import { suiteFixture } from '../../support/suite-fixture.ts';

describeEngines('an event stream', (engine) => {
  const server = suiteFixture(
    async () => {
      const app = await startApp(engine, { PORT: '0', HOST: '127.0.0.1' });
      await app.app.listen();
      return app;
    },
    (each: TestApp) => each.close(),
  );
  const readers: EventReader[] = [];
  afterEach(() => {
    for (const reader of readers.splice(0)) reader.close();
  });

  const url = (query = '') =>
    `http://127.0.0.1:${(server.app.http.server.address() as AddressInfo).port}/api/events${query}`;
  const open = async (account: Account, query = '', headers = {}): Promise<EventReader> => {
    const reader = await EventReader.open(url(query), account.token, headers);
    readers.push(reader);
    return reader;
  };
  const send = (account: Account, method: string, path: string, body?: unknown, headers = {}) =>
    server.call(method, path, { token: account.token, ...(body === undefined ? {} : { body }), headers });
  const makeTool = async (account: Account, name: string): Promise<number> =>
    (await send(account, 'POST', '/api/tools', { name })).json.id;

  it('has each change once, in order, with its author', async () => {
    const own = await server.signUp();
    const stream = await open(own);
    const { json } = await send(own, 'POST', '/api/tools', { name: 'Rake' }, { 'x-farmbot-rpc-id': 'my-1' });
    await send(own, 'PATCH', `/api/tools/${json.id}`, { name: 'Hoe' });
    await send(own, 'DELETE', `/api/tools/${json.id}`);
    await expect.poll(() => stream.events.length).toBe(3);
    const [created, updated, deleted] = stream.events;
    expect(created).toEqual({
      name: 'Tool',
      id: expect.stringMatching(/^\d+$/),
      data: {
        action: 'created',
        resource: 'Tool',
        id: json.id,
        record: json,
        label: 'my-1',
        actor: { kind: 'user', user_id: own.userId, name: 'Gardener', via: null },
        at: expect.stringMatching(/^\d{4}-.*Z$/),
      },
    });
    expect(updated?.data).toMatchObject({ action: 'updated', record: { name: 'Hoe' } });
    expect(deleted?.data).toMatchObject({ action: 'deleted', record: null, id: json.id });
    expect(Number(created?.id)).toBeLessThan(Number(updated?.id));
    expect(Number(updated?.id)).toBeLessThan(Number(deleted?.id));
  });

  it('has only changes of its garden and of the resources that were asked for', async () => {
    const [own, stranger] = [await server.signUp(), await server.signUp()];
    const all = await open(own);
    const some = await open(own, '?resources=Sequence,Point');
    const none = await open(own, '?resources=&live=logs');
    await makeTool(stranger, 'Theirs');
    await makeTool(own, 'Mine');
    await send(own, 'POST', '/api/points', { pointer_type: 'Plant', name: 'Tomato', x: 1, y: 2, z: 0 });
    await expect.poll(() => all.recordNames('Point')).toEqual(['Tomato']);
    await expect.poll(() => some.recordNames('Point')).toEqual(['Tomato']);
    expect(all.recordNames()).toEqual(['Mine']);
    expect(some.recordNames()).toEqual([]);
    await send(own, 'POST', '/api/logs', { message: 'Done' });
    await expect.poll(() => none.events.map(({ name }) => name)).toEqual(['logs']);
  });

  it('has changes of the settings of the web app, which are not announced', async () => {
    const own = await server.signUp();
    const { json } = await send(own, 'GET', '/api/web_app_config');
    const stream = await open(own, '?resources=WebAppConfig');
    await makeTool(own, 'Hoe');
    const changed = await send(own, 'PATCH', '/api/web_app_config', { show_weeds: false });
    await send(own, 'DELETE', '/api/web_app_config');
    await expect.poll(() => stream.events.length).toBe(2);
    const common = { resource: 'WebAppConfig', id: json.id };
    expect(stream.events.map(({ data }) => data)).toMatchObject([
      { ...common, action: 'updated', record: changed.json },
      { ...common, action: 'deleted', record: null },
    ]);
    expect((await send(own, 'GET', '/api/history?resource=WebAppConfig')).status).toBe(422);
  });

  it('resumes after an id, by header or query, without a gap or a repeat', async () => {
    const own = await server.signUp();
    const first = await open(own);
    await makeTool(own, 'One');
    await expect.poll(() => first.recordNames()).toEqual(['One']);
    first.close();
    const { id } = first.events.at(-1) ?? { id: '' };
    // More than a page of the log.
    for (let count = 0; count < 130; count++) await makeTool(own, `Next ${count}`);
    const expected = Array.from({ length: 130 }, (_, count) => `Next ${count}`);
    const byQuery = await open(own, `?after=${id}`);
    const byHeader = await open(own, '?after=0', { 'last-event-id': id });
    for (const stream of [byQuery, byHeader]) {
      await expect.poll(() => stream.recordNames().length).toBe(130);
      expect(stream.recordNames()).toEqual(expected);
    }
    await makeTool(own, 'Last');
    await expect.poll(() => byQuery.recordNames().at(-1)).toBe('Last');
    expect(byQuery.recordNames()).toEqual([...expected, 'Last']);
  });

  it('has large changes whole, also of one commit, and more together than may wait', async () => {
    const own = await server.signUp();
    const names = [1, 2, 3, 4, 5, 6, 7, 8].map((each) => `${each}${'x'.repeat(each === 5 ? 1_500_000 : 300_000)}`);
    const ids: number[] = [];
    for (const _ of names)
      ids.push((await send(own, 'POST', '/api/points', { pointer_type: 'Plant', x: 1, y: 2, z: 0 })).json.id);
    const first = await open(own);
    await makeTool(own, 'First');
    await expect.poll(() => first.recordNames()).toEqual(['First']);
    const { id } = first.events.at(-1) ?? { id: '' };
    await server.app
      .server()
      .device(own.deviceId)
      .transaction(async (scope) => {
        for (const [index, name] of names.entries())
          await updateRecord(scope, points, await find(scope, points, ids[index] ?? 0), { name });
      });
    await makeTool(own, 'Last');
    const resumed = await open(own, `?after=${id}`);
    const sizes = (stream: EventReader) => stream.recordNames('Point').map((name) => [name[0], name.length]);
    for (const stream of [first, resumed]) {
      await expect.poll(() => stream.recordNames().at(-1)).toBe('Last');
      expect(sizes(stream)).toEqual(names.map((name) => [name[0], name.length]));
      expect(stream.refusals).toEqual([]);
    }
  });

  it('starts without a gap or a repeat while others write', async () => {
    const own = await server.signUp();
    const start = await open(own);
    await makeTool(own, 'Before');
    await expect.poll(() => start.recordNames()).toEqual(['Before']);
    const { id } = start.events.at(-1) ?? { id: '' };
    const writing = (async () => {
      for (let count = 0; count < 200; count++) await makeTool(own, `Next ${count}`);
    })();
    const streams: EventReader[] = [];
    for (let count = 0; count < 8; count++) streams.push(await open(own, `?after=${id}`));
    await writing;
    const expected = Array.from({ length: 200 }, (_, count) => `Next ${count}`);
    for (const stream of streams) {
      await expect.poll(() => stream.recordNames().length).toBe(200);
      expect(stream.recordNames()).toEqual(expected);
    }
  });

  it('sends one reset if the log does not have the requested changes, and continues', async () => {
    const own = await server.signUp();
    await makeTool(own, 'Old');
    const stream = await open(own, '?after=999999999');
    await expect.poll(() => stream.events.map(({ name }) => name)).toEqual(['reset']);
    await makeTool(own, 'New');
    await expect.poll(() => stream.recordNames()).toEqual(['New']);
    expect(stream.events).toHaveLength(2);
  });

  it('sends one reset if the log was trimmed beyond the client’s position, not to one that has everything', async () => {
    const own = await server.signUp();
    const current = await open(own);
    await makeTool(own, 'A');
    await expect.poll(() => current.recordNames()).toEqual(['A']);
    const { id } = current.events.at(-1) ?? { id: '' };
    for (const name of ['B', 'C']) await makeTool(own, name);
    await expect.poll(() => current.recordNames()).toEqual(['A', 'B', 'C']);
    await emptyHistory(server.app.server().device(own.deviceId));
    const late = await open(own, `?after=${id}`);
    await expect.poll(() => late.events.map(({ name }) => name)).toEqual(['reset']);
    await makeTool(own, 'D');
    await expect.poll(() => late.recordNames()).toEqual(['D']);
    expect(late.events).toHaveLength(2);
    await expect.poll(() => current.recordNames()).toEqual(['A', 'B', 'C', 'D']);
    expect(current.events.map(({ name }) => name)).not.toContain('reset');
  });

  it('is never compressed or buffered', async () => {
    const own = await server.signUp();
    const request = get(url(), { headers: { authorization: own.token, 'accept-encoding': 'gzip, br' } });
    const [response] = await once(request, 'response');
    expect(response.headers).toMatchObject({ 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' });
    expect(response.headers['content-encoding']).toBeUndefined();
    // The id at the beginning of the stream, from which a client can resume before the first event.
    const [first] = await once(response, 'data');
    expect(String(first)).toMatch(/^id: \d+\nevent: start\ndata: \{\}\n\n$/);
    request.destroy();
  });

  it('refuses unknown parameters, naming them, and the 21st stream of a garden', async () => {
    const own = await server.signUp();
    const problem = async (query: string, headers = {}) => {
      const { status, json } = await server.call('GET', `/api/events${query}`, { token: own.token, headers });
      return [status, Object.keys(json)];
    };
    expect(await problem('?after=x')).toEqual([422, ['after']]);
    expect(await problem('?after=-1')).toEqual([422, ['after']]);
    expect(await problem('?after=1&after=2&live=logs&live=status')).toEqual([422, ['after', 'live']]);
    expect(await problem('', { 'last-event-id': '1.5' })).toEqual([422, ['Last-Event-ID']]);
    expect(await problem('?resources=Point,Nothing&live=pings')).toEqual([422, ['resources', 'live']]);
    expect((await server.call('GET', '/api/events')).status).toBe(401);
    expect((await server.call('GET', '/api/events?ticket=x')).status).toBe(401);
    for (let count = 0; count < 20; count++) await open(own);
    const refused = await server.call('GET', '/api/events', { token: own.token });
    expect([refused.status, refused.json]).toEqual([
      429,
      { error: 'There are 20 event streams of this garden already. Close one first.' },
    ]);
    readers[0]?.close();
    const retry = async () => {
      const reader = new EventReader(url(), own.token);
      readers.push(reader);
      await expect.poll(() => reader.isOpen || reader.refusals.length > 0).toBe(true);
      return reader.isOpen;
    };
    await expect.poll(retry).toBe(true);
  });

  it('is refused to members who have 5, or 15 together, and their tickets at 25, so that the owner can always connect', async () => {
    const owner = await server.signUp();
    const members: Account[] = [];
    for (const role of ['viewer', 'gardener', 'viewer', 'viewer']) {
      const guest = await server.signUp();
      const { json } = await send(owner, 'POST', '/api/invitations', { email: guest.email, role });
      const token = String(json.link).split('/').pop();
      const accepted = await send(guest, 'POST', '/api/invitations/accept', { token });
      members.push({ ...guest, token: accepted.json.token.encoded });
    }
    const [first, second, third, fourth] = members as [Account, Account, Account, Account];
    const refused = async (account: Account) => {
      const { status, text } = await send(account, 'GET', '/api/events');
      expect(status).toBe(429);
      return text;
    };
    for (let count = 0; count < 5; count++) await open(first);
    expect(await refused(first)).toContain('You have 5 event streams');
    for (const member of [second, third]) for (let count = 0; count < 5; count++) await open(member);
    expect(await refused(fourth)).toContain('Members have 15 event streams');
    for (let count = 0; count < 5; count++) await open(owner);
    expect(await refused(owner)).toContain('There are 20 event streams');

    const tickets = async (account: Account): Promise<number> => {
      for (let count = 0; ; count++)
        if ((await send(account, 'POST', '/api/events/ticket')).status !== 200) return count;
    };
    expect(await tickets(first)).toBe(25);
    expect(await tickets(second)).toBe(25);
    expect(await tickets(third)).toBe(25);
    expect(await tickets(fourth)).toBe(0);
    expect(await tickets(owner)).toBe(25);
  });

  it('ends when its token does', async () => {
    const own = await server.signUp();
    const stream = await open(own);
    await send(own, 'DELETE', '/api/tokens');
    // It tries to reconnect, and is refused.
    await expect.poll(() => stream.refusals).toContain(401);
    const { json } = await server.call('POST', '/api/tokens', { body: { user: { email: own.email, password } } });
    const again = await open({ ...own, token: json.token.encoded });
    await makeTool({ ...own, token: json.token.encoded }, 'Later');
    await expect.poll(() => again.recordNames()).toEqual(['Later']);
    expect(stream.events).toEqual([]);
  });

  it('has only records that a personal token may read, and ends when it is revoked', async () => {
    const own = await server.signUp();
    const body = { name: 'Programs only', scopes: ['programs'], expires_at: null };
    const { status, json, text } = await send(own, 'POST', '/api/personal_tokens', body);
    expect(status, text).toBe(200);
    const scoped = { ...own, token: json.token };
    for (const query of ['?resources=Tool', '?live=status', '?live=logs'])
      expect((await server.call('GET', `/api/events${query}`, { token: json.token })).status, query).toBe(403);
    const stream = await open(scoped);
    const { ticket } = (await send(scoped, 'POST', '/api/events/ticket')).json;
    const byTicket = await EventReader.open(url(`?ticket=${ticket}`), null);
    readers.push(byTicket);
    await makeTool(own, 'Hidden');
    await send(own, 'POST', '/api/sequences', { name: 'Shown', body: [] });
    for (const reader of [stream, byTicket]) {
      await expect.poll(() => reader.recordNames('Sequence')).toEqual(['Shown']);
      expect(reader.recordNames()).toEqual([]);
    }
    expect((await send(own, 'DELETE', `/api/personal_tokens/${json.id}`)).status).toBe(200);
    await expect.poll(() => [stream.isOpen, byTicket.isOpen]).toEqual([false, false]);
  });

  it('has nothing that is changed after a token was narrowed or revoked, or a member removed', async () => {
    const own = await server.signUp();
    const personal = async (scopes: readonly string[]): Promise<{ id: number; token: string }> =>
      (await send(own, 'POST', '/api/personal_tokens', { name: 'Script', scopes })).json;
    const [narrowed, revoked] = [await personal(['read', 'control']), await personal(['read'])];
    const member = await join(server, own, await server.signUp(), 'viewer');
    const streams: EventReader[] = [];
    for (const { token } of [narrowed, revoked, member]) streams.push(await open({ ...own, token }));
    await makeTool(own, 'Before');
    for (const stream of streams) await expect.poll(() => stream.recordNames()).toEqual(['Before']);
    const all = await open(own);
    await send(own, 'PATCH', `/api/personal_tokens/${narrowed.id}`, { scopes: ['control'] });
    await makeTool(own, 'After 1');
    await expect.poll(() => streams[1]?.recordNames()).toEqual(['Before', 'After 1']);
    await send(own, 'DELETE', `/api/personal_tokens/${revoked.id}`);
    await makeTool(own, 'After 2');
    await expect.poll(() => streams[2]?.recordNames()).toEqual(['Before', 'After 1', 'After 2']);
    await send(own, 'DELETE', `/api/members/${member.userId}`);
    await makeTool(own, 'After 3');
    await expect.poll(() => all.recordNames()).toEqual(['After 1', 'After 2', 'After 3']);
    // The narrowed token reconnects, and may not read tools; the others are refused.
    await expect.poll(() => streams.slice(1).map(({ refusals }) => refusals.includes(401))).toEqual([true, true]);
    expect(streams.map((stream) => stream.recordNames())).toEqual([
      ['Before'],
      ['Before', 'After 1'],
      ['Before', 'After 1', 'After 2'],
    ]);
  });

  it('has logs that were sent over HTTP and logs of the server, if it asked for them', async () => {
    const [own, stranger] = [await server.signUp(), await server.signUp()];
    await send(own, 'POST', '/api/logs', { message: 'Before' });
    const stream = await open(own, '?live=logs');
    const silent = await open(own, '?live=status');
    await send(stranger, 'POST', '/api/logs', { message: 'Theirs' });
    const { json } = await send(own, 'POST', '/api/logs', { message: 'All watered.', type: 'fun', x: 7 });
    const { json: config } = await send(own, 'PATCH', '/api/fbos_config', { safe_height: -1 });
    // The server writes a log about a change of an old copy.
    const stale = { updated_at: '2020-01-01T00:00:00.000Z', safe_height: -2, soil_height: -3 };
    expect((await send(own, 'PATCH', '/api/fbos_config', stale)).status).toBe(409);
    await expect.poll(() => stream.events.length).toBe(2);
    const message = `A change was discarded because it was based on an outdated copy (record ${config.id}).`;
    expect(stream.events).toEqual([
      { name: 'logs', id: expect.any(String), data: json },
      { name: 'logs', id: expect.any(String), data: expect.objectContaining({ message, major_version: 99 }) },
    ]);
    expect(silent.events).toEqual([]);
  });

  it('opens once with a ticket, which has the rights of its token and expires', async () => {
    const own = await server.signUp();
    const { status, json } = await send(own, 'POST', '/api/events/ticket');
    expect([status, Object.keys(json)]).toEqual([200, ['ticket', 'expires_at']]);
    const reader = await EventReader.open(url(`?ticket=${json.ticket}`), null);
    readers.push(reader);
    await makeTool(own, 'Seen');
    await expect.poll(() => reader.recordNames()).toEqual(['Seen']);
    expect((await server.call('GET', `/api/events?ticket=${json.ticket}`)).status).toBe(401);
    // A ticket opens nothing else.
    const other = (await send(own, 'POST', '/api/events/ticket')).json.ticket;
    expect((await server.call('GET', `/api/tools?ticket=${other}`)).status).toBe(401);
    await send(own, 'DELETE', '/api/tokens');
    await expect.poll(() => reader.isOpen).toBe(false);
    expect((await server.call('GET', `/api/events?ticket=${other}`)).status).toBe(401);
  });
});

describeEngines('a stream whose token expires', (engine) => {
  it('ends, also one that was opened with a ticket', async () => {
    const clock = { offset: 0, now: () => Date.now() + clock.offset };
    const server = await startApp(engine, { PORT: '0', HOST: '127.0.0.1' }, clock);
    const readers: EventReader[] = [];
    try {
      const { address } = await server.app.listen();
      const own = await server.signUp();
      const open = async (query: string, token: string | null) => {
        const reader = await EventReader.open(`${address}/api/events${query}`, token);
        readers.push(reader);
        return reader;
      };
      const ticketOf = async (token: string): Promise<string> =>
        (await server.call('POST', '/api/events/ticket', { token })).json.ticket;
      const body = { name: 'Wall', scopes: ['read'], expires_at: new Date(clock.now() + 3_600_000).toISOString() };
      const { token } = (await server.call('POST', '/api/personal_tokens', { token: own.token, body })).json;
      const personal = await open('', token);
      const byTicket = await open(`?ticket=${await ticketOf(token)}`, null);
      const session = await open('', own.token);
      clock.offset += 3_600_000;
      await expect.poll(() => [personal.isOpen, byTicket.isOpen]).toEqual([false, false]);
      await server.call('POST', '/api/tools', { token: own.token, body: { name: 'Later' } });
      await expect.poll(() => session.recordNames()).toEqual(['Later']);
      expect([personal.recordNames(), byTicket.recordNames()]).toEqual([[], []]);
      // When they come back, they are refused.
      await expect.poll(() => [personal.refusals.at(-1), byTicket.refusals.at(-1)]).toEqual([401, 401]);
      clock.offset += 60 * 86_400_000;
      await expect.poll(() => session.isOpen).toBe(false);
    } finally {
      for (const reader of readers) reader.close();
      await server.close();
    }
  });
});

describe('a ticket', () => {
  it('expires after 30 seconds, and a garden has at most 100 of them', async () => {
    let now = Date.now();
    const server = await startApp('sqlite', {}, { now: () => now });
    try {
      const { token } = await server.signUp();
      const make = () => server.call('POST', '/api/events/ticket', { token });
      const { ticket } = (await make()).json;
      now += 30_000;
      expect((await server.call('GET', `/api/events?ticket=${ticket}`)).status).toBe(401);
      for (let count = 0; count < 100; count++) expect((await make()).status).toBe(200);
      const refused = await make();
      expect([refused.status, refused.json]).toEqual([
        429,
        { error: 'There are too many unused tickets. Wait half a minute.' },
      ]);
      expect(refused.headers['retry-after']).toBe('30');
      now += 30_000;
      expect((await make()).status).toBe(200);
    } finally {
      await server.close();
    }
  });
});

describe('the server', () => {
  it('sends messages of the robot, disconnects a client that does not read, and stops without waiting for streams', async () => {
    const server = await startServer('sqlite', { MQTT_PORT: anyPort });
    try {
      const account = await signUp(server, 'ada');
      const streamUrl = `${server.base}/api/events?live=status,logs,telemetry`;
      const reader = await EventReader.open(streamUrl, account.token);
      const silent = await EventReader.open(`${server.base}/api/events?live=status`, account.token);
      const robot = await MqttTestClient.connect(server.mqtt, { username: account.bot, password: account.token });
      const say = (channel: string, text: string) => robot.publish(`bot/${account.bot}/${channel}`, text, { qos: 1 });
      await say('status', 'not JSON');
      await say('status', '{"location_data":\n{}}');
      await say('telemetry', '{"telemetry_soc_temp":42}');
      await say('logs', '{"type":"info","message":"Hello","channels":[]}');
      await expect
        .poll(() => reader.events.map(({ name, data }) => [name, data]))
        .toEqual([
          ['status', { location_data: {} }],
          ['telemetry', { telemetry_soc_temp: 42 }],
          ['logs', { type: 'info', message: 'Hello', channels: [] }],
        ]);
      expect(silent.events).toHaveLength(1);
      // Logs from the broker are stored by now, and not sent again as posted ones.
      await server.client.post('/api/logs', { message: 'Posted' }, account.token);
      const messages = () => reader.events.filter(({ name }) => name === 'logs').map(({ data }) => data.message);
      await expect.poll(messages).toEqual(['Hello', 'Posted']);

      const unread = connect(server.port, '127.0.0.1');
      await once(unread, 'connect');
      unread.pause();
      unread.write(`GET /api/events?live=status HTTP/1.1\r\nhost: x\r\nauthorization: ${account.token}\r\n\r\n`);
      let isClosed = false;
      unread.once('close', () => {
        isClosed = true;
      });
      unread.on('error', () => undefined);
      const large = JSON.stringify({ text: 'x'.repeat(100_000) });
      // The kernel buffers some megabytes; a closed connection is noticed when it is written to.
      for (let count = 0; count < 400 && !isClosed; count++) {
        await say('status', large);
        if (count > 150) unread.write(' ');
      }
      await expect.poll(() => isClosed).toBe(true);
      // A client that reads is not affected.
      expect(reader.isOpen).toBe(true);
      const last = await server.client.post('/api/tools', { name: 'Last' }, account.token);
      expect(last.status).toBe(200);
      await expect.poll(() => reader.recordNames()).toEqual(['Last']);
      await robot.end();
      const { body } = await fetch(`http://127.0.0.1:${server.port}/api/events`, {
        headers: { authorization: account.token },
      });
      const ended = new Response(body).text();
      expect(await server.stop()).toBe(0);
      // A stop ends streams; connections that do not end are destroyed after 8 s, which is an error for clients.
      expect(await ended).toMatch(/^id: /);
      reader.close();
      silent.close();
    } finally {
      await server.remove();
    }
  });
});
