import { describe, expect, it } from 'vitest';
import { isLocalCall } from '../engine/local-call.ts';
import { RateLimits } from './rate-limits.ts';

const noon = Date.UTC(2026, 10, 21, 12, 0, 0);

/** Returns the number of allowed requests among this number. */
const allowed = (requests: number, consume: () => number): number => {
  let count = 0;
  for (let i = 0; i < requests; i++) if (consume() === 0) count++;
  return count;
};

/** A client that no proxy stands before. */
const at = (address: string) => ({ address, isLocal: isLocalCall({ address, headers: {} }) });

describe('RateLimits', () => {
  it('limits requests per address and minute or hour', () => {
    const limits = new RateLimits();
    expect(allowed(1001, () => limits.consume(at('10.0.0.1'), 'general', noon))).toBe(1000);
    expect(limits.consume(at('10.0.0.1'), 'none', noon)).toBe(0);
    expect(allowed(16, () => limits.consume(at('10.0.0.2'), 'sync', noon))).toBe(15);
    expect(limits.consume(at('10.0.0.2'), 'general', noon)).toBe(0);
    expect(allowed(31, () => limits.consume(at('10.0.0.3'), 'reset', noon))).toBe(30);
    expect(limits.consume(at('10.0.0.3'), 'reset', noon + 59 * 60_000)).toBe(60_000);
    expect(limits.consume(at('10.0.0.3'), 'reset', noon + 60 * 60_000)).toBe(0);
    expect(allowed(51, () => limits.consume(at('10.0.0.4'), 'demo', noon))).toBe(50);
    expect(limits.consume(at('10.0.0.4'), 'demo', noon + 59 * 60_000)).toBe(60_000);
    expect(limits.consume(at('10.0.0.4'), 'demo', noon + 60 * 60_000)).toBe(0);
  });
  it('counts reads of records by robots apart', () => {
    const limits = new RateLimits();
    expect(allowed(3001, () => limits.consumeRobotRead(at('10.0.0.1'), noon))).toBe(3000);
    expect(limits.consumeRobotRead(at('10.0.0.1'), noon + 6000)).toBe(54_000);
    expect(allowed(1001, () => limits.consume(at('10.0.0.1'), 'general', noon))).toBe(1000);
    expect(limits.consumeRobotRead(at('10.0.0.2'), noon)).toBe(0);
    expect(allowed(3001, () => limits.consumeRobotRead(at('127.0.0.1'), noon))).toBe(3001);
    const hosted = { ...at('10.0.0.1'), ownClient: { isCounted: false } };
    expect(limits.consumeRobotRead(hosted, noon)).toBe(0);
  });
  it('counts e-mail addresses per network, trimmed and case-insensitive', () => {
    const limits = new RateLimits();
    for (const email of ['a@b.c', ' A@b.c ', 'a@B.c']) expect(limits.consumeReset(at('10.0.0.1'), email, noon)).toBe(0);
    expect(limits.consumeReset(at('10.0.0.1'), 'a@b.c', noon + 1)).toBe(3_599_999);
    expect(limits.consumeReset(at('10.0.0.2'), 'a@b.c', noon)).toBe(0);
    expect(limits.consumeReset(at('127.0.0.1'), 'a@b.c', noon)).toBe(0);
  });
  it('counts an IPv6 network as one client', () => {
    const limits = new RateLimits();
    const from = (network: number, host: number) => limits.consume(at(`2001:db8:1:${network}::${host}`), 'sync', noon);
    for (let host = 1; host <= 15; host++) expect(from(1, host)).toBe(0);
    expect(from(1, 16)).toBe(60_000);
    expect(from(2, 16)).toBe(0);
  });
  it('limits the networks of an IPv6 site together, to 16 times as much', () => {
    const limits = new RateLimits();
    const from = (network: number) => limits.consume(at(`2001:db8:1:${network.toString(16)}::1`), 'sync', noon);
    // One network cannot use up the limit of its site.
    expect(allowed(1000, () => from(0xffff))).toBe(15);
    let network = 0;
    expect(allowed(1000, () => from(network++))).toBe(15 * 15);
    expect(limits.consume(at('2001:db8:2::1'), 'sync', noon)).toBe(0);
    expect(allowed(1000, () => limits.consume(at(`192.0.2.${network++ % 256}`), 'sync', noon))).toBe(1000);
  });
  it('does not limit loopback addresses', () => {
    const limits = new RateLimits();
    for (const address of ['127.0.0.1', '::1'])
      expect(allowed(2000, () => limits.consume(at(address), 'sync', noon))).toBe(2000);
  });
  it('limits requests that a proxy on this machine passes on', () => {
    const limits = new RateLimits();
    const headers = { 'x-forwarded-for': '127.0.0.1' };
    const proxied = { address: '127.0.0.1', isLocal: isLocalCall({ address: '127.0.0.1', headers }) };
    expect(allowed(20, () => limits.consume(proxied, 'sync', noon))).toBe(15);
  });
  it('limits virtual robots of the server once they have synchronized, each garden apart', () => {
    const limits = new RateLimits();
    const robot = (deviceId: number, isCounted: boolean) => ({
      ...at(`virtual robot ${deviceId}`),
      ownClient: { isCounted },
    });
    expect(allowed(30, () => limits.consume(robot(5, false), 'sync', noon))).toBe(30);
    expect(allowed(30, () => limits.consume(robot(5, true), 'sync', noon))).toBe(15);
    expect(limits.consume(robot(6, true), 'sync', noon)).toBe(0);
  });
});
