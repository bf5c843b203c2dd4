import { describe, expect, it } from 'vitest';
import { ByteBudget, FairScheduler } from './fair-sharing.ts';
import { GuardedConnection } from './guarded-connection.ts';
import { mqttLimits } from './limits.ts';
import type { Transport } from './transport.ts';

const connect = Buffer.from('100c00044d5154540402003c0000', 'hex');
/** A PUBLISH with a payload of 1 KiB to `t`. */
const publish = Buffer.concat([Buffer.from('30830800', 'hex'), Buffer.from([1, 0x74]), Buffer.alloc(1024, 0x61)]);

function connected() {
  const calls: string[] = [];
  const transport: Transport = {
    address: '127.0.0.1',
    queuedBytes: 0,
    partialBytes: 0,
    open() {},
    send() {},
    pause: () => calls.push('pause'),
    resume: () => calls.push('resume'),
    accept() {},
    end: () => calls.push('end'),
    destroy: () => calls.push('destroy'),
  };
  const budget = () =>
    new ByteBudget<GuardedConnection>(
      1_000_000,
      () => 0,
      () => undefined,
    );
  const scheduler = new FairScheduler(mqttLimits);
  const connection = new GuardedConnection(
    transport,
    {
      limits: mqttLimits,
      outgoing: budget(),
      incoming: budget(),
      scheduleFlush() {},
      scheduleRead: (subject) => scheduler.schedule(subject),
      onClosing: (_connection, reason) => calls.push(reason),
      onEnded() {},
      onClosed: () => calls.push('closed'),
    },
    null,
  );
  connection.onData(connect);
  connection.read();
  connection.accept();
  calls.length = 0;
  return { connection, calls };
}

const settled = async () => {
  for (let index = 0; index < 20; index++) await new Promise((resolve) => setImmediate(resolve));
};

describe('a guarded connection', () => {
  it('stops reading when 64 KiB are not parsed yet, and resumes later', async () => {
    const { connection, calls } = connected();
    for (let index = 0; index < 100; index++) connection.onData(publish);
    await settled();
    expect(calls).toEqual(['pause']);
    const first: Buffer = connection.read();
    expect(first.length).toBeGreaterThanOrEqual(64 * 1024);
    expect(first.length).toBeLessThan(64 * 1024 + 2 * publish.length);
    await settled();
    const second: Buffer = connection.read();
    await settled();
    expect(first.length + second.length).toBe(100 * publish.length);
    expect(calls.at(-1)).toBe('resume');
    connection.destroy();
  });

  it('passes on packets in slices, in order', async () => {
    const { connection, calls } = connected();
    connection.onData(Buffer.concat(Array.from({ length: 50 }, () => publish)));
    const first: Buffer = connection.read();
    expect([first.length, calls]).toEqual([16 * publish.length, ['pause']]);
    // Later bytes wait behind the rest.
    connection.onData(Buffer.from('c000', 'hex'));
    expect(connection.read()).toBeNull();
    await settled();
    const rest: Buffer = connection.read();
    expect(rest.length).toBe(34 * publish.length + 2);
    expect(rest.toString('hex', rest.length - 2)).toBe('c000');
    connection.destroy();
  });

  it('passes on everything received before the client disconnected, and is closed after that', async () => {
    const { connection, calls } = connected();
    let bytes = 0;
    let hasEnded = false;
    connection.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    connection.on('end', () => {
      hasEnded = true;
    });
    connection.onData(Buffer.concat(Array.from({ length: 50 }, () => publish)));
    connection.onClose();
    expect([hasEnded, calls.includes('closed')]).toEqual([false, false]);
    await settled();
    expect([bytes, hasEnded]).toEqual([50 * publish.length, true]);
    connection.destroy();
    expect(calls.at(-1)).toBe('closed');
  });
});
