import type { IncomingMessage } from 'node:http';
import { expect, it } from 'vitest';
import { forwardedAddress } from './forwarded-address.ts';

const from = (trust: boolean | string, remoteAddress: string, forwarded?: string): string =>
  forwardedAddress(trust)({
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
    socket: { remoteAddress },
  } as IncomingMessage);

it('is the other end of the connection, whatever a header says, unless a proxy is believed', () => {
  expect(from(false, '10.0.0.7', '1.2.3.4')).toBe('10.0.0.7');
  expect(from(false, '::ffff:10.0.0.7')).toBe('10.0.0.7');
  expect(from('10.0.0.1', '10.0.0.7', '1.2.3.4')).toBe('10.0.0.7');
});

it('is what the believed proxy saw, not what its client sent', () => {
  expect(from(true, '10.0.0.1', '6.6.6.6, 1.2.3.4')).toBe('1.2.3.4');
  expect(from('10.0.0.0/8', '10.0.0.1', '6.6.6.6,1.2.3.4, 10.0.0.2')).toBe('1.2.3.4');
  expect(from('fd00::/8', 'fd00::1', '2001:db8::5')).toBe('2001:db8::5');
  expect(from(true, '10.0.0.1')).toBe('10.0.0.1');
});
