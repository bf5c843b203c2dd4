import { lookup } from 'node:dns/promises';
import type { IncomingMessage } from 'node:http';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { Message } from '../core/message.ts';
import { sayOfFetch } from './fetch-messages.ts';
import { ownVia } from './local-call.ts';
import type { NetworkInterfaces } from './public-address.ts';
import { isPublicAddress, listedAddresses, ownNetworks } from './public-address.ts';

/** The reason why a fetch failed. */
export type FetchFailureReason =
  /** Not an http or https URL. */
  | 'address'
  /** The host is in a private network or one of this machine's, and the settings do not allow that. */
  | 'private'
  /** Too many redirects, a redirect without a valid target, or from https to http. */
  | 'redirect'
  /** The host name does not resolve. */
  | 'unresolved'
  /** The connection was refused. */
  | 'refused'
  | 'timeout'
  /** The connection was lost, or there is no route to the host. */
  | 'offline'
  | 'other';

export class FetchFailure extends Error {
  readonly reason: FetchFailureReason;
  /** The error code of the system or the protocol, or the name of the error; never a part of the URL. */
  readonly code: string;
  readonly sentence: Message;
  constructor(problem: FetchFailureReason, kind: string = problem) {
    const sentence = sayOfFetch[problem](kind === problem ? '' : ` (${kind})`);
    super(String(sentence));
    this.sentence = sentence;
    this.name = 'FetchFailure';
    this.reason = problem;
    this.code = kind;
  }
}

export interface FetchLimits {
  /** Maximum size of the body in bytes; the rest is not read. */
  readonly maxBytes: number;
  /** Timeout of the whole fetch with its redirects, in ms. */
  readonly timeout: number;
  /** Timeout until the headers of the last response arrive, in ms; `timeout` by default. */
  readonly responseTimeout?: number;
}

export interface FetchResult {
  /** The status of the last response, after redirects. */
  readonly status: number;
  readonly type: string | null;
  readonly body: Buffer;
  /** The body is longer than `maxBytes`. */
  readonly isTruncated: boolean;
  /** The host is on the public internet, and not in a network of this machine. */
  readonly isPublic: boolean;
}

/** The request to send instead of a GET without headers. */
export interface FetchRequest {
  /** Posted, without following redirects; null: a GET whose redirects are followed. */
  readonly body: string | Buffer | null;
  readonly headers: Readonly<Record<string, string>>;
  /** Whether the settings may open private addresses to it: FETCH_ALLOW only, or none. */
  readonly opens: 'listed' | 'none';
}

/** Fetches a URL that a client sent, or posts to it. Rejects with a {@link FetchFailure}. */
export type ServerFetch = (url: string, limits: FetchLimits, sent?: FetchRequest) => Promise<FetchResult>;

interface Address {
  readonly address: string;
  readonly family: number;
}

interface Addresses {
  readonly usable: readonly Address[];
  readonly arePublic: boolean;
}

export interface ServerFetchOptions {
  /** The setting FETCH_PRIVATE_ADDRESSES. */
  readonly allowsPrivate: boolean;
  /** The setting FETCH_ALLOW: address ranges that are allowed in any case. */
  readonly allowed?: string | null;
  /** Returns the network interfaces of this machine; asks the system by default. */
  readonly interfaces?: () => NetworkInterfaces;
  /** Resolves host names; by the system by default. */
  readonly resolve?: (host: string) => Promise<readonly Address[]>;
}

/** Returns which of these addresses of a host may be fetched, for a request to which the settings open these. */
type AddressCheck = (all: readonly Address[], opens: 'all' | FetchRequest['opens']) => Addresses;

function addressCheck({
  allowsPrivate,
  allowed = null,
  interfaces = networkInterfaces,
}: Omit<ServerFetchOptions, 'resolve'>): AddressCheck {
  const isListed = allowed === null ? () => false : listedAddresses(allowed);
  return (all, opens) => {
    // Read for each fetch: a machine gets new addresses while it runs.
    const present = interfaces();
    const isInOwnNetwork = ownNetworks(present);
    const isPublic = ({ address }: Address) => isPublicAddress(address) && !isInOwnNetwork(address);
    const isOpened = ({ address }: Address) =>
      (opens === 'all' && allowsPrivate) || (opens !== 'none' && isListed(address, present));
    const usable = all.filter((each) => isPublic(each) || isOpened(each));
    return { usable, arePublic: usable.every(isPublic) };
  };
}

/** Returns whether the host of a URL is known, without DNS, to be one that requests may not reach. */
export type ClosedHost = (url: string, opens: FetchRequest['opens']) => boolean;

