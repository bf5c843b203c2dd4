import { beforeEach, describe, expect, it } from 'vitest';
import { ChangeClaims } from './change-claims.ts';
import type { ServerScope } from './scope.ts';

interface Write {
  readonly device_id: number;
  readonly position?: number;
  readonly claimed_by?: string | null;
  readonly claimed_until?: string;
}

const released = { claimed_by: null, claimed_until: '1970-01-01T00:00:00.000Z' };

describe('the claims of a process', () => {
  /** The writes of each transaction. */
  let transactions: Write[][];
  /** The promise that the commit of the next transactions waits for. */
  let held: Promise<void>;
  let claims: ChangeClaims;
  /** The writes outside of transactions, and their sessions. */
  let updates: unknown[];

  beforeEach(() => {
    [transactions, held, updates] = [[], Promise.resolve(), []];
    const server = {
      update: async (_table: unknown, values: object, { where }: { readonly where: object }) => {
        updates.push([values, where]);
        return [];
      },
      async transaction<T>(work: (scope: unknown) => Promise<T>): Promise<T> {
        const writes: Write[] = [];
        const update = async (_table: unknown, values: object, query: { where: { device_id: number | number[] } }) => {
          const devices = [query.where.device_id].flat();
          writes.push(...devices.map((device_id) => ({ device_id, ...values })));
          return devices.map((device_id) => ({ device_id, position: 0 }));
        };
        const result = await work({ update });
        transactions.push(writes);
        await held;
        return result;
      },
    };
    claims = new ChangeClaims({ now: () => 0 }, () => server as unknown as ServerScope, false);
  });

  it('are released also if that is said while a position is written', async () => {
    await claims.take(7);
    claims.advance(7, 3);
    let commit: () => void = () => undefined;
    held = new Promise((resolve) => {
      commit = resolve;
    });
    const saving = claims.save();
    await expect.poll(() => transactions.length).toBe(2);
    claims.release(7);
    commit();
    await saving;
    expect(transactions[1]).toEqual([{ device_id: 7, position: 3 }]);
    expect(claims.unsaved.size).toBe(1);
    await claims.save();
    expect(transactions[2]).toEqual([{ device_id: 7, position: 3, ...released }]);
    expect(claims.unsaved.size).toBe(0);
  });

  it('are released when they are closed, also one that is being taken, and no more are taken', async () => {
    await claims.take(7);
    claims.advance(7, 3);
    let commit: () => void = () => undefined;
    held = new Promise((resolve) => {
      commit = resolve;
    });
    const taking = claims.take(8);
    await expect.poll(() => transactions.length).toBe(2);
    let isClosed = false;
    const closing = claims.close().then(() => {
      isClosed = true;
    });
    await Promise.resolve();
    expect([isClosed, updates]).toEqual([false, []]);
    commit();
    await closing;
    await taking;
    expect(transactions[2]).toEqual([{ device_id: 7, position: 3 }]);
    const process = transactions[0]?.[0]?.claimed_by;
    expect(process).toMatch(/\w/);
    expect(updates).toEqual([[released, { claimed_by: process }]]);
    expect(await claims.take(9)).toBeNull();
    expect(transactions).toHaveLength(3);
  });

  it('of many devices are taken a hundred at a time', async () => {
    const devices = Array.from({ length: 250 }, (_, index) => index + 1);
    const taken = await Promise.all(devices.map((id) => claims.take(id)));
    expect(taken).toEqual(devices.map(() => 0));
    expect(transactions.flat().map(({ device_id }) => device_id)).toEqual(devices);
    // The first one does not wait for others.
    expect(transactions.map(({ length }) => length)).toEqual([1, 100, 100, 49]);
  });
});
