import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { systemClock, timestamp } from '../../src/core/clock.ts';
import type { Event } from '../../src/core/events.ts';
import type { Logger } from '../../src/core/logger.ts';
import { noRecords } from '../../src/db/announced-records.ts';
import { countPending } from '../../src/db/announcement-progress.ts';
import { changeCursors as cursorRows } from '../../src/db/change-cursors.ts';
import { ChangeDispatcher } from '../../src/db/change-dispatcher.ts';
import { ChangeLog } from '../../src/db/change-log.ts';
import { changeRows } from '../../src/db/change-rows.ts';
import { column } from '../../src/db/columns.ts';
import { UniqueViolation } from '../../src/db/errors.ts';
import { changes } from '../../src/db/migrations/20261122184000-changes.ts';
import { changeCursors } from '../../src/db/migrations/20261122192700-change-cursors.ts';
import { deviceCommits } from '../../src/db/migrations/20261123121000-device-commits.ts';
import type { Migration } from '../../src/db/migrator.ts';
import { migrate, NewerDatabaseError } from '../../src/db/migrator.ts';
import { openPostgres } from '../../src/db/postgres.ts';
import type { DeviceScope, ServerScope } from '../../src/db/scope.ts';
import { createScopeFactory } from '../../src/db/scopes.ts';
import type { Database } from '../../src/db/session.ts';
import { sql } from '../../src/db/sql.ts';
import { openSqlite } from '../../src/db/sqlite.ts';
import { table } from '../../src/db/table.ts';
import { createDatabase, dropDatabase } from '../support/databases.ts';
import { describeEngines } from '../support/engines.ts';
import { countPendingOf } from '../support/pending-changes.ts';

const silent: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

const devices = table('devices', { name: column.text() }, { reach: 'both', owner: 'id' });
const pots = table(
  'pots',
  {
    device_id: column.bigint().references('devices'),
    name: column.text(),
    size: column.float().nullable(),
    is_full: column.boolean().nullable(),
    filled_at: column.time().nullable(),
    labels: column.json<Record<string, string>>().nullable(),
  },
  { reach: 'device', unique: [['device_id', 'name']] },
);

/** A name as JSON; it needs no escaping. */
const quoted = { key: 'quoted', sqlite: `'"' || name || '"'`, postgres: `'"' || name || '"'` };

const keys = table('keys', { name: column.text() }, { reach: 'server' });

const first: Migration = {
  number: 20260101000000,
  name: 'first',
  change(schema) {
    schema.createTable('devices', { name: column.text() });
    schema.createTable(
      'pots',
      {
        device_id: column.bigint().references('devices'),
        name: column.text(),
        size: column.float().nullable(),
        is_full: column.boolean().nullable(),
        filled_at: column.time().nullable(),
        labels: column.json().nullable(),
      },
      { unique: [['device_id', 'name']] },
    );
    // The migration of cursors moves its rows.
    schema.createTable('events', {
      device_id: column.bigint().references('devices'),
      resource: column.text(),
      record_id: column.bigint(),
      label: column.text(),
      origin: column.text(),
      body: column.text().nullable(),
    });
  },
};

