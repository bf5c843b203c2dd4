import ICAL from 'ical.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { members } from '../../../src/accounts/members.ts';
import { users } from '../../../src/accounts/users.ts';
import { calendarFeeds } from '../../../src/programs/calendar-feeds.ts';
import type { Account } from '../../support/app.ts';
import { suiteAccount, suiteApp } from '../../support/app.ts';
import { describeAnyEngine, describeEngines, itAnyEngine } from '../../support/engines.ts';

const clock = { time: Date.UTC(2026, 0, 10, 12), now: () => clock.time };
const year = { from: '2026-01-01T00:00:00Z', to: '2027-01-01T00:00:00Z' };

interface Occurrence {
  readonly farm_event_id: number;
  readonly sequence_name: string;
  readonly regimen_name: string | null;
  readonly regimen_item_id: number | null;
  readonly at: string;
  readonly local: string;
}

/** Returns the summaries and times of all runs of a calendar before a time, as an iCalendar client finds them. */
function expanded(text: string, before: string): string[] {
  const calendar = new ICAL.Component(ICAL.parse(text) as unknown as unknown[]);
  const end = Date.parse(before);
  return calendar
    .getAllSubcomponents('vevent')
    .flatMap((component) => {
      const event = new ICAL.Event(component);
      const times = [];
      const runs = event.iterator();
      for (let next = runs.next(); next && next.toJSDate().getTime() < end; next = runs.next())
        times.push(`${next.toJSDate().toISOString()} ${event.summary}`);
      return times;
    })
    .sort();
}