/** The addresses of `localhost` on every machine. */
const loopback: readonly Address[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/** Returns the check of hosts that are addresses, or `localhost`. */
export function createClosedHost(options: Omit<ServerFetchOptions, 'resolve'>): ClosedHost {
  const check = addressCheck(options);
  return (url, opens) => {
    const host = hostname(new URL(url));
    const all = /^(?:.+\.)?localhost\.?$/.test(host) ? loopback : literalAddress(host);
    return all !== null && check(all, opens).usable.length === 0;
  };
}

/** Returns the address that a host is written as, or null: it is a name. */
function literalAddress(host: string): readonly Address[] | null {
  const family = isIP(host);
  return family > 0 ? [{ address: host, family }] : null;
}

const plainGet = { body: null, headers: {} } as const;
const maxRedirects = 5;
const redirects = new Set([301, 302, 303, 307, 308]);

/**
 * Returns the function that fetches the URLs clients choose, safe against server-side request forgery: it allows http and
 * https only, checks the address of each redirect, and connects to the addresses it checked, so that DNS cannot rebind.
 */
export function createServerFetch(options: ServerFetchOptions): ServerFetch {
  const { resolve = systemLookup } = options;
  const check = addressCheck(options);

  /** Resolves a host to the addresses that are allowed. */
  async function allowedAddresses(host: string, opens: 'all' | FetchRequest['opens']): Promise<Addresses> {
    const all = literalAddress(host) ?? (await resolve(host));
    if (all.length === 0) throw new FetchFailure('unresolved');
    const addresses = check(all, opens);
    if (addresses.usable.length === 0) throw new FetchFailure('private');
    return addresses;
  }

  async function follow(
    first: URL,
    { maxBytes }: FetchLimits,
    sent: FetchRequest | null,
    signal: AbortSignal,
    onStart: () => void,
  ): Promise<FetchResult> {
    let url = first;
    for (let hop = 0; hop <= maxRedirects; hop++) {
      const { usable, arePublic } = await allowedAddresses(hostname(url), sent?.opens ?? 'all');
      signal.throwIfAborted();
      const response = await open(url, usable, sent ?? plainGet, signal);
      const status = response.statusCode ?? 0;
      if ((sent && sent.body !== null) || !redirects.has(status)) {
        onStart();
        return { ...(await readBody(response, status, maxBytes)), isPublic: arePublic };
      }
      response.destroy();
      const next = redirectTarget(url, response.headers.location);
      if (!next) throw new FetchFailure('redirect');
      url = next;
    }
    throw new FetchFailure('redirect');
  }

  return async (text, limits, sent) => {
    const url = parseHttpUrl(text);
    if (!url) throw new FetchFailure('address');
    const late = new AbortController();
    let timers: NodeJS.Timeout[] = [];
    // The resolution of a name cannot be aborted.
    const timeout = new Promise<never>((_, reject) => {
      const end = (): void => {
        const failure = new FetchFailure('timeout');
        reject(failure);
        late.abort(failure);
      };
      timers = [limits.timeout, limits.responseTimeout ?? limits.timeout].map((time) => setTimeout(end, time));
    });
    const work = follow(url, limits, sent ?? null, late.signal, () => clearTimeout(timers[1]));
    try {
      return await Promise.race([work, timeout]);
    } catch (error) {
      throw toFetchFailure(error);
    } finally {
      for (const timer of timers) clearTimeout(timer);
      work.catch(() => undefined);
    }
  };
}

const systemLookup = (host: string): Promise<readonly Address[]> => lookup(host, { all: true });

function parseHttpUrl(text: string | undefined, base?: string): URL | null {
  if (text === undefined || !URL.canParse(text, base)) return null;
  const url = new URL(text, base);
  return url.protocol === 'http:' || url.protocol === 'https:' ? url : null;
}

/** Returns the target of a redirect, or null if it may not be followed: no http URL, or from https to http. */
export function redirectTarget(from: URL, location: string | undefined): URL | null {
  const target = parseHttpUrl(location, from.href);
  return target && !(from.protocol === 'https:' && target.protocol === 'http:') ? target : null;
}

/** Returns the host name without the brackets of an IPv6 address. */
const hostname = (url: URL): string => url.hostname.replace(/^\[(.*)\]$/, '$1');

/** Connects to one of the addresses and resolves with the response when its headers arrive. */
function open(
  url: URL,
  addresses: readonly Address[],
  { body, headers }: Pick<FetchRequest, 'body' | 'headers'>,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const request = url.protocol === 'https:' ? httpsRequest : httpRequest;
  const checked: LookupFunction = (_host, options, give) => {
    const [first] = addresses;
    if (options.all) give(null, [...addresses]);
    else if (first) give(null, first.address, first.family);
  };
  return new Promise((settle, reject) => {
    const sent = request(
      {
        protocol: url.protocol,
        hostname: hostname(url),
        port: url.port,
        path: `${url.pathname}${url.search}`,
        agent: false,
        lookup: checked,
        signal,
        method: body === null ? 'GET' : 'POST',
        headers: {
          accept: '*/*',
          'accept-encoding': 'identity',
          'user-agent': 'Potager',
          via: ownVia,
          ...headers,
        },
      },
      settle,
    );
    sent.on('error', reject);
    sent.end(body ?? undefined);
  });
}

async function readBody(
  response: IncomingMessage,
  status: number,
  maxBytes: number,
): Promise<Omit<FetchResult, 'isPublic'>> {
  const chunks: Buffer[] = [];
  let size = 0;
  // Leaving the loop early closes the connection.
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > maxBytes) break;
  }
  const body = Buffer.concat(chunks).subarray(0, maxBytes);
  return { status, type: response.headers['content-type'] ?? null, body, isTruncated: size > maxBytes };
}

const reasonsByCode: Readonly<Record<string, FetchFailureReason>> = {
  ENOTFOUND: 'unresolved',
  EAI_AGAIN: 'unresolved',
  ENODATA: 'unresolved',
  ECONNREFUSED: 'refused',
  ETIMEDOUT: 'timeout',
  ECONNRESET: 'offline',
  EPIPE: 'offline',
  EHOSTUNREACH: 'offline',
  ENETUNREACH: 'offline',
  EHOSTDOWN: 'offline',
  EADDRNOTAVAIL: 'offline',
};

function toFetchFailure(error: unknown): FetchFailure {
  if (error instanceof FetchFailure) return error;
  if (!(error instanceof Error)) return new FetchFailure('other');
  if (error.cause instanceof FetchFailure) return error.cause;
  const { code } = error as { code?: unknown };
  if (typeof code !== 'string') return new FetchFailure('other', error.name);
  return new FetchFailure(reasonsByCode[code] ?? 'other', code);
}
