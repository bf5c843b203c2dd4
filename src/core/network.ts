import { isIPv6, SocketAddress } from 'node:net';

/** Groups of 16 bits in the network's part. */
const networkGroups = 4;

/**
 * Whom an address is counted for: an IPv4 address itself, of an IPv6 address the /64 network, `2001:db8:1:2::/64`. One
 * line has a whole such network, and may send each request from another of its addresses.
 */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  const [bare = ''] = address.split('%');
  if (!isIPv6(bare)) return address;
  // One spelling for each address: lower case, no leading zeros, dots only where it stands for an IPv4 address.
  const { address: spelled } = new SocketAddress({ address: bare, family: 'ipv6' });
  if (spelled.startsWith('::ffff:') && spelled.includes('.')) return spelled.slice(7);
  const [head = '', tail] = spelled.split('::');
  const groups = head === '' ? [] : head.split(':');
  // What `::` leaves out are zeros; it may stand within the first four groups or behind them.
  if (tail !== undefined) {
    const behind = tail === '' ? [] : tail.split(':');
    while (groups.length + behind.length < 8) groups.push('0');
    groups.push(...behind);
  }
  return `${groups.slice(0, networkGroups).join(':')}::/64`;
}
