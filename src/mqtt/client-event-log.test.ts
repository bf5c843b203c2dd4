import { describe, expect, it } from 'vitest';
import { Counters } from '../core/counters.ts';
import { ClientEventLog } from './client-event-log.ts';

describe('the log of client events', () => {
  it('writes twenty lines per second, and one with the number of suppressed lines', () => {
    const lines: string[] = [];
    const time = { now: 5_000_000 };
    const write = (object: object, message: string) => lines.push(`${message} ${JSON.stringify(object)}`);
    const counters = new Counters();
    const log = new ClientEventLog(
      counters,
      { debug: write, info: write, warn: write, error: write },
      { now: () => time.now },
    );
    const client = { address: '127.0.0.1', identity: { name: 'ada' } };
    for (let index = 0; index < 50; index++) log.rejected('client_id', client, { index });
    expect(lines).toHaveLength(20);
    expect(lines.at(-1)).toBe(
      'the message broker refused a client {"reason":"client_id","address":"127.0.0.1","username":"ada","index":19}',
    );
    time.now += 1000;
    log.closed('protocol', { address: '127.0.0.2' });
    expect(lines.slice(20)).toEqual([
      'further lines of the message broker were suppressed {"lines":30}',
      'the message broker ended a connection {"reason":"protocol","address":"127.0.0.2"}',
    ]);
    log.stop();
    expect(lines).toHaveLength(22);
    expect([counters.total('broker_refusals'), counters.total('broker_cut')]).toEqual([50, 1]);
  });
});
