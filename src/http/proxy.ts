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
  // The last entry is the proxy's own; if it is empty, the entries before it are still its client's.
  const forwarded = ({ headers, socket }: ClientRequest, name: string): string | undefined =>
    isTrusted(socket.remoteAddress ?? '', 0) ? entries(headers[name]).at(-1) : undefined;
  /** Returns the address that a trusted proxy named; null: none did. */
  const namedAddress = ({ headers, socket }: ClientRequest): string | null => {
    if (trustProxy === false) return null;
    const hops = entries(headers['x-forwarded-for']).filter((entry) => entry !== '');
    let address = socket.remoteAddress ?? '';
    let hop = 0;
    for (; hops.length > 0 && isTrusted(address, hop); hop++) address = hops.pop() ?? address;
    // Proxies may write `unknown` or a name.
    return hop === 0 || isIP(address) === 0 ? null : plainAddress(address);
  };
  const connectedAddress = ({ socket }: ClientRequest): string => plainAddress(socket.remoteAddress ?? '');
  return {
    /** Returns the address of the client. Of `X-Forwarded-For` only entries written by a trusted proxy count. */
    clientAddress: (request: ClientRequest): string => namedAddress(request) ?? connectedAddress(request),
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
    isSecure: (request: ClientRequest): boolean => forwarded(request, 'x-forwarded-proto') === 'https',
  };
}

/** The entries of a list header. */
const entries = (header: string | string[] | undefined): string[] =>
  String(header ?? '')
    .split(',')
    .map((entry) => entry.trim());