describeEngines('scopes', (engine) => {
  let folder: string;
  let url: string;
  let database: Database;
  let server: () => ServerScope;
  const changeLog = new ChangeLog();
  const events = new ChangeDispatcher(changeLog);

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'potager-scopes-'));
    if (engine === 'postgres') url = await createDatabase();
    database =
      engine === 'sqlite' ? openSqlite(join(folder, 'data', 'potager.sqlite')) : openPostgres(url, () => undefined);
    await migrate(database, [first, changes, changeCursors, deviceCommits], {
      clock: systemClock,
      log: silent,
      copies: join(folder, 'copies'),
    });
    const source = createScopeFactory({
      database,
      clock: systemClock,
      changeLog,
      records: {
        ...noRecords,
        read: async (_scope, resource, ids) => new Map(ids.map((id) => [id, `{"read":"${resource} ${id}"}`])),
      },
    });
    server = () => source(silent);
  });

  afterAll(async () => {
    await events.stop();
    await database.close();
    if (url) await dropDatabase(url);
    rmSync(folder, { recursive: true });
  });

  const newDevice = async () => server().device((await server().insert(devices, { name: 'FarmBot' })).id);

  it('round-trips values of every column type', async () => {
    const scope = await newDevice();
    const labels = { z: '1', a: 'two\u0000', é: '\ud800x' };
    const stored = await scope.insert(pots, {
      name: 'a\u0000b\ud800',
      size: 0.1 + 0.2,
      is_full: false,
      filled_at: '2026-03-04T05:06:07.080Z',
      labels,
    });
    const read = await scope.first(pots, { where: { id: stored.id } });
    expect(read).toEqual(stored);
    expect(read).toMatchObject({
      name: 'ab\ufffd',
      size: 0.30000000000000004,
      is_full: false,
      filled_at: '2026-03-04T05:06:07.080Z',
      labels: { z: '1', a: 'two', é: '\ufffdx' },
    });
    expect(Object.keys(read?.labels ?? {})).toEqual(['z', 'a', 'é']);
    expect(read?.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(read?.device_id).toBe(scope.deviceId);
  });

  it('selects by value, null, list, comparison and SQL', async () => {
    const scope = await newDevice();
    await scope.insertAll(pots, [
      { name: 'a', size: 1 },
      { name: 'b', size: 2 },
      { name: 'c', size: null },
      { name: 'd', size: 4, is_full: true },
    ]);
    const names = async (query: Parameters<typeof scope.rows<typeof pots.row & object>>[1]) =>
      (await scope.rows(pots, query)).map(({ name }) => name).join('');
    expect(await names({})).toBe('abcd');
    expect(await names({ where: { name: 'b' } })).toBe('b');
    expect(await names({ where: { size: null } })).toBe('c');
    expect(await names({ where: { name: ['d', 'a', 'x'] } })).toBe('ad');
    expect(await names({ where: { name: [] } })).toBe('');
    expect(await names({ where: { size: { gt: 1, lte: 4 } } })).toBe('bd');
    expect(await names({ where: { size: { not: null } } })).toBe('abd');
    expect(await names({ where: { size: { not: 2 } } })).toBe('acd');
    expect(await names({ where: { is_full: true } })).toBe('d');
    expect(await names({ and: sql`length(name) = ${1} and size = ${2}` })).toBe('b');
    expect(await names({ order: [['name', 'desc']], limit: 2, offset: 1 })).toBe('cb');
    expect(await names({ offset: 3 })).toBe('d');
    expect(await scope.count(pots, { where: { size: { gte: 2 } } })).toBe(2);
  });

  it('isolates the rows of devices', async () => {
    const scope = await newDevice();
    const other = await newDevice();
    const { id } = await other.insert(pots, { name: 'other' });
    expect(await scope.first(pots, { where: { id } })).toBeUndefined();
    expect(await scope.update(pots, { name: 'changed' }, { where: { id } })).toEqual([]);
    expect(await scope.delete(pots, {})).toEqual([]);
    expect(await scope.rows(devices)).toHaveLength(1);
    // @ts-expect-error A device's table cannot be reached without a device.
    const wrong = server().rows(pots);
    await wrong;
    expect(await other.count(pots)).toBe(1);
  });

  it('returns lists as text or bytes', async () => {
    const scope = await newDevice();
    for (const length of [0, 10, 40_000, 100_000]) {
      await scope.insert(pots, { name: 'é'.repeat(length) });
      const names = (await scope.rows(pots)).map(({ name }) => name);
      expect(String(await scope.jsonList(pots, quoted))).toBe(JSON.stringify(names));
    }
  });

  it('reads columns of numbers', async () => {
    const scope = await newDevice();
    const sizes = [0.1, 1 / 3, 5e-324, Number.MAX_VALUE, -123456.7890123, 2 ** 53, null, 1e21, 1e-7, 554.308, 0];
    const read = (query = {}) => scope.numbers(pots, ['id', 'size'], query);
    expect(await read()).toEqual([[], []]);
    const rows = await scope.insertAll(
      pots,
      sizes.map((size, index) => ({ name: `pot ${index}`, size })),
    );
    const ids = rows.map(({ id }) => id);
    expect(await read()).toEqual([ids, sizes]);
    const part = { where: { id: { gt: ids[0] } }, order: [['id', 'desc']], limit: 2, offset: 3 };
    expect(await read(part)).toEqual([
      [ids[7], ids[6]],
      [1e21, null],
    ]);
    expect(await (await newDevice()).numbers(pots, ['id'])).toEqual([[]]);
    await expect(scope.numbers(pots, ['weight'])).rejects.toThrow('pots has no column weight');
  });

  it('reads several lists in one statement', async () => {
    const scope = await newDevice();
    await (await newDevice()).insert(pots, { name: 'other' });
    await scope.insertAll(pots, [{ name: 'b', size: 1 }, { name: 'a' }]);
    const listings = [
      { table: devices, json: quoted },
      { table: pots, json: quoted },
      { table: pots, json: quoted, where: { size: null } },
      { table: pots, json: quoted, where: { name: null } },
    ] as const;
    expect(await scope.jsonLists(listings)).toEqual(['["FarmBot"]', '["b","a"]', '["a"]', '[]']);
    const parts = [listings.slice(0, 2), listings.slice(2)];
    expect(await scope.jsonListsInParts(parts)).toEqual(await scope.jsonLists(listings));
    const other = await newDevice();
    expect(await other.jsonListsInParts(parts)).toEqual(['["FarmBot"]', '[]', '[]', '[]']);
    expect(await other.jsonLists(listings)).toEqual(['["FarmBot"]', '[]', '[]', '[]']);
    await scope.transaction(async (inner) => {
      await inner.delete(pots, { where: { name: 'b' } });
      expect(await inner.jsonLists(listings.slice(1, 2))).toEqual(['["a"]']);
      expect(await inner.jsonListsInParts([listings.slice(1, 2)])).toEqual(['["a"]']);
    });
    // @ts-expect-error A server's table cannot be reached through a device.
    await expect(scope.jsonLists([{ table: keys, json: quoted }])).rejects.toThrow('belongs to no device');
  });

  it('reads lists in parts from one snapshot', async () => {
    const scope = await newDevice();
    await scope.insert(pots, { name: 'a' });
    const listings = [{ table: pots, json: quoted }] as const;
    const parts = Array.from({ length: 20 }, () => listings);
    const [lists] = await Promise.all([scope.jsonListsInParts(parts), scope.insert(pots, { name: 'b' })]);
    expect(new Set(lists).size).toBe(1);
    expect(await scope.jsonListsInParts([listings])).toEqual(['["a","b"]']);
    await scope.transaction(async () => {
      await expect(scope.jsonListsInParts([listings])).rejects.toThrow('this scope has a transaction open');
    });
  });

  it('rolls back a failed transaction, and only that one', async () => {
    const scope = await newDevice();
    const failing = scope.transaction(async (inner) => {
      await inner.insert(pots, { name: 'lost' });
      throw new Error('no');
    });
    const kept = scope.detached().transaction(async (inner) => inner.insert(pots, { name: 'kept' }));
    await expect(failing).rejects.toThrow('no');
    await kept;
    expect((await scope.rows(pots)).map(({ name }) => name)).toEqual(['kept']);
  });

  it('rolls back a nested transaction alone', async () => {
    const scope = await newDevice();
    await scope.transaction(async (outer) => {
      await outer.insert(pots, { name: 'outer' });
      await outer
        .transaction(async (inner) => {
          await inner.insert(pots, { name: 'inner' });
          throw new Error('no');
        })
        .catch(() => undefined);
      await outer.transaction((inner) => inner.insert(pots, { name: 'second' }));
    });
    expect((await scope.rows(pots)).map(({ name }) => name)).toEqual(['outer', 'second']);
  });

  it('throws if the outer scope is used during a transaction', async () => {
    const scope = await newDevice();
    await expect(scope.transaction(async () => scope.insert(pots, { name: 'x' }))).rejects.toThrow(/transaction open/);
    await expect(scope.transaction(async () => scope.rows(pots))).rejects.toThrow(/transaction open/);
  });

  it('reports the columns of a unique violation', async () => {
    const scope = await newDevice();
    await scope.insert(pots, { name: 'one' });
    const again = scope.insert(pots, { name: 'one' });
    await expect(again).rejects.toBeInstanceOf(UniqueViolation);
    await expect(again).rejects.toMatchObject({ table: 'pots', columns: ['device_id', 'name'], status: 422 });
  });

  it('trims to the newest rows', async () => {
    const scope = await newDevice();
    await scope.insertAll(
      pots,
      [1, 2, 3, 4].map((day) => ({ name: `d${day}`, created_at: `2026-01-0${day}T00:00:00.000Z` })),
    );
    await scope.trim(pots, 3);
    expect((await scope.rows(pots)).map(({ name }) => name)).toEqual(['d2', 'd3', 'd4']);
  });

  it('never reuses an id', async () => {
    const scope = await newDevice();
    const { id } = await scope.insert(pots, { name: 'highest' });
    await scope.delete(pots, { where: { id } });
    expect((await scope.insert(pots, { name: 'next' })).id).toBeGreaterThan(id);
  });

  it('delivers each change once, after the commit, in order', async () => {
    const scope = await newDevice();
    const delivered: Event[] = [];
    let attempts = 0;
    events.addListener((event) => {
      attempts++;
      if (attempts === 1) throw new Error('not now');
      delivered.push(event);
    });
    await events.start({ server, log: silent, isOnlyProcess: true });
    const labeled = server().device(scope.deviceId, { label: 'request', origin: 'client' });
    await labeled.transaction(async (inner) => {
      inner.events.changed('Pot', 1, '{"first":1}');
      inner.events.changed('Pot', 2);
      inner.events.changed('Pot', 1, '{"second":1}', 'fresh');
      inner.events.deleted('Tool', 1);
      await inner
        .transaction(async (nested) => {
          nested.events.changed('Pot', 9);
          throw new Error('no');
        })
        .catch(() => undefined);
      expect(delivered).toEqual([]);
    });
    await labeled
      .transaction(async (inner) => {
        inner.events.changed('Pot', 3);
        throw new Error('rolled back');
      })
      .catch(() => undefined);
    await labeled.transaction(async (inner) => inner.events.changed('Pot', 4));
    await events.whenIdle();
    expect(delivered.map(({ resource, recordId, label, body }) => [resource, recordId, label, body])).toEqual([
      ['Pot', 1, 'fresh', '{"second":1}'],
      ['Pot', 2, 'request', '{"read":"Pot 2"}'],
      ['Tool', 1, 'request', null],
      ['Pot', 4, 'request', '{"read":"Pot 4"}'],
    ]);
    expect(await countPending(server())).toBe(0);
  });

  it('yields to the event loop while it writes the events of a large commit, in order', async () => {
    const batches: number[] = [];
    const ownLog = new ChangeLog();
    const dispatcher = new ChangeDispatcher(ownLog);
    const source = createScopeFactory({
      database,
      clock: systemClock,
      changeLog: ownLog,
      records: {
        ...noRecords,
        read: async (_scope, resource, ids) => {
          batches.push(ids.length);
          return new Map(ids.map((id) => [id, `{"read":"${resource} ${id}"}`]));
        },
      },
    });
    const delivered: Event[] = [];
    dispatcher.addListener((event) => void delivered.push(event));
    await dispatcher.start({ server: () => source(silent), log: silent, isOnlyProcess: true });
    const scope = source(silent).device((await newDevice()).deviceId);
    await scope.transaction(async (inner) => {
      for (let id = 1; id <= 500; id++) inner.events.changed('Pot', id);
    });
    expect(batches).toEqual(Array.from({ length: 50 }, () => 10));
    batches.length = 0;
    let turns = 0;
    let isWorking = true;
    const count = (): void => {
      turns++;
      if (isWorking) setImmediate(count);
    };
    await scope.transaction(async (inner) => {
      for (let id = 1; id <= 5000; id++) inner.events.changed(id % 2 ? 'Pot' : 'Tool', id);
      count();
    });
    isWorking = false;
    expect(batches).toEqual(Array.from({ length: 100 }, () => [10, 10, 5, 10, 10, 5]).flat());
    expect(turns).toBeGreaterThan(90);
    await dispatcher.whenIdle(20_000);
    const large = delivered.slice(500);
    expect(large.map(({ recordId }) => recordId)).toEqual(Array.from({ length: 5000 }, (_, n) => n + 1));
    expect(large[4999]?.body).toBe('{"read":"Tool 5000"}');
    await dispatcher.stop();
  });

  /** Returns the scope of a request whose response is held back, and the records whose events were delivered. */
  async function heldResponse() {
    const scope = await newDevice();
    const delivered: number[] = [];
    events.addListener(({ recordId, deviceId }) => void (deviceId === scope.deviceId && delivered.push(recordId)));
    await events.start({ server, log: silent, isOnlyProcess: true });
    let sendResponse = (): void => undefined;
    const responseSent = new Promise<void>((resolve) => {
      sendResponse = resolve;
    });
    const request = server().device(scope.deviceId, { label: 'r', origin: 'client', responseSent });
    return { scope, delivered, request, sendResponse };
  }

  it('delivers events after the response was sent', async () => {
    const { scope, delivered, request, sendResponse } = await heldResponse();
    await request.transaction(async (inner) => inner.events.changed('Pot', 7));
    await scope.transaction(async (inner) => inner.events.changed('Pot', 8));
    await sleep(50);
    expect(delivered).toEqual([]);
    sendResponse();
    await events.whenIdle();
    expect(delivered).toEqual([7, 8]);
  });

  it('waits for the response to a request also where a part of its work has a scope of its own', async () => {
    const { scope, delivered, request, sendResponse } = await heldResponse();
    await request.transaction((inner) =>
      inner.transaction(async (nested) => nested.server.device(scope.deviceId).events.changed('Pot', 7)),
    );
    await sleep(50);
    expect(delivered).toEqual([]);
    sendResponse();
    await events.whenIdle();
    expect(delivered).toEqual([7]);
  });

  it('invalidates the scope of an ended transaction', async () => {
    const scope = await newDevice();
    let kept: DeviceScope | undefined;
    await scope.transaction(async (inner) => {
      kept = inner;
    });
    await expect(kept?.insert(pots, { name: 'late' })).rejects.toThrow(/is over/);
    expect(await scope.count(pots)).toBe(0);
  });

  it('commits the other transactions of a shared commit if one fails', async () => {
    const scope = await newDevice();
    const outcomes = await Promise.allSettled(
      [1, 2, 3].map((n) =>
        scope.detached().transaction(async (inner) => {
          await inner.insert(pots, { name: `p${n}` });
          if (n === 2) await inner.insert(pots, { name: 'p1' });
        }),
      ),
    );
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect((await scope.rows(pots)).map(({ name }) => name).sort()).toEqual(['p1', 'p3']);
  });

  describe('a separate dispatcher', () => {
    const own = async (listener: (event: Event) => void | Promise<void>) => {
      const ownLog = new ChangeLog();
      const dispatcher = new ChangeDispatcher(ownLog);
      const source = createScopeFactory({ database, clock: systemClock, changeLog: ownLog, records: noRecords });
      dispatcher.addListener(listener);
      await dispatcher.start({ server: () => source(silent), log: silent, isOnlyProcess: false });
      return { dispatcher, source: () => source(silent) };
    };

    const left = (origin: string) => ({
      request: '',
      actor_kind: 'server',
      resource: 'Pot',
      action: 'deleted',
      label: 'NONE',
      origin,
      byte_size: 0,
    });

    it('keeps undelivered changes pending when it stops', async () => {
      const delivered: number[] = [];
      let deliver = (): void => undefined;
      const written = new Promise<void>((resolve) => {
        deliver = resolve;
      });
      const { dispatcher, source } = await own(async ({ recordId }) => {
        await written;
        await sleep(50);
        delivered.push(recordId);
      });
      const { deviceId } = await newDevice();
      for (let n = 0; n < 60; n++)
        await source()
          .device(deviceId)
          .transaction(async (inner) => inner.events.deleted('Pot', n));
      deliver();
      await dispatcher.stop();
      const [{ position } = { position: 0 }] = await server().rows(cursorRows, { where: { device_id: deviceId } });
      const left = await server().rows(changeRows, { where: { device_id: deviceId, id: { gt: position } } });
      expect(delivered.length).toBeGreaterThan(0);
      expect(delivered.length).toBeLessThan(60);
      // The event in delivery at the stop may be delivered twice; none is lost.
      expect([...delivered, ...left.map(({ record_id }) => record_id)]).toEqual(
        expect.arrayContaining([...Array(60).keys()]),
      );
      await server().delete(changeRows, {});
    });

    it('delivers more events than it keeps in memory, once each and in order', async () => {
      const delivered: number[] = [];
      let isUp = false;
      const { dispatcher, source } = await own(({ recordId }) => {
        if (!isUp) throw new Error('down');
        delivered.push(recordId);
      });
      const { deviceId } = await newDevice();
      for (let n = 0; n < 13; n++)
        await source()
          .device(deviceId)
          .transaction(async (inner) => {
            for (let i = 0; i < 100; i++) inner.events.deleted('Pot', n * 100 + i);
          });
      await dispatcher.poll();
      isUp = true;
      await dispatcher.whenIdle(8000);
      expect(delivered).toEqual([...Array(1300).keys()]);
      expect(await countPendingOf(server(), [deviceId])).toBe(0);
      await dispatcher.stop();
    });

    it('delivers the events of a dead process before later ones', async () => {
      const delivered: number[] = [];
      const { dispatcher, source } = await own(({ recordId }) => void delivered.push(recordId));
      const { deviceId } = await newDevice();
      // Left to its process for a second.
      const created_at = new Date(Date.now() - 600).toISOString();
      const rows = [1, 2].map((record_id) => ({ ...left('server'), record_id, created_at }));
      await server().device(deviceId).insertAll(changeRows, rows);
      for (const n of [3, 4])
        await source()
          .device(deviceId)
          .transaction(async (inner) => inner.events.deleted('Pot', n));
      await sleep(100);
      expect(delivered).toEqual([]);
      await dispatcher.whenIdle();
      expect(delivered).toEqual([1, 2, 3, 4]);
      await dispatcher.stop();
    });

    it('delays each event of a robot from its own response on, not from the event before', async () => {
      const delivered: number[] = [];
      let release = (): void => undefined;
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      const { dispatcher, source } = await own(async ({ recordId }) => {
        delivered.push(recordId);
        if (recordId === 0) await released;
      });
      const { deviceId } = await newDevice();
      const robot = { origin: 'robot', label: 'r', responseSent: Promise.resolve() } as const;
      const deleteOne = (n: number) =>
        source()
          .device(deviceId, robot)
          .transaction(async (inner) => inner.events.deleted('Pot', n));
      const start = performance.now();
      await deleteOne(0);
      await expect.poll(() => delivered, { interval: 1 }).toEqual([0]);
      expect(performance.now() - start).toBeGreaterThanOrEqual(95);
      for (let n = 1; n <= 20; n++) await deleteOne(n);
      // All of them are due then, so none waits for a timer.
      await sleep(110);
      vi.useFakeTimers({ toFake: ['setTimeout'] });
      try {
        release();
        await expect.poll(() => delivered).toEqual([...Array(21).keys()]);
      } finally {
        vi.useRealTimers();
      }
      await dispatcher.whenIdle();
      await dispatcher.stop();
    });

    it('does not delay the events of a robot that an earlier run left', async () => {
      const delivered: number[] = [];
      const { dispatcher } = await own(({ recordId }) => void delivered.push(recordId));
      // A tenth of a second for each would be longer than the wait for all.
      const number = 200;
      const { deviceId } = await newDevice();
      const old = { ...left('robot'), created_at: timestamp(0) };
      const rows = Array.from({ length: number }, (_, record_id) => ({ ...old, record_id }));
      await server().device(deviceId).insertAll(changeRows, rows);
      await dispatcher.poll();
      await dispatcher.whenIdle(10_000);
      expect(delivered).toEqual([...Array(number).keys()]);
      await dispatcher.stop();
    });
  });

  it('refuses a database of a newer version', async () => {
    await expect(migrate(database, [], { clock: systemClock, log: silent, copies: folder })).rejects.toBeInstanceOf(
      NewerDatabaseError,
    );
  });
});
