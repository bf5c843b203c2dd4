import { expect, it } from 'vitest';
import { trustedProxy } from './proxy.ts';
import { UnknownProxies } from './unknown-proxies.ts';

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

it('does not take a proxy on this machine for its clients', () => {
  expect(clientAddress(false, '127.0.0.1', '1.2.3.4')).toBe('proxy 127.0.0.1');
  expect(clientAddress('10.0.0.1', '::1', '127.0.0.1')).toBe('proxy ::1');
  expect(clientAddress(false, '::ffff:127.0.0.1')).toBe('127.0.0.1');
  expect(clientAddress('127.0.0.1', '127.0.0.1', '1.2.3.4')).toBe('1.2.3.4');
});

it('uses the entry of the trusted proxy, not those of its client', () => {
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

it('does not believe a client whose proxy added an empty host or scheme', () => {
  const proxy = trustedProxy(true);
  const request = {
    headers: { host: 'a', 'x-forwarded-host': 'evil, ', 'x-forwarded-proto': 'https,' },
    socket: { remoteAddress: '10.0.0.1' },
  };
  expect([proxy.host(request), proxy.isSecure(request)]).toEqual(['a', false]);
});

it('names the connected address as an unknown proxy unless it is trusted', () => {
  const unknown = (trust: boolean | string, remoteAddress: string) =>
    trustedProxy(trust).unknownProxy({ headers: {}, socket: { remoteAddress } });
  expect(unknown(false, '::ffff:127.0.0.1')).toBe('127.0.0.1');
  expect(unknown('10.0.0.0/8', '127.0.0.1')).toBe('127.0.0.1');
  expect(unknown('127.0.0.1', '::ffff:127.0.0.1')).toBeNull();
  expect(unknown(true, '10.0.0.1')).toBeNull();
});

it('logs the first unknown proxy nearby, whatever strangers send', () => {
  const logged: unknown[] = [];
  const silent = () => undefined;
  const proxies = new UnknownProxies({
    ...{ debug: silent, info: silent, error: silent },
    warn: ({ address }: { address?: string }) => void logged.push(address),
  });
  const notice = (...addresses: (string | null)[]) => {
    for (const unknownProxy of addresses) proxies.notice({ unknownProxy });
  };
  notice(null, '192.0.2.1', '192.0.2.2');
  expect([logged, proxies.problem]).toEqual([['192.0.2.1'], null]);
  notice('10.0.0.5', '127.0.0.1', '192.0.2.3');
  expect(logged).toEqual(['192.0.2.1', '10.0.0.5']);
  expect(proxies.problem).toMatch(/^A proxy at 10\.0\.0\.5 .* set TRUST_PROXY=10\.0\.0\.5$/);
});
