import { expect, it } from 'vitest';
import { trustedProxy } from './proxy.ts';

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
