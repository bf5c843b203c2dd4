import { expect, it } from 'vitest';
import { addressRanges } from './address-ranges.ts';

it('matches single addresses and CIDR ranges', () => {
  const isListed = addressRanges('10.0.0.0/8, 192.168.1.5,::1,fe80::/10');
  for (const address of ['10.255.0.1', '192.168.1.5', '::1', 'fe80::7', 'fe80::7%eth0'])
    expect([address, isListed(address)]).toEqual([address, true]);
  for (const address of ['11.0.0.1', '192.168.1.6', '::2', 'unknown', '', '10.0.0.1.example'])
    expect([address, isListed(address)]).toEqual([address, false]);
});
