import { BlockList, isIP, isIPv6, SocketAddress } from 'node:net';

const loopback = /^(?:::ffff:)?127\.0\.0\.1$|^::1$/;

/** Returns whether an address is a loopback address; its requests are not rate-limited. [rule V6] */
export const isLoopback = (address: string): boolean => loopback.test(address);

/** Returns whether a host to listen on means all addresses of the machine. */
export const isUnspecified = (host: string): boolean => host === '0.0.0.0' || host === '::';

/** Returns whether a URL refers to the machine on which it is opened, as `http://localhost:3000` does. */
export function isLocalUrl(url: string): boolean {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
  return /^(localhost|127\.[\d.]+)$/.test(host) || isLoopback(host) || isUnspecified(host);
}

/**
 * Returns the key under which an address is rate-limited: an IPv4 address itself, or the /64 prefix of an IPv6 address
 * (`2001:db8:1:2::/64`), because one client usually owns a whole /64.
 */
export const networkOf = (address: string): string => prefixOf(address, 64);

/** Returns an IPv4 address itself, or the /48 prefix of an IPv6 address: the largest network that is assigned to one customer, with 65,536 /64s. [ADR 40] */
export const siteOf = (address: string): string => prefixOf(address, 48);

/** Returns the prefix of an IPv6 address. `bits` is a multiple of 16. */
function prefixOf(address: string, bits: number): string {
  if (!address.includes(':')) return address;
  const [bare = ''] = address.split('%');
  if (!isIPv6(bare)) return address;
  // Normalizes: lower case, no leading zeros, dots only in IPv4-mapped addresses.
  const { address: normalized } = new SocketAddress({ address: bare, family: 'ipv6' });
  if (normalized.startsWith('::ffff:') && normalized.includes('.')) return normalized.slice(7);
  const [head = '', tail] = normalized.split('::');
  const groups = head === '' ? [] : head.split(':');
  // `::` stands for zeros, within the prefix or after it.
  if (tail !== undefined) {
    const rest = tail === '' ? [] : tail.split(':');
    while (groups.length + rest.length < 8) groups.push('0');
    groups.push(...rest);
  }
  return `${groups.slice(0, bits / 16).join(':')}::/${bits}`;
}

/** Returns a predicate that matches the addresses and CIDR ranges of a comma-separated list (`10.0.0.0/8, ::1`). The list must be valid. */
export function addressRanges(list: string): (address: string) => boolean {
  const ranges = new BlockList();
  for (const range of list.split(',')) {
    const [address = '', bits] = range.trim().split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (bits === undefined) ranges.addAddress(address, family);
    else ranges.addSubnet(address, Number(bits), family);
  }
  return (address) => {
    // An IPv6 address may have a zone id.
    const [bare = ''] = address.split('%');
    const version = isIP(bare);
    return version !== 0 && ranges.check(bare, version === 6 ? 'ipv6' : 'ipv4');
  };
}

/** Returns whether an address is in a network that is not routed on the internet. */
export const isPrivate = addressRanges(
  '127.0.0.0/8, ::1, 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16, 169.254.0.0/16, fc00::/7, fe80::/10',
);
