import { expect, it } from 'vitest';
import { addressRanges, isLocalUrl, isLoopback, networkOf, siteOf } from './ip-addresses.ts';

it.each(['127.0.0.1', '::1', '::ffff:127.0.0.1'])('%s is a loopback address', (address) =>
  expect(isLoopback(address)).toBe(true),
);
it.each(['', '10.0.0.1', '127.0.0.2', '127.0.0.10', 'x127.0.0.1', '127a0b0c1', '::11', 'a::1', '::ffff:10.0.0.1'])(
  '%j is not a loopback address',
  (address) => expect(isLoopback(address)).toBe(false),
);

it('recognizes URLs that only the machine itself can use', () => {
  for (const host of ['localhost', '127.0.0.1:3000', '127.0.0.53', '[::1]:3000', '0.0.0.0:3000', '[::]'])
    expect(isLocalUrl(`http://${host}`), host).toBe(true);
  for (const host of ['192.168.1.20:3000', 'localhost.example', '127.example', '[fd00::1]:3000', 'garden.example'])
    expect(isLocalUrl(`https://${host}`), host).toBe(false);
});

it.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['::FFFF:c000:207', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0DB8:1:2::', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::ffff', '2001:db8:1:2::/64'],
  ['2001:db8:1:3::ffff', '2001:db8:1:3::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['2001:db8::1:2:3:4:5', '2001:db8:0:1::/64'],
  ['::1:2:3:4:5:6', '0:0:1:2::/64'],
  ['::1:0:0:0:0', '0:0:0:1::/64'],
  ['fe80::fc:ff:fe00:1%eth0', 'fe80:0:0:0::/64'],
  ['::', '0:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['::192.0.2.7', '0:0:0:0::/64'],
  ['', ''],
  ['unknown', 'unknown'],
])('the network of %s is %s', (address, network) => expect(networkOf(address)).toBe(network));

it.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1::/48'],
  ['2001:0DB8:1:ffff::', '2001:db8:1::/48'],
  ['2001:db8:2::1', '2001:db8:2::/48'],
  ['::1', '0:0:0::/48'],
  ['unknown', 'unknown'],
])('the site of %s is %s', (address, site) => expect(siteOf(address)).toBe(site));

it('matches single addresses and CIDR ranges', () => {
  const isListed = addressRanges('10.0.0.0/8, 192.168.1.5,::1,fe80::/10');
  for (const address of ['10.255.0.1', '192.168.1.5', '::1', 'fe80::7', 'fe80::7%eth0'])
    expect([address, isListed(address)]).toEqual([address, true]);
  for (const address of ['11.0.0.1', '192.168.1.6', '::2', 'unknown', '', '10.0.0.1.example'])
    expect([address, isListed(address)]).toEqual([address, false]);
});
