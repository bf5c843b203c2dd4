import { describe, expect, it } from 'vitest';
import { checkedHost, hostOf, hostOfSocket, hostParts, plainAddress } from './host.ts';

describe('checkedHost', () => {
  it.each([
    ['garden.example', false, 'garden.example:80'],
    ['garden.example', true, 'garden.example:443'],
    ['Garden.Example:3000', false, 'garden.example:3000'],
    ['10.0.0.7:3000', false, '10.0.0.7:3000'],
    ['[::1]:3000', false, '[::1]:3000'],
    ['[fe80::1]', false, '[fe80::1]:80'],
    ['my_server:8080', false, 'my_server:8080'],
    ['x', false, 'x:80'],
    ['garden.example.:8080', false, 'garden.example.:8080'],
    ['[::ffff:10.0.0.7]:3000', false, '[::ffff:10.0.0.7]:3000'],
    ['xn--bcher-kva.example', false, 'xn--bcher-kva.example:80'],
  ])('%s', (header, secure, host) => expect(checkedHost(header, secure)).toBe(host));
  it.each([
    undefined,
    '',
    'a b',
    'a/b',
    'a@b',
    'a?b',
    'a#b',
    'a:99999',
    'a:0',
    'a:',
    '::1',
    '[::1',
    'a"b',
    '-a',
    'é.example',
    'a\r\nb',
    '999.1.1.1',
    '1.2.3.4.5',
    'foo.0x',
    'xn--a',
    'xn--a.example:3000',
    '[1:2]',
    '[::1::2]:80',
    '[::999.1.1.1]',
  ])('refuses %j', (header) => expect(checkedHost(header, false)).toBeNull());
});

it('returns host and port of URLs and sockets', () => {
  expect(hostOf(new URL('https://garden.example/x'))).toBe('garden.example:443');
  expect(hostOf(new URL('http://garden.example'))).toBe('garden.example:80');
  expect(hostOf(new URL('http://[::1]:8080'))).toBe('[::1]:8080');
  expect(hostOfSocket({ localAddress: '::ffff:10.0.0.7', localPort: 3000 })).toBe('10.0.0.7:3000');
  expect(hostOfSocket({ localAddress: 'fe80::1', localPort: 3000 })).toBe('[fe80::1]:3000');
  expect(hostOfSocket({ localAddress: 'fe80::1%eth0', localPort: 3000 })).toBe('[fe80::1]:3000');
  expect(hostOfSocket({})).toBe('localhost:80');
  expect(plainAddress('::ffff:127.0.0.1')).toBe('127.0.0.1');
  expect(plainAddress('::1')).toBe('::1');
});

it.each([
  ['garden.example:3000', false, { name: 'garden.example', port: '3000' }],
  ['garden.example', false, { name: 'garden.example', port: '80' }],
  ['garden.example', true, { name: 'garden.example', port: '443' }],
  ['[fe80::1]:80', true, { name: 'fe80::1', port: '80' }],
  ['[fe80::1]', false, { name: 'fe80::1', port: '80' }],
])('splits %s', (host, secure, parts) => expect(hostParts(host, secure)).toEqual(parts));
