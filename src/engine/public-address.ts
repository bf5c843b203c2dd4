import { BlockList, isIPv4, isIPv6 } from 'node:net';
import type { NetworkInterfaceInfo } from 'node:os';
import { addressRanges } from '../core/ip-addresses.ts';

/** IPv4 networks that are not globally reachable. [RFC 6890] */
const notPublic: readonly (readonly [network: string, prefix: number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];

/** The IPv6 network of global unicast addresses, without loopback, link-local, mapped and translated ones. */
const publicIPv6 = new BlockList();
publicIPv6.addSubnet('2000::', 3, 'ipv6');

const private4 = new BlockList();
for (const [network, prefix] of notPublic) private4.addSubnet(network, prefix, 'ipv4');

/** Parts of it that are reserved or embed an IPv4 address: Teredo, documentation, 6to4. */
const private6 = new BlockList();
private6.addSubnet('2001::', 23, 'ipv6');
private6.addSubnet('2001:db8::', 32, 'ipv6');
private6.addSubnet('2002::', 16, 'ipv6');
private6.addSubnet('3fff::', 20, 'ipv6');

/** Returns whether the address belongs to a host on the public internet. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !private4.check(address, 'ipv4');
  return isIPv6(address) && publicIPv6.check(address, 'ipv6') && !private6.check(address, 'ipv6');
}

/** The interfaces of a machine with their addresses, as `os.networkInterfaces` returns them. */
export type NetworkInterfaces = Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>;

/** Bits of the prefix of an IPv6 network; an address of DHCPv6 has a prefix of 128. */
const maxIPv6Prefix = 64;

/** Returns a predicate that matches the addresses of a machine and of its networks, which may be public ones. */
export function ownNetworks(interfaces: NetworkInterfaces): (address: string) => boolean {
  const networks = new BlockList();
  for (const { family, address, cidr } of Object.values(interfaces).flatMap((each) => each ?? [])) {
    const [bare = ''] = address.split('%');
    const prefix = Number(cidr?.split('/')[1]);
    if (family === 'IPv4') networks.addSubnet(bare, cidr === null ? 32 : prefix, 'ipv4');
    else networks.addSubnet(bare, cidr === null ? maxIPv6Prefix : Math.min(prefix, maxIPv6Prefix), 'ipv6');
  }
  return (address) => networks.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');
}

/** Addresses of every machine: loopback and unspecified. */
const ofEveryMachine = addressRanges('0.0.0.0/8,127.0.0.0/8,::,::1,::ffff:0.0.0.0/104,::ffff:127.0.0.0/104');

/**
 * Returns a predicate that matches the addresses and networks of a list (`192.168.1.0/24, 127.0.0.1`), except addresses of this machine that
 * are only in a network of it: they must be named themselves, or be loopback addresses in a network of such.
 */
export function listedAddresses(list: string): (address: string, interfaces: NetworkInterfaces) => boolean {
  const isListed = addressRanges(list);
  const named = list.split(',').filter((entry) => {
    const [address = '', bits = isIPv6(entry.trim()) ? '128' : '32'] = entry.trim().split('/');
    const isOne = bits === (isIPv6(address) ? '128' : '32');
    return isOne || (ofEveryMachine(address) && Number(bits) >= (isIPv6(address) ? 104 : 8));
  });
  const isNamed = named.length > 0 ? addressRanges(named.join(',')) : () => false;
  return (address, interfaces) => {
    if (!isListed(address) || isNamed(address)) return isNamed(address);
    const own = Object.values(interfaces).flatMap((each) => each ?? []);
    return !ofEveryMachine(address) && !own.some((each) => each.address.split('%')[0] === address.split('%')[0]);
  };
}
