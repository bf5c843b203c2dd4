import { expect, it } from 'vitest';
import { trustedProxy } from './proxy.ts';
import { proxiesIn, UnknownProxies } from './unknown-proxies.ts';

const clientAddress = (trust: boolean | string, remoteAddress: string, forwarded?: string): string =>
  trustedProxy(trust).clientAddress({
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
    socket: { remoteAddress },
  });

it('uses the address of the connection unless the proxy is trusted', () => {
  expect(clientAddress(false, '10.0.0.7', '1.2.3.4')).toBe('10.0.0.7');
  expect(clientAddress(false, '::ffff:10.0.0.7')).toBe('10.0.0.7');
  expect(clientAddress('10.0.0.1', '10.0.0.7', '1.2.3.4')).toBe('10.0.0.7');
});

it('uses the entry of the trusted proxy, not its client’s', () => {
  expect(clientAddress(true, '10.0.0.1', '6.6.6.6, 1.2.3.4')).toBe('1.2.3.4');
  expect(clientAddress('10.0.0.0/8', '10.0.0.1', '6.6.6.6,1.2.3.4, 10.0.0.2')).toBe('1.2.3.4');
  expect(clientAddress('10.0.0.0/8', '::ffff:10.0.0.1', '1.2.3.4, ::ffff:10.0.0.2')).toBe('1.2.3.4');
  expect(clientAddress('fd00::/8', 'fd00::1', '2001:db8::5')).toBe('2001:db8::5');
  expect(clientAddress(true, '10.0.0.1')).toBe('10.0.0.1');
});

it('ignores empty entries and invalid addresses', () => {
  expect(clientAddress(true, '10.0.0.1', '1.2.3.4, ,')).toBe('1.2.3.4');
  expect(clientAddress(true, '10.0.0.1', ',')).toBe('10.0.0.1');
  expect(clientAddress('10.0.0.0/8', '10.0.0.1', '1.2.3.4, unknown')).toBe('10.0.0.1');
});

it('uses host and scheme of a trusted proxy only', () => {
  const request = {
    headers: { host: 'a', 'x-forwarded-host': 'evil, b:8443', 'x-forwarded-proto': 'http, https' },
    socket: { remoteAddress: '10.0.0.1' },
  };
  const seen = (trust: boolean | string) => {
    const proxy = trustedProxy(trust);
    return [proxy.host(request), proxy.isSecure(request)];
  };
  expect(seen(true)).toEqual(['b:8443', true]);
  expect(seen('10.0.0.0/8')).toEqual(['b:8443', true]);
  for (const trust of [false, '192.168.0.0/16']) expect(seen(trust)).toEqual(['a', false]);
});

it('uses host and scheme of the first of several trusted proxies', () => {
  const seen = (trust: boolean | string, forwarded: string, host: string, scheme: string) => {
    const headers = { host: 'a', 'x-forwarded-for': forwarded, 'x-forwarded-host': host, 'x-forwarded-proto': scheme };
    const request = { headers, socket: { remoteAddress: '10.0.0.1' } };
    const proxy = trustedProxy(trust);
    return [proxy.host(request), proxy.isSecure(request)];
  };
  const chain = '1.2.3.4, 10.0.0.2';
  expect(seen('10.0.0.0/8', chain, 'b:8443, inner', 'https, http')).toEqual(['b:8443', true]);
  expect(seen('10.0.0.0/8', chain, 'evil, b:8443, inner', 'https, http, http')).toEqual(['b:8443', false]);
  // One of them left what the first had written.
  expect(seen('10.0.0.0/8', chain, 'b:8443', 'HTTPS')).toEqual(['b:8443', true]);
  // The second one is another's, so it is the client.
  for (const trust of [true, '10.0.0.1'])
    expect(seen(trust, chain, 'evil, b:8443', 'https, http')).toEqual(['b:8443', false]);
});

it('does not believe a client whose proxy added an empty host or scheme', () => {
  const proxy = trustedProxy(true);
  const request = {
    headers: { host: 'a', 'x-forwarded-host': 'evil, ', 'x-forwarded-proto': 'https,' },
    socket: { remoteAddress: '10.0.0.1' },
  };
  expect([proxy.host(request), proxy.isSecure(request)]).toEqual(['a', false]);
});

it('reports a proxy that is not trusted, or does not name its client', () => {
  const found = (trust: boolean | string, remoteAddress: string, headers: Record<string, string>) => {
    const proxy = trustedProxy(trust);
    const request = { headers, socket: { remoteAddress } };
    return [proxy.unknownProxy(request), proxy.hidesClient(request)];
  };
  const forwarded = { 'x-forwarded-for': '1.2.3.4' };
  expect(found(false, '::ffff:127.0.0.1', forwarded)).toEqual(['127.0.0.1', true]);
  expect(found('10.0.0.0/8', '127.0.0.1', forwarded)).toEqual(['127.0.0.1', true]);
  expect(found(false, '127.0.0.1', {})).toEqual([null, false]);
  expect(found('127.0.0.1', '::ffff:127.0.0.1', forwarded)).toEqual([null, false]);
  expect(found('127.0.0.1', '127.0.0.1', { 'x-forwarded-for': '127.0.0.1' })).toEqual([null, false]);
  expect(found('127.0.0.1', '127.0.0.1', { 'x-forwarded-for': 'unknown' })).toEqual([null, true]);
  expect(found(true, '10.0.0.1', { 'x-real-ip': '1.2.3.4' })).toEqual([null, true]);
  // A public address is not known to have several clients behind it.
  expect(found(false, '192.0.2.1', forwarded)).toEqual(['192.0.2.1', false]);
  // The connection was reset.
  expect(found(false, '', forwarded)).toEqual([null, false]);
  // A request of this server itself, for a client.
  expect(found(false, '127.0.0.1', { via: '1.1 potager' })).toEqual([null, true]);
});

it('logs each unknown proxy once, whatever strangers send', () => {
  const logged: unknown[] = [];
  const silent = () => undefined;
  const proxies = new UnknownProxies({
    debug: silent,
    info: silent,
    error: silent,
    warn: ({ address }: { address?: string }) => void logged.push(address),
  });
  const check = (...addresses: (string | null)[]) => {
    for (const unknownProxy of addresses) proxies.check({ unknownProxy });
  };
  check(null, '192.0.2.1', '192.0.2.1');
  expect([logged, proxies.problem]).toEqual([['192.0.2.1'], null]);
  check('10.0.0.5', '127.0.0.1', '127.0.0.1');
  expect(logged).toEqual(['192.0.2.1', '10.0.0.5', '127.0.0.1']);
  expect(proxies.problem).toMatch(/ set TRUST_PROXY=10\.0\.0\.5\. A request from .* set TRUST_PROXY=127\.0\.0\.1$/);
  expect(proxiesIn(proxies.problem ?? '')).toEqual(['10.0.0.5', '127.0.0.1']);
  check(...Array.from({ length: 50 }, (_, index) => `192.0.2.${index}`));
  expect(logged).toHaveLength(7);
});
