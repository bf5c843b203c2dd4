import { BlockList, isIP } from 'node:net';

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
