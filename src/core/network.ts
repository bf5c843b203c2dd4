import { isIPv6, SocketAddress } from 'node:net';

/** Number of 16-bit groups in a /64 prefix. */
const prefixGroups = 4;

/**
 * Returns the key under which an address is rate-limited: an IPv4 address itself, or the /64 prefix of an IPv6 address
 * (`2001:db8:1:2::/64`), because one client usually owns a whole /64.
 */
export function networkOf(address: string): string {
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
  return `${groups.slice(0, prefixGroups).join(':')}::/64`;
}
