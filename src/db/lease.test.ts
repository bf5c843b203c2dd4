import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { describeEngines } from '../../test/support/engines.ts';
import { JobDatabase } from '../../test/support/job-database.ts';
import { timestamp } from '../core/clock.ts';
import type { JobRow } from '../jobs/job-rows.ts';
import { jobs } from '../jobs/job-rows.ts';
import { Lease } from './lease.ts';
import type { ServerScope } from './scope.ts';

const start = Date.UTC(2026, 3, 1);
const released = { locked_by: null, locked_until: null };

/** A process with a clock of its own. */
interface Holder {
  readonly clock: { time: number; now(): number };
  readonly scope: () => ServerScope;
  readonly lease: Lease<JobRow>;
}

describeEngines('a lease', (engine) => {
  let database: JobDatabase;
  let one: Holder;
  let other: Holder;
  /** The ids of three rows that no process holds. */
  let ids: number[];

  const addHolder = (): Holder => {
    const clock = { time: start, now: () => clock.time };
    const lease = new Lease(jobs, 8000, clock, 'locked');
    return { clock, lease, scope: database.addProcess().scope };
  };
  const take = async ({ lease, scope }: Holder, id = ids[0] ?? 0): Promise<number> =>
    (await lease.take(scope(), { id })).length;
  const row = async (id = ids[0] ?? 0): Promise<JobRow | undefined> => one.scope().first(jobs, { where: { id } });

  beforeEach(async () => {
    database = await JobDatabase.create(engine, { now: () => start });
    [one, other] = [addHolder(), addHolder()];
    const { queue, scope } = database.addProcess();
    ids = [];
    for (const kind of ['a', 'b', 'c']) ids.push((await queue.enqueue(scope(), kind, {})).id);
  });
  afterEach(() => database.remove());

  it('is held by the one of many processes that take it together', async () => {
    const all = [one, other, ...Array.from({ length: 6 }, addHolder)];
    const taken = await Promise.all(all.map((holder) => take(holder)));
    expect(taken.reduce((sum, count) => sum + count)).toBe(1);
    expect(await row()).toMatchObject({
      locked_by: all[taken.indexOf(1)]?.lease.holder,
      locked_until: '2026-04-01T00:00:08.000Z',
    });
  });

  it('is renewed by the process that holds it, which may not have learned that it does', async () => {
    expect(await take(one)).toBe(1);
    one.clock.time += 1000;
    expect([await take(other), await take(one)]).toEqual([0, 0]);
    const read = (await row()) as JobRow;
    expect([one.lease.isFree(read), one.lease.isOwn(read), other.lease.isFree(read)]).toEqual([true, true, false]);
    expect(await other.lease.claim(other.scope(), read)).toBe(false);
    expect(await other.lease.renew(other.scope(), { id: read.id })).toEqual([]);
    expect(await one.lease.claim(one.scope(), read)).toBe(true);
    expect(await row()).toMatchObject({ locked_by: one.lease.holder, locked_until: '2026-04-01T00:00:09.000Z' });
  });

  it('is kept while it is renewed, and taken over when it has expired', async () => {
    await take(one);
    for (const time of [7000, 14_000]) {
      for (const { clock } of [one, other]) clock.time = start + time;
      expect(await one.lease.renew(one.scope())).toHaveLength(1);
      expect(await take(other)).toBe(0);
    }
    other.clock.time = start + 22_000;
    expect([other.lease.isFree((await row()) as JobRow), await take(other)]).toEqual([false, 0]);
    other.clock.time++;
    expect([other.lease.isFree((await row()) as JobRow), await take(other)]).toEqual([true, 1]);
    // The first process was suspended.
    expect(await one.lease.renew(one.scope(), { id: ids })).toEqual([]);
    expect(await one.lease.release(one.scope())).toEqual([]);
    expect(await row()).toMatchObject({ locked_by: other.lease.holder, locked_until: '2026-04-01T00:00:30.001Z' });
  });

  it('has ended for its holder before a process whose clock is a second ahead takes it', async () => {
    const { end } = one.lease;
    await take(one);
    for (let time = start; time < start + 10_000; time += 250) {
      [one.clock.time, other.clock.time] = [time, time + 1000];
      const isTaken = (await take(other)) === 1;
      expect(isTaken && one.lease.isHeld(end)).toBe(false);
      if (isTaken) return expect(time).toBe(start + 7250);
    }
    expect.unreachable();
  });

  it('is released with other changes, alone or with all of its process', async () => {
    for (const id of ids) await take(id === ids[2] ? other : one, id);
    expect(await one.lease.release(one.scope(), { id: ids[0] ?? 0 }, { attempts: 3 })).toHaveLength(1);
    expect(await row()).toMatchObject({ ...released, attempts: 3 });
    expect(await take(other)).toBe(1);
    expect(await one.lease.release(one.scope())).toMatchObject([{ id: ids[1], ...released }]);
    expect(await row(ids[2])).toMatchObject({ locked_by: other.lease.holder });
  });

  it('is renewed together with all others of its process, by one statement', async () => {
    const rows = () => one.scope().rows(jobs);
    const scope = one.scope();
    const update = vi.spyOn(scope, 'update');
    for (const time of [0, 2000]) {
      one.clock.time = start + time;
      expect(await one.lease.claimAll(scope, await rows())).toBe(true);
      const locked_until = timestamp(start + time + 8000);
      expect(await rows()).toMatchObject(ids.map((id) => ({ id, locked_by: one.lease.holder, locked_until })));
    }
    expect(update).toHaveBeenCalledTimes(2);
    const read = await rows();
    await one.lease.release(scope, { id: ids[1] ?? 0 });
    expect([await take(other, ids[1]), await one.lease.claimAll(scope, read)]).toEqual([1, false]);
    expect(await one.lease.claimAll(scope, await rows())).toBe(false);
    expect(await row(ids[1])).toMatchObject({ locked_by: other.lease.holder });
  });

  it('of any process is released by the only one', async () => {
    for (const id of ids) await take(other, id);
    await one.lease.releaseAll(one.scope(), { attempts: 1 });
    expect(await one.scope().rows(jobs)).toMatchObject(ids.map((id) => ({ id, ...released, attempts: 1 })));
  });

  describe('of a clock that was set back', () => {
    it('is released, and checked again after a minute', async () => {
      other.clock.time = start + 60_001;
      await take(other);
      expect([await one.lease.repair(one.scope()), await one.lease.repair(one.scope())]).toEqual([true, false]);
      expect(await row()).toMatchObject(released);
      await take(other);
      one.clock.time -= 59_999;
      expect([await one.lease.repair(one.scope()), (await row())?.locked_by]).toEqual([true, null]);
      one.clock.time += 59_999;
      expect(await one.lease.repair(one.scope())).toBe(false);
      one.clock.time++;
      expect(await one.lease.repair(one.scope())).toBe(true);
    });

    it('is renewed if it is its own, and kept if it is not later than one of a clock that is a minute ahead', async () => {
      [one.clock.time, other.clock.time] = [start + 3_600_000, start + 60_000];
      await take(one);
      await take(other, ids[1]);
      one.clock.time = start;
      await one.lease.repair(one.scope());
      expect([(await row())?.locked_by, (await row(ids[1]))?.locked_by]).toEqual([
        one.lease.holder,
        other.lease.holder,
      ]);
      // The confirmation may have been lost, so that nothing else renews it.
      expect((await row())?.locked_until).toBe('2026-04-01T00:00:08.000Z');
      expect([one.lease.isHeld(start + 3_608_000), one.lease.isHeld(start + 8000)]).toEqual([false, true]);
    });
  });
});
