import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { WriteBehind } from './write-behind.ts';

/** A row that cannot be written. */
const unwritable = 66;

/** Counts per id, and a table that they are written to. */
function createBuffer(interval?: number) {
  const table = new Map<number, number>();
  const state = { writes: 0, concurrent: 0, maxConcurrent: 0, isFailing: false };
  const warnings: unknown[] = [];
  const buffer = new WriteBehind<number>({
    merge: (earlier, later) => earlier + later,
    async write(changes) {
      state.maxConcurrent = Math.max(state.maxConcurrent, ++state.concurrent);
      await sleep(1);
      state.concurrent--;
      if (state.isFailing || changes.some(([id]) => id === unwritable)) throw new Error('no connection');
      state.writes++;
      for (const [id, count] of changes) table.set(id, (table.get(id) ?? 0) + count);
    },
    subject: 'counts',
    log: {
      debug: () => undefined,
      info: () => undefined,
      warn: (...all) => warnings.push(all),
      error: () => undefined,
    },
    ...(interval !== undefined && { interval }),
  });
  return { buffer, table, state, warnings };
}

describe('a write-behind buffer', () => {
  it('merges the changes of a row and writes them once', async () => {
    const { buffer, table, state } = createBuffer();
    buffer.add(7, 1);
    buffer.add(7, 2);
    buffer.add(8, 5);
    expect([buffer.get(7), buffer.get(8), buffer.get(9)]).toEqual([3, 5, undefined]);
    await buffer.flush();
    expect([...table]).toEqual([
      [7, 3],
      [8, 5],
    ]);
    expect([buffer.get(7), state.writes]).toEqual([undefined, 1]);
    await buffer.flush();
    expect(state.writes).toBe(1);
  });

  it('shows and keeps additions during a flush', async () => {
    const { buffer, table } = createBuffer();
    buffer.add(7, 1);
    const flushed = buffer.flush();
    buffer.add(7, 2);
    expect(buffer.get(7)).toBe(3);
    await flushed;
    expect([table.get(7), buffer.get(7)]).toEqual([1, 2]);
    await buffer.flush();
    expect([table.get(7), buffer.get(7)]).toEqual([3, undefined]);
  });

  it('keeps values that it fails to write, merged with later changes, and logs it once', async () => {
    const { buffer, table, state, warnings } = createBuffer();
    state.isFailing = true;
    buffer.add(7, 1);
    buffer.add(8, 1);
    const flushed = buffer.flush();
    buffer.add(7, 2);
    await flushed;
    expect([buffer.get(7), buffer.get(8)]).toEqual([3, 1]);
    expect(warnings).toEqual([[{ reason: 'Error: no connection', rows: 2 }, expect.stringContaining('counts')]]);
    state.isFailing = false;
    await buffer.flush();
    expect([table.get(7), table.get(8)]).toEqual([3, 1]);
  });

  it('merges each change into the earlier ones, also while earlier ones are being written or failed', async () => {
    const written: string[] = [];
    let isFailing = true;
    const buffer = new WriteBehind<string>({
      merge: (earlier, later) => earlier + later,
      async write(changes) {
        if (isFailing) throw new Error('no connection');
        written.push(...changes.map(([, text]) => text));
      },
      subject: 'texts',
      log: { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined },
    });
    buffer.add(7, 'a');
    buffer.add(7, 'b');
    const flushed = buffer.flush();
    buffer.add(7, 'c');
    expect(buffer.get(7)).toBe('abc');
    await flushed;
    expect(buffer.get(7)).toBe('abc');
    isFailing = false;
    await buffer.flush();
    expect(written).toEqual(['abc']);
  });

  it('writes 25 rows together, in one flush at a time', async () => {
    const { buffer, table, state } = createBuffer();
    for (let id = 101; id <= 220; id++) buffer.add(id, 1);
    await Promise.all([buffer.flush(), buffer.flush(), buffer.flush()]);
    expect([table.size, state.writes, state.maxConcurrent]).toEqual([120, 5, 1]);
  });

  it('writes each row alone after a failure, so that one does not keep back the others', async () => {
    const { buffer, table, state } = createBuffer();
    for (const id of [65, unwritable, 67]) buffer.add(id, 1);
    await buffer.flush();
    expect([...table]).toEqual([]);
    await buffer.flush();
    expect([[...table.keys()].sort(), buffer.get(unwritable), state.writes]).toEqual([[65, 67], 1, 2]);
  });

  it('writes at its interval, and for the last time when it stops', async () => {
    const { buffer, table, state } = createBuffer(5);
    buffer.start();
    buffer.start();
    buffer.add(7, 1);
    await expect.poll(() => table.get(7)).toBe(1);
    buffer.add(7, 1);
    await buffer.stop();
    expect(table.get(7)).toBe(2);
    buffer.add(7, 1);
    await sleep(30);
    expect([state.writes, buffer.get(7)]).toEqual([2, 1]);
    buffer.start();
    await expect.poll(() => table.get(7)).toBe(3);
    await buffer.stop();
  });
});
