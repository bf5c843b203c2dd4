import { describe, expect, it } from 'vitest';
import { FairTurns, type Worker } from './fair-turns.ts';

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

/** Works so many pieces, and writes each down. */
function worker(name: string, pieces: number, turns: FairTurns, done: string[]): Worker {
  let left = pieces;
  const subject: Worker = {
    work() {
      done.push(name);
      left--;
      if (left > 0) turns.add(subject);
    },
  };
  return subject;
}

describe('fair turns', () => {
  it('has all work in turn, a piece each', async () => {
    const turns = new FairTurns({ turnTime: 1_000, turnPieces: 100 });
    const done: string[] = [];
    for (const [name, pieces] of [
      ['a', 3],
      ['b', 1],
      ['c', 2],
    ] as const)
      turns.add(worker(name, pieces, turns, done));
    expect(done).toEqual([]);
    await nextTurn();
    expect(done).toEqual(['a', 'b', 'c', 'a', 'c', 'a']);
    turns.add(worker('d', 1, turns, done));
    await nextTurn();
    expect(done.at(-1)).toBe('d');
  });

  it('leaves the process time after some pieces', async () => {
    const turns = new FairTurns({ turnTime: 1_000, turnPieces: 4 });
    const done: string[] = [];
    turns.add(worker('a', 10, turns, done));
    const counts: number[] = [];
    for (let index = 0; index < 4; index++) {
      await nextTurn();
      counts.push(done.length);
    }
    expect(counts).toEqual([4, 8, 10, 10]);
  });

  it('leaves the process time after some milliseconds', async () => {
    const turns = new FairTurns({ turnTime: 5, turnPieces: 100 });
    const done: string[] = [];
    const slow: Worker = {
      work() {
        for (const start = performance.now(); performance.now() - start < 6; );
        done.push('slow');
        if (done.length < 3) turns.add(slow);
      },
    };
    turns.add(slow);
    await nextTurn();
    expect(done).toHaveLength(1);
    await nextTurn();
    expect(done).toHaveLength(2);
  });

  it('counts what a piece causes a tick later as a part of it', async () => {
    const turns = new FairTurns({ turnTime: 1_000, turnPieces: 100 });
    const done: string[] = [];
    const late = (name: string): Worker => ({
      work() {
        done.push(`${name} begins`);
        process.nextTick(() => done.push(`${name} ends`));
      },
    });
    turns.add(late('a'));
    turns.add(late('b'));
    await nextTurn();
    expect(done).toEqual(['a begins', 'a ends', 'b begins', 'b ends']);
  });
});
