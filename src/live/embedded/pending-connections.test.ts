import { describe, expect, it } from 'vitest';
import { brokerLimits } from './broker-limits.ts';
import type { PendingConnection } from './pending-connections.ts';
import { PendingConnections } from './pending-connections.ts';

const cuts: string[] = [];

function connection(name: string, address: string): PendingConnection {
  return { address, cut: (reason) => cuts.push(`${name} ${reason}`) };
}

function pending(limits: Partial<typeof brokerLimits> | { [K in keyof typeof brokerLimits]?: number }) {
  cuts.length = 0;
  return new PendingConnections({ ...brokerLimits, ...limits });
}

describe('connections that have not signed in', () => {
  it('cuts the oldest of an address that has too many', () => {
    const subject = pending({ pending: 10, pendingOfAddress: 2 });
    subject.add(connection('a', '10.0.0.1'));
    subject.add(connection('b', '10.0.0.2'));
    subject.add(connection('c', '10.0.0.2'));
    subject.add(connection('d', '10.0.0.2'));
    expect(cuts).toEqual(['b too_many_pending']);
    expect(subject.size).toBe(3);
    subject.stop();
  });

  it('cuts the oldest of all when all together are too many', () => {
    const subject = pending({ pending: 2, pendingOfAddress: 2 });
    for (const [index, name] of ['a', 'b', 'c', 'd'].entries()) subject.add(connection(name, `10.0.0.${index}`));
    expect(cuts).toEqual(['a too_many_pending', 'b too_many_pending']);
    subject.stop();
  });

  it('counts an IPv6 network as one address', () => {
    const subject = pending({ pending: 10, pendingOfAddress: 1 });
    subject.add(connection('a', '2001:db8::1'));
    subject.add(connection('b', '2001:db8::2'));
    expect(cuts).toEqual(['a too_many_pending']);
    subject.stop();
  });

  it('does not count those that signed in or are gone', () => {
    const subject = pending({ pending: 10, pendingOfAddress: 1 });
    const first = connection('a', '10.0.0.1');
    subject.add(first);
    subject.remove(first);
    subject.remove(first);
    subject.add(connection('b', '10.0.0.1'));
    expect(cuts).toEqual([]);
    subject.stop();
  });

  it('cuts who does not sign in in time, each in its time', async () => {
    const subject = pending({ connectWithin: 60 });
    subject.add(connection('a', '10.0.0.1'));
    await new Promise((resolve) => setTimeout(resolve, 30));
    subject.add(connection('b', '10.0.0.1'));
    const quick = connection('c', '10.0.0.1');
    subject.add(quick);
    subject.remove(quick);
    await new Promise((resolve) => setTimeout(resolve, 45));
    expect(cuts).toEqual(['a connect_timeout']);
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(cuts).toEqual(['a connect_timeout', 'b connect_timeout']);
    expect(subject.size).toBe(0);
    subject.stop();
  });
});
