import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { addressRanges, isPrivate } from '../core/ip-addresses.ts';
import { isForwarded, ownVia } from '../engine/local-call.ts';
import { plainAddress } from './host.ts';

/** The parts of a request that identify its client. */
type ClientRequest = Pick<IncomingMessage, 'headers'> & {
  readonly socket: { readonly remoteAddress?: string | undefined };
};

/** The description of a client by its request, forwarding headers of trusted proxies included. */
export type TrustedProxy = ReturnType<typeof trustedProxy>;

/** `trustProxy`: no proxy (false), the connected one (true), or the ones in the listed ranges. [setting TRUST_PROXY] */
export function trustedProxy(trustProxy: boolean | string) {
  const isListed = typeof trustProxy === 'string' ? addressRanges(trustProxy) : null;
  // Without a list only the connected proxy is known: entries before its own were sent by its client.
  const isTrusted = (address: string, hop: number): boolean =>
    isListed ? isListed(plainAddress(address)) : trustProxy === true && hop === 0;
  /** Returns the client's address as trusted proxies named it, and how many did. */
  const client = ({ headers, socket }: ClientRequest): { readonly address: string; readonly proxies: number } => {
    let address = socket.remoteAddress ?? '';
    let proxies = 0;
    if (!isTrusted(address, proxies)) return { address, proxies };
    const hops = entries(headers['x-forwarded-for']).filter((entry) => entry !== '');
    for (; hops.length > 0 && isTrusted(address, proxies); proxies++) address = hops.pop() ?? address;
    return { address, proxies };
  };
  // Each proxy replaces the entries or adds its own: that of the first trusted one is as far from the end as the number of proxies. If
  // it is empty, the entries before it are still its client's.
  const forwarded = (request: ClientRequest, name: string): string | undefined => {
    if (!isTrusted(request.socket.remoteAddress ?? '', 0)) return undefined;
    const list = entries(request.headers[name]);
    return list[Math.max(0, list.length - Math.max(1, client(request).proxies))];
  };
  /** Returns the address that a trusted proxy named; null: none did. */
  const namedAddress = (request: ClientRequest): string | null => {
    const { address, proxies } = client(request);
    // Proxies may write `unknown` or a name.
    return proxies === 0 || isIP(address) === 0 ? null : plainAddress(address);
  };
  const connectedAddress = ({ socket }: ClientRequest): string => plainAddress(socket.remoteAddress ?? '');
  return {
    /** Returns the address of the client. Of `X-Forwarded-For` only entries written by a trusted proxy count. */
    clientAddress: (request: ClientRequest): string => namedAddress(request) ?? connectedAddress(request),
    /** Whether an address belongs to a proxy that is trusted where it is connected. */
    isTrusted: (address: string): boolean => isTrusted(address, 0),
    /** Whether the connected address, in a private network, belongs to a proxy which is not trusted or does not name its client. See {@link Call.hidesClient}. */
    hidesClient: (request: ClientRequest): boolean =>
      isForwarded(request) && isPrivate(connectedAddress(request)) && namedAddress(request) === null,
    /** Returns the address of a proxy that passed the request on and is not trusted; null: none did. */
    unknownProxy(request: ClientRequest): string | null {
      const address = connectedAddress(request);
      const isOther = address !== '' && request.headers.via !== ownVia && isForwarded(request);
      return isOther && !isTrusted(address, 0) ? address : null;
    },
    /** Returns the `Host` that the client used; unchecked. */
    host: (request: ClientRequest): string | undefined =>
      forwarded(request, 'x-forwarded-host') || request.headers.host,
    /** Whether the client used TLS. */
    isSecure: (request: ClientRequest): boolean => forwarded(request, 'x-forwarded-proto')?.toLowerCase() === 'https',
  };
}

/** The entries of a list header. */
const entries = (header: string | string[] | undefined): string[] =>
  String(header ?? '')
    .split(',')
    .map((entry) => entry.trim());