describeEngines('the calendar', (engine) => {
  const server = suiteApp(engine, {}, clock);
  const account = suiteAccount(server);
  const other = suiteAccount(server);

  const send = async (method: string, path: string, body?: object, { token }: Pick<Account, 'token'> = account) =>
    server.call(method, path, { token, ...(body && { body }) });
  const create = async (path: string, body: object, owner: Account = account): Promise<{ id: number }> => {
    const { status, json, text } = await send('POST', path, body, owner);
    expect([status, text.slice(0, 300)]).toEqual([200, expect.anything()]);
    return json;
  };
  const sequence = (name: string, owner?: Account) =>
    create('/api/sequences', { name, args: {}, body: [], kind: 'sequence' }, owner);
  const occurrences = async (span: object, owner: Pick<Account, 'token'> = account): Promise<Occurrence[]> => {
    const query = new URLSearchParams({ ...span }).toString();
    const { status, json } = await send('GET', `/api/farm_events/occurrences?${query}`, undefined, owner);
    expect([status, Array.isArray(json) || json]).toEqual([200, true]);
    return json;
  };
  const ids = { water: 0, regimen: 0, event: 0 };

  beforeAll(async () => {
    await send('PATCH', '/api/device', { timezone: 'Europe/Berlin', name: 'Robot; of “me”, myself' });
    const name = `Water, mow; weed\\${'ü'.repeat(60)}`;
    ids.water = (await sequence(name)).id;
    const photo = await sequence('Photo');
    const regimen = await create('/api/regimens', {
      name: 'Growing',
      color: 'red',
      regimen_items: [
        { sequence_id: ids.water, time_offset: 8 * 3_600_000 + 999 },
        { sequence_id: photo.id, time_offset: 90 * 86_400_000 },
      ],
    });
    ids.regimen = regimen.id;
    const event = (fields: object) =>
      create('/api/farm_events', { executable_type: 'Sequence', executable_id: ids.water, repeat: 1, ...fields });
    const span = { start_time: '2026-01-15T05:30:00Z', end_time: '2027-03-01T05:30:00Z' };
    ids.event = (await event({ ...span, time_unit: 'daily', repeat: 2 })).id;
    await event({ ...span, time_unit: 'weekly' });
    await event({ ...span, time_unit: 'monthly' });
    await event({ ...span, time_unit: 'yearly' });
    await event({ ...span, time_unit: 'hourly', repeat: 36 });
    await event({
      start_time: '2026-10-24T22:10:00Z',
      end_time: '2026-10-25T04:00:00Z',
      time_unit: 'minutely',
      repeat: 20,
    });
    await event({ start_time: '2026-05-05T05:05:00Z', time_unit: 'never' });
    await event({
      start_time: '2026-02-10T12:00:00Z',
      end_time: '2026-02-10T12:01:00Z',
      time_unit: 'never',
      executable_type: 'Regimen',
      executable_id: regimen.id,
    });
    // Of another account, never to be seen here.
    const foreign = await sequence('Foreign', other);
    const single = { start_time: '2026-05-05T05:05:00Z', time_unit: 'never', repeat: 1, executable_id: foreign.id };
    await create('/api/farm_events', { ...single, executable_type: 'Sequence' }, other);
  });

  describe('lists occurrences', () => {
    it('of sequences and of the items of regimens, in the time zone of the device and in UTC', async () => {
      const may = await occurrences({ from: '2026-05-05T00:00:00Z', to: '2026-05-12T00:00:00Z' });
      expect(may.map(({ at, local, regimen_name }) => `${at} ${local} ${regimen_name}`)).toEqual([
        '2026-05-05T05:05:00.000Z 2026-05-05T07:05:00+02:00 null',
        '2026-05-05T05:30:00.000Z 2026-05-05T07:30:00+02:00 null',
        '2026-05-06T05:30:00.000Z 2026-05-06T07:30:00+02:00 null',
        '2026-05-07T05:30:00.000Z 2026-05-07T07:30:00+02:00 null',
        '2026-05-07T05:30:00.000Z 2026-05-07T07:30:00+02:00 null',
        '2026-05-07T17:30:00.000Z 2026-05-07T19:30:00+02:00 null',
        '2026-05-09T05:30:00.000Z 2026-05-09T07:30:00+02:00 null',
        '2026-05-09T05:30:00.000Z 2026-05-09T07:30:00+02:00 null',
        '2026-05-10T17:30:00.000Z 2026-05-10T19:30:00+02:00 null',
        '2026-05-10T23:00:00.000Z 2026-05-11T01:00:00+02:00 Growing',
        '2026-05-11T05:30:00.000Z 2026-05-11T07:30:00+02:00 null',
      ]);
      const growing = (await occurrences(year)).filter(({ regimen_name }) => regimen_name !== null);
      // Items count from local midnight, in whole seconds; the second is past the change to summer time.
      expect(growing.map(({ at, sequence_name }) => [at, sequence_name.slice(0, 5)])).toEqual([
        ['2026-02-10T07:00:00.000Z', 'Water'],
        ['2026-05-10T23:00:00.000Z', 'Photo'],
      ]);
      expect(growing[0]).toMatchObject({ regimen_id: ids.regimen, sequence_id: ids.water });
      expect(growing[0]?.regimen_item_id).not.toBe(growing[1]?.regimen_item_id);
    });

    it('from the begin of a span until before its end, over the changes of daylight saving', async () => {
      const daily = (await occurrences(year)).filter(({ farm_event_id }) => farm_event_id === ids.event);
      expect(daily).toHaveLength(176);
      const locals = daily.map(({ local }) => local);
      expect(locals).toContain('2026-03-28T06:30:00+01:00');
      expect(locals).toContain('2026-03-30T07:30:00+02:00');
      const span = { from: '2026-01-15T05:30:00Z', to: '2026-01-17T05:30:00Z' };
      expect((await occurrences(span)).filter(({ farm_event_id }) => farm_event_id === ids.event)).toHaveLength(1);
      expect(await occurrences({ from: '2020-01-01', to: '2020-12-01' })).toEqual([]);
    });

    it('of this garden only', async () => {
      const found = await occurrences(year, other);
      expect(found.map(({ sequence_name }) => sequence_name)).toEqual(['Foreign']);
    });

    it.each([
      ['', { from: 'From is required.', to: 'To is required.' }],
      ['from=yesterday&to=2026-01-01', { from: 'From must be a time such as 2026-05-01T12:00:00Z.' }],
      ['from=2026-01-01&to=2026-01-01', { to: 'To must be after From.' }],
      ['from=2026-01-01&to=2027-01-03', { to: 'To must be at most 366 days after From.' }],
    ])('and refuses %s', async (query, failures) => {
      const { status, json } = await send('GET', `/api/farm_events/occurrences?${query}`);
      expect([status, json]).toEqual([422, failures]);
    });

    itAnyEngine('up to a limit', async () => {
      const busy = await server.signUp();
      const { id } = await sequence('Often', busy);
      const times = { start_time: '2026-03-01T00:00:00Z', end_time: '2026-03-01T08:20:00Z' };
      const event = { ...times, time_unit: 'minutely', repeat: 1, executable_type: 'Sequence', executable_id: id };
      for (let index = 0; index < 10; index++) await create('/api/farm_events', event, busy);
      expect(await occurrences(year, busy)).toHaveLength(5000);
      await create('/api/farm_events', { ...event, time_unit: 'never' }, busy);
      const { status, json } = await send(
        'GET',
        `/api/farm_events/occurrences?${new URLSearchParams(year)}`,
        undefined,
        busy,
      );
      expect([status, json]).toEqual([422, { to: 'There are more than 5000 occurrences: choose a shorter span.' }]);
    });
  });

  describe('is a feed', () => {
    const read = (url: string, headers: Record<string, string> = {}) =>
      server.call('GET', new URL(url).pathname, { headers });
    const make = async (owner = account): Promise<string> =>
      (await send('POST', '/api/calendar_feed', {}, owner)).json.url;

    it('whose events are the occurrences of a year', async () => {
      const url = await make();
      expect(url).toMatch(/^http:\/\/[^/]+\/api\/calendar_feed\/[\w-]{32}\.ics$/);
      const { status, text, headers } = await read(url);
      expect([status, headers['content-type']]).toEqual([200, 'text/calendar; charset=utf-8']);
      const found = expanded(text, year.to);
      const listed = (await occurrences(year)).map(({ at, sequence_name, regimen_name }) =>
        regimen_name === null ? `${at} ${sequence_name}` : `${at} ${regimen_name}: ${sequence_name}`,
      );
      expect(found).toEqual(listed.sort());
      expect(found.length).toBeGreaterThan(400);
      const calendar = new ICAL.Component(ICAL.parse(text) as unknown as unknown[]);
      expect(calendar.getFirstPropertyValue('x-wr-timezone')).toBe('Europe/Berlin');
      expect(text).toContain('\r\nNAME:Robot\\; of “me”\\, myself\r\n');
      const uids = calendar.getAllSubcomponents('vevent').map((event) => event.getFirstPropertyValue('uid'));
      expect(new Set(uids).size).toBe(uids.length);
      const rules = calendar.getAllSubcomponents('vevent').filter((event) => event.hasProperty('rrule'));
      // Every two days, week, 30 days; two years are one run and 365 days later another.
      expect(rules.map((event) => String(event.getFirstPropertyValue('rrule')))).toEqual([
        'FREQ=DAILY;COUNT=205;INTERVAL=2',
        'FREQ=WEEKLY;COUNT=59',
        'FREQ=DAILY;COUNT=14;INTERVAL=30',
        'FREQ=DAILY;COUNT=2;INTERVAL=365',
      ]);
    });

    itAnyEngine('whose runs keep their identifiers while the first ones become too old', async () => {
      const owner = await server.signUp();
      const { id } = await sequence('Water', owner);
      const span = { start_time: '2026-01-01T05:30:00Z', end_time: '2026-04-01T05:30:00Z', repeat: 36 };
      await create(
        '/api/farm_events',
        { ...span, time_unit: 'hourly', executable_type: 'Sequence', executable_id: id },
        owner,
      );
      const url = await make(owner);
      const identified = async () =>
        new ICAL.Component(ICAL.parse((await read(url)).text) as unknown as unknown[])
          .getAllSubcomponents('vevent')
          .map((event) => `${event.getFirstPropertyValue('dtstart')} ${event.getFirstPropertyValue('uid')}`);
      const before = await identified();
      clock.time += 40 * 86_400_000;
      const after = await identified();
      clock.time -= 40 * 86_400_000;
      expect([before.length, after.length]).toEqual([60, 47]);
      expect(after).toEqual(before.slice(-47));
    });

    itAnyEngine('with the next runs of each farm event, if there are too many for one feed', async () => {
      const busy = await server.signUp();
      const names = Array.from({ length: 11 }, (_, index) => `Bed ${index}`);
      for (const name of names) {
        const repetition = {
          start_time: '2026-01-10T13:00:00Z',
          end_time: '2026-01-10T21:20:00Z',
          time_unit: 'minutely',
        };
        const { id } = await sequence(name, busy);
        const event = { ...repetition, repeat: 1, executable_type: 'Sequence', executable_id: id };
        await create('/api/farm_events', event, busy);
      }
      const runs = expanded((await read(await make(busy))).text, year.to);
      expect(runs.length).toBeLessThanOrEqual(5000);
      for (const name of names) expect(runs).toContain(`2026-01-10T13:00:00.000Z ${name}`);
    });

    it('which is confirmed until it changes', async () => {
      const url = await make();
      const { headers } = await read(url);
      const confirmed = await read(url, { 'if-none-match': String(headers.etag) });
      expect([confirmed.status, confirmed.text, confirmed.headers['cache-control']]).toEqual([
        304,
        '',
        'private, no-cache',
      ]);
      await send('PATCH', `/api/sequences/${ids.water}`, { name: 'Water', args: {}, body: [] });
      expect((await read(url, { 'if-none-match': String(headers.etag) })).status).toBe(200);
    });

    it('whose address is secret, and ends when it is renewed or deleted', async () => {
      const [mine, theirs] = [await make(), await make(other)];
      const state = await send('GET', '/api/calendar_feed');
      expect(state.json).toEqual({ created_at: '2026-01-10T12:00:00.000Z' });
      const rows = await server.app.server().rows(calendarFeeds);
      const secrets = [mine, theirs].map((url) => url.slice(-36, -4));
      for (const secret of secrets) expect(JSON.stringify(rows)).not.toContain(secret);
      const exported = await send('POST', '/api/export_data', {});
      for (const secret of secrets) expect(exported.text).not.toContain(secret);

      const renewed = await make();
      expect((await read(mine)).status).toBe(404);
      expect((await read(renewed)).status).toBe(200);
      expect((await send('DELETE', '/api/calendar_feed')).status).toBe(200);
      expect((await read(renewed)).status).toBe(404);
      expect((await send('GET', '/api/calendar_feed')).json).toEqual({ created_at: null });
      expect((await send('DELETE', '/api/calendar_feed')).status).toBe(200);
      // The other account's is as it was.
      expect(expanded((await read(theirs)).text, year.to)).toEqual(['2026-05-05T05:05:00.000Z Foreign']);
    });

    it.each(['', 'x.ics', `${'x'.repeat(32)}.ics`, 'x'.repeat(32), '%00.ics'])('not found at /%s', async (file) => {
      const { status } = await server.call('GET', `/api/calendar_feed/${file}`);
      expect(status).toBe(file === '' ? 401 : 404);
    });

    it('that ends when the person leaves the garden or is disabled', async () => {
      const guest = await server.signUp();
      const url = await make(guest);
      const scope = server.app.server();
      await scope.update(users, { disabled_at: '2026-01-01T00:00:00.000Z' }, { where: { id: guest.userId } });
      expect((await read(url)).status).toBe(404);
      await scope.update(users, { disabled_at: null }, { where: { id: guest.userId } });
      expect((await read(url)).status).toBe(200);
      await scope.update(users, { device_id: other.deviceId }, { where: { id: guest.userId } });
      expect((await read(url)).status).toBe(404);
      // As a member, the person has the garden again.
      await scope.device(guest.deviceId).insert(members, { user_id: guest.userId, role: 'viewer' });
      expect((await read(url)).status).toBe(200);
      await scope.delete(members, { where: { user_id: guest.userId } });
      expect((await read(url)).status).toBe(404);
    });
  });
});

describeAnyEngine('requests for calendar feeds', () => {
  const server = suiteApp('sqlite', { RATE_LIMITS: 'on' });

  it('are limited', async () => {
    const get = async () =>
      (await server.call('GET', `/api/calendar_feed/${'x'.repeat(32)}.ics`, { from: '203.0.113.9' })).status;
    const statuses = [];
    for (let index = 0; index < 121; index++) statuses.push(await get());
    expect(new Set(statuses.slice(0, 120))).toEqual(new Set([404]));
    expect(statuses[120]).toBe(429);
  });
});
