import type { IncomingMessage } from 'node:http';
import { addressRanges } from '../core/address-ranges.ts';
import { plainAddress } from './host.ts';

/** Where a request that Fastify never sees (a WebSocket's) comes from: `trustProxy` says whose `X-Forwarded-For` is believed, and only the entry that a believed proxy wrote. [setting TRUST_PROXY] */
export function forwardedAddress(trustProxy: boolean | string): (request: IncomingMessage) => string {
  const isListed = typeof trustProxy === 'string' ? addressRanges(trustProxy) : () => false;
  const isTrusted = (address: string, hop: number): boolean => (trustProxy === true ? hop === 0 : isListed(address));
  return ({ headers, socket }) => {
    const sent = headers['x-forwarded-for'];
    const hops = (typeof sent === 'string' ? sent : (sent ?? []).join(',')).split(',').map((hop) => hop.trim());
    let address = plainAddress(socket.remoteAddress ?? '');
    for (let hop = 0; trustProxy !== false && isTrusted(address, hop); hop++) {
      const next = hops.pop();
      if (!next) break;
      address = next;
    }
    return address;
  };
}
