import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AnnouncementSearchOptions } from '../../src/db/announcement-search.ts';
import { AnnouncementSearch } from '../../src/db/announcement-search.ts';
import { announcements, changeCursors } from '../../src/db/change-cursors.ts';
import { changeRows } from '../../src/db/change-rows.ts';
import type { Query, Selection, ServerScope } from '../../src/db/scope.ts';
import type { Table } from '../../src/db/table.ts';
import { createDevice } from '../../src/device/device-creation.ts';
import type { TestApp } from '../support/app.ts';
import { startApp } from '../support/app.ts';
import { describeEngines } from '../support/engines.ts';
import { logChange } from '../support/logged-change.ts';
import { countPendingOf } from '../support/pending-changes.ts';

/** The dependencies of a search in a process among others, without event streams. */
const shared: AnnouncementSearchOptions = { isFollowed: () => false, isOnlyProcess: false };

const byId = (one: number, other: number): number => one - other;

describeEngines('the search for announcements', (engine) => {
  let app: TestApp;
  const gardens: number[] = [];
  let read = 0;
  /** The scope of the server, which counts the rows that the search reads. */
  const counting = (): ServerScope => {
    const server = app.app.server();
    const select = async <Row, T>(
      table: Table<Row, 'server' | 'both'>,
      selection: Selection<T>,
      query?: Query<Row>,
    ) => {
      const rows = await server.select(table, selection, query);
      read += rows.length;
      return rows;
    };
    return Object.assign(Object.create(server), { select });
  };

  beforeAll(async () => {
    app = await startApp(engine);
    await app.app.server().transaction(async (server) => {
      for (let n = 0; n < 250; n++) gardens.push(await createDevice(server));
    });
  });
  afterAll(() => app.close());

  const change = (deviceId: number, id?: number): Promise<number> => logChange(app.app.server().device(deviceId), id);
  const announce = async (deviceId: number, position: number): Promise<void> => {
    const cursor = { reader: announcements, position, claimed_until: '1970-01-01T00:00:00.000Z' };
    const scope = app.app.server().device(deviceId);
    await scope.delete(changeCursors, { where: { reader: announcements } });
    await scope.insert(changeCursors, cursor);
  };

  it('finds commits of others once, and changes that are not announced each time, whatever the number of gardens', async () => {
    const [first = 0, second = 0, third = 0] = [gardens[3], gardens[120], gardens[249]];
    const search = new AnnouncementSearch(shared);
    const run = async () => {
      read = 0;
      const { committed, pending } = await search.run(counting());
      return { committed: committed.toSorted(byId), pending: pending.toSorted(byId) };
    };
    const left = await change(first);
    expect(await run()).toEqual({ committed: [], pending: [first] });
    await change(second);
    const last = await change(second);
    search.addOwn(third, await change(third));
    expect(await run()).toEqual({ committed: [second], pending: [first, second, third] });
    // Fifty in round robin, two with new changes, and the pending ones.
    expect(read).toBeLessThan(60);
    expect(await countPendingOf(app.app.server(), [first, second])).toBe(3);
    await announce(first, left);
    await announce(second, last);
    expect(await run()).toEqual({ committed: [], pending: [third] });
    await announce(third, last + 1);
    expect(await run()).toEqual({ committed: [], pending: [] });
    const again = await change(first);
    expect(await run()).toEqual({ committed: [first], pending: [first] });
    await announce(first, again);
    expect(await run()).toEqual({ committed: [], pending: [] });
  });

  /** Returns an id that is lower than the ids of changes that were announced, as of a transaction that takes long. */
  const spareId = async (deviceId: number): Promise<number> => {
    const spare = await change(deviceId);
    await app.app
      .server()
      .device(deviceId)
      .delete(changeRows, { where: { id: spare } });
    await announce(deviceId, await change(deviceId));
    return spare;
  };
  /** Returns the results of searches until each garden was looked at. */
  const round = async (search: AnnouncementSearch): Promise<readonly number[]> => {
    const found: number[] = [];
    for (let n = 0; n < 6; n++) found.push(...(await search.run(app.app.server())).committed);
    return found;
  };

  it('finds a change that was committed long after it got its id, when the round robin comes to its garden', async () => {
    const [late = 0, early = 0] = [gardens[200], gardens[1]];
    const spare = await spareId(early);
    const search = new AnnouncementSearch(shared);
    await search.run(app.app.server());
    await change(late, spare);
    expect(await round(search)).toEqual([late]);
    await announce(late, spare);
  });

  it('finds such a change of a garden with event streams also if it is announced already, once', async () => {
    const [followed = 0, other = 0, early = 0] = [gardens[180], gardens[190], gardens[1]];
    const spares = [await spareId(early), await spareId(early)];
    const search = new AnnouncementSearch({ ...shared, isFollowed: (id) => id === followed });
    await search.run(app.app.server());
    await round(search);
    for (const [index, late] of [followed, other].entries()) await announce(late, await change(late, spares[index]));
    expect(await round(search)).toEqual([followed]);
    expect(await round(search)).toEqual([]);
  });

  it('reads no commits of its own process while no other commits, and remembers none of it', async () => {
    const [busy = 0, other = 0] = [gardens[7], gardens[9]];
    let questions = 0;
    const isFollowed = (): boolean => ++questions < 0;
    const search = new AnnouncementSearch({ isFollowed, isOnlyProcess: true });
    await search.run(app.app.server());
    for (let n = 0; n < 20; n++) {
      const id = await change(gardens[10 + n] ?? 0);
      search.addOwn(gardens[10 + n] ?? 0, id);
      await announce(gardens[10 + n] ?? 0, id);
    }
    search.recordIdle();
    questions = 0;
    search.recordIdle();
    expect(questions).toBe(0);
    const last = await change(busy);
    search.addOwn(busy, last);
    await announce(busy, last);
    await announce(other, await change(other));
    read = 0;
    expect((await search.run(counting())).committed).toEqual([other]);
    // Fifty in round robin, and two with changes since the last search.
    expect(read).toBeLessThanOrEqual(54);
    read = 0;
    expect((await search.run(counting())).committed).toEqual([]);
    expect(read).toBe(50);
  });
});
