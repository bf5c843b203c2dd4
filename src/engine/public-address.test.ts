import { describe, expect, it } from 'vitest';
import { isPublicAddress, listedAddresses, ownNetworks } from './public-address.ts';

describe('isPublicAddress', () => {
  it.each(['1.1.1.1', '93.184.216.34', '172.15.255.255', '172.32.0.1', '2606:4700::1111', '2a00:1450:4001::200e'])(
    'is true for %s',
    (address) => {
      expect(isPublicAddress(address)).toBe(true);
    },
  );

  it.each([
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '127.0.0.1',
    '127.255.255.254',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:1.1.1.1',
    '::ffff:7f00:1',
    '::127.0.0.1',
    '64:ff9b::7f00:1',
    'fc00::1',
    'fd12:3456::1',
    'fe80::1',
    'ff02::1',
    '2001::1',
    '2001:db8::1',
    '2002:7f00:1::',
    'localhost',
    '',
  ])('is false for %s', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});

describe('ownNetworks', () => {
  const details = { netmask: '', mac: '00:00:00:00:00:00', internal: false } as const;
  const isOwn = ownNetworks({
    eth0: [
      { ...details, family: 'IPv4', address: '93.184.216.5', cidr: '93.184.216.5/24' },
      { ...details, family: 'IPv6', address: '2a00:1450:4001:800::5', cidr: '2a00:1450:4001:800::5/64', scopeid: 0 },
      { ...details, family: 'IPv6', address: '2606:4700::5', cidr: '2606:4700::5/48', scopeid: 0 },
    ],
    // From DHCPv6: the network of the address is unknown, but it has at least a /64.
    eth1: [{ ...details, family: 'IPv6', address: '2606:4700:1:1::7', cidr: '2606:4700:1:1::7/128', scopeid: 0 }],
    eth2: [{ ...details, family: 'IPv4', address: '81.2.69.142', cidr: null }],
    eth3: undefined,
  });

  it.each([
    '93.184.216.5',
    '93.184.216.34',
    '2a00:1450:4001:800::99',
    '2606:4700:0:ffff::1',
    '2606:4700:1:1::1',
    '81.2.69.142',
  ])('contain %s', (address) => {
    expect(isOwn(address)).toBe(true);
  });

  it.each(['93.184.217.34', '2a00:1450:4001:801::99', '2606:4700:1:2::1', '81.2.69.143', '1.1.1.1'])(
    'do not contain %s',
    (address) => {
      expect(isOwn(address)).toBe(false);
    },
  );
});

describe('listedAddresses', () => {
  const interfaces = {
    eth0: [
      {
        family: 'IPv4',
        address: '192.168.1.5',
        cidr: '192.168.1.5/24',
        netmask: '255.255.255.0',
        mac: '',
        internal: false,
      },
    ],
  } as const;
  const lists = (list: string, address: string): boolean => listedAddresses(list)(address, interfaces);

  it('contains networks, without the addresses of this machine in them', () => {
    expect(lists('192.168.1.0/24', '192.168.1.6')).toBe(true);
    expect(lists('192.168.1.0/24', '192.168.1.5')).toBe(false);
    expect(lists('0.0.0.0/0', '127.0.0.1')).toBe(false);
    expect(lists('0.0.0.0/0', '10.0.0.1')).toBe(true);
    expect(lists('::/0', '::1')).toBe(false);
    expect(lists('10.0.0.0/8', '192.168.1.6')).toBe(false);
  });

  it('contains addresses of this machine that are named', () => {
    expect(lists('192.168.1.0/24, 192.168.1.5', '192.168.1.5')).toBe(true);
    expect(lists('192.168.1.5/32', '192.168.1.5')).toBe(true);
    expect(lists('127.0.0.0/8', '127.0.0.1')).toBe(true);
    expect(lists('10.0.0.0/8,::1', '::1')).toBe(true);
  });
});
