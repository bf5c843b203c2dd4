import { afterEach, describe, expect, it, vi } from 'vitest';
import type { PendingConnection } from './connection-registry.ts';
import { PendingConnections } from './connection-registry.ts';
import type { MqttLimits } from './limits.ts';
import { mqttLimits } from './limits.ts';

const closed: string[] = [];
afterEach(() => vi.useRealTimers());

function connection(name: string, address: string): PendingConnection {
  return { address, terminate: (reason) => closed.push(`${name} ${reason}`) };
}

function pending(limits: Partial<MqttLimits>) {
  closed.length = 0;
  return new PendingConnections({ ...mqttLimits, ...limits });
}

describe('connections that have not signed in', () => {
  it('closes the oldest of an address that has too many', () => {
    const subject = pending({ maxPending: 10, maxPendingPerAddress: 2 });
    subject.add(connection('a', '10.0.0.1'));
    subject.add(connection('b', '10.0.0.2'));
    subject.add(connection('c', '10.0.0.2'));
    subject.add(connection('d', '10.0.0.2'));
    expect(closed).toEqual(['b too_many_pending']);
    expect(subject.size).toBe(3);
    subject.stop();
  });

  it('closes the oldest of all when there are too many in total', () => {
    const subject = pending({ maxPending: 2, maxPendingPerAddress: 2 });
    for (const [index, name] of ['a', 'b', 'c', 'd'].entries()) subject.add(connection(name, `10.0.0.${index}`));
    expect(closed).toEqual(['a too_many_pending', 'b too_many_pending']);
    subject.stop();
  });

  it('counts an IPv6 network as one address', () => {
    const subject = pending({ maxPending: 10, maxPendingPerAddress: 1 });
    subject.add(connection('a', '2001:db8::1'));
    subject.add(connection('b', '2001:db8::2'));
    expect(closed).toEqual(['a too_many_pending']);
    subject.stop();
  });

  it('does not count connections that signed in or closed', () => {
    const subject = pending({ maxPending: 10, maxPendingPerAddress: 1 });
    const first = connection('a', '10.0.0.1');
    subject.add(first);
    subject.remove(first);
    subject.remove(first);
    subject.add(connection('b', '10.0.0.1'));
    expect(closed).toEqual([]);
    subject.stop();
  });

  it('closes each connection that does not sign in before the timeout', () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const subject = pending({ connectTimeout: 60 });
    subject.add(connection('a', '10.0.0.1'));
    vi.advanceTimersByTime(30);
    subject.add(connection('b', '10.0.0.1'));
    const quick = connection('c', '10.0.0.1');
    subject.add(quick);
    subject.remove(quick);
    vi.advanceTimersByTime(45);
    expect(closed).toEqual(['a connect_timeout']);
    vi.advanceTimersByTime(60);
    expect(closed).toEqual(['a connect_timeout', 'b connect_timeout']);
    expect(subject.size).toBe(0);
    subject.stop();
  });
});
