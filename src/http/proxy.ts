import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { addressRanges, isLoopback } from '../core/ip-addresses.ts';
import { isForwarded } from '../engine/local-call.ts';
import { plainAddress } from './host.ts';

/** The parts of a request that identify its client. */
type ClientRequest = Pick<IncomingMessage, 'headers'> & {
  readonly socket: { readonly remoteAddress?: string | undefined };
};

/** What a request says about its client, forwarding headers of trusted proxies included. */
export interface TrustedProxy {
  /**
   * The address of the client. Of `X-Forwarded-For` only entries written by a trusted proxy count. `proxy 127.0.0.1` if one on this
   * machine that is not trusted passed the request on: the client is elsewhere, and unknown.
   */
  clientAddress(request: ClientRequest): string;
  /** The connected address, unless it is that of a trusted proxy. */
  unknownProxy(request: ClientRequest): string | null;
  /** The `Host` that the client used; unchecked. */
  host(request: ClientRequest): string | undefined;
  /** Whether the client used TLS. */
  isSecure(request: ClientRequest): boolean;
}

/** `trustProxy`: no proxy (false), the connected one (true), or those in the listed ranges. [setting TRUST_PROXY] */
export function trustedProxy(trustProxy: boolean | string): TrustedProxy {
  const isListed = typeof trustProxy === 'string' ? addressRanges(trustProxy) : null;
  // Without a list only the connected proxy is known: entries before its own were sent by its client.
  const isTrusted = (address: string, hop: number): boolean =>
    isListed ? isListed(plainAddress(address)) : trustProxy === true && hop === 0;
  // The last entry is the proxy's own; if it is empty, those before it are still its client's.
  const forwarded = ({ headers, socket }: ClientRequest, name: string): string | undefined =>
    isTrusted(socket.remoteAddress ?? '', 0) ? entries(headers[name]).at(-1) : undefined;
  return {
    clientAddress({ headers, socket }) {
      const plain = plainAddress(socket.remoteAddress ?? '');
      const isUnknown = isLoopback(plain) && isForwarded({ headers }) && !isTrusted(plain, 0);
      const connected = isUnknown ? `proxy ${plain}` : plain;
      if (trustProxy === false) return connected;
      const hops = entries(headers['x-forwarded-for']).filter((entry) => entry !== '');
      let address = connected;
      for (let hop = 0; hops.length > 0 && isTrusted(address, hop); hop++) address = hops.pop() ?? address;
      // Proxies may write `unknown` or a name.
      return isIP(address) === 0 ? connected : plainAddress(address);
    },
    unknownProxy({ socket: { remoteAddress = '' } }) {
      return isTrusted(remoteAddress, 0) ? null : plainAddress(remoteAddress);
    },
    host: (request) => forwarded(request, 'x-forwarded-host') || request.headers.host,
    isSecure: (request) => forwarded(request, 'x-forwarded-proto') === 'https',
  };
}

/** The entries of a list header. */
const entries = (header: string | string[] | undefined): string[] =>
  String(header ?? '')
    .split(',')
    .map((entry) => entry.trim());
