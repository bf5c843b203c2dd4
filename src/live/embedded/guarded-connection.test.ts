import { describe, expect, it } from 'vitest';
import { brokerLimits } from './broker-limits.ts';
import { ByteBudget } from './byte-budget.ts';
import { FairTurns } from './fair-turns.ts';
import { GuardedConnection } from './guarded-connection.ts';
import type { Transport } from './transport.ts';

const connect = Buffer.from('100c00044d5154540402003c0000', 'hex');
/** A PUBLISH with a payload of 1 KiB to `t`. */
const publish = Buffer.concat([Buffer.from('30830800', 'hex'), Buffer.from([1, 0x74]), Buffer.alloc(1024, 0x61)]);

function connected() {
  const calls: string[] = [];
  const transport: Transport = {
    address: '127.0.0.1',
    queued: 0,
    unfinished: 0,
    open() {},
    send() {},
    pause: () => calls.push('pause'),
    resume: () => calls.push('resume'),
    accept() {},
    finish: () => calls.push('finish'),
    destroy: () => calls.push('destroy'),
  };
  const budget = () =>
    new ByteBudget<GuardedConnection>(
      1_000_000,
      () => 0,
      () => undefined,
    );
  const turns = new FairTurns(brokerLimits);
  const connection = new GuardedConnection(
    transport,
    {
      limits: brokerLimits,
      outgoing: budget(),
      incoming: budget(),
      flushSoon() {},
      workSoon: (subject) => turns.add(subject),
      cut: (_connection, reason) => calls.push(reason),
      left() {},
      gone: () => calls.push('gone'),
    },
    null,
  );
  connection.received(connect);
  connection.read();
  connection.accept();
  calls.length = 0;
  return { connection, calls };
}

const soon = async () => {
  for (let index = 0; index < 20; index++) await new Promise((resolve) => setImmediate(resolve));
};

describe('a guarded connection', () => {
  it('stops reading when 64 KiB were not looked at, and goes on when they were', async () => {
    const { connection, calls } = connected();
    for (let index = 0; index < 100; index++) connection.received(publish);
    await soon();
    expect(calls).toEqual(['pause']);
    const first: Buffer = connection.read();
    expect(first.length).toBeGreaterThanOrEqual(64 * 1024);
    expect(first.length).toBeLessThan(64 * 1024 + 2 * publish.length);
    await soon();
    const second: Buffer = connection.read();
    await soon();
    expect(first.length + second.length).toBe(100 * publish.length);
    expect(calls.at(-1)).toBe('resume');
    connection.destroy();
  });

  it('passes on what comes at once in pieces, in order', async () => {
    const { connection, calls } = connected();
    connection.received(Buffer.concat(Array.from({ length: 50 }, () => publish)));
    const first: Buffer = connection.read();
    expect([first.length, calls]).toEqual([16 * publish.length, ['pause']]);
    // What comes now waits for its turn behind the rest.
    connection.received(Buffer.from('c000', 'hex'));
    expect(connection.read()).toBeNull();
    await soon();
    const rest: Buffer = connection.read();
    expect(rest.length).toBe(34 * publish.length + 2);
    expect(rest.toString('hex', rest.length - 2)).toBe('c000');
    connection.destroy();
  });

  it('passes on all that came before a client left, and is gone after that', async () => {
    const { connection, calls } = connected();
    let bytes = 0;
    let hasEnded = false;
    connection.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    connection.on('end', () => {
      hasEnded = true;
    });
    connection.received(Buffer.concat(Array.from({ length: 50 }, () => publish)));
    connection.lost();
    expect([hasEnded, calls.includes('gone')]).toEqual([false, false]);
    await soon();
    expect([bytes, hasEnded]).toEqual([50 * publish.length, true]);
    connection.destroy();
    expect(calls.at(-1)).toBe('gone');
  });
});
