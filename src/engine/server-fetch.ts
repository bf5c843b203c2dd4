import { lookup } from 'node:dns/promises';
import type { IncomingMessage } from 'node:http';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { addressRanges } from '../core/ip-addresses.ts';
import type { NetworkInterfaces } from './public-address.ts';
import { isPublicAddress, ownNetworks } from './public-address.ts';

/** Why a fetch failed. */
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
  constructor(problem: FetchFailureReason, kind: string = problem) {
    super(`fetch failed: ${problem} (${kind})`);
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
}

/** Fetches a URL that a client sent. Rejects with a {@link FetchFailure}. */
export type ServerFetch = (url: string, limits: FetchLimits) => Promise<FetchResult>;

interface Address {
  readonly address: string;
  readonly family: number;
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

const maxRedirects = 5;
const redirects = new Set([301, 302, 303, 307, 308]);

/**
 * Returns the function that fetches the URLs clients choose, safe against server-side request forgery: it allows http and
 * https only, checks the address of each redirect, and connects to the addresses it checked, so that DNS cannot rebind.
 */
export function createServerFetch(options: ServerFetchOptions): ServerFetch {
  const { allowsPrivate, allowed = null, resolve = systemLookup, interfaces = networkInterfaces } = options;
  const isListed = allowed === null ? () => false : addressRanges(allowed);

  /** Resolves a host to the addresses that are allowed. */
  async function allowedAddresses(host: string): Promise<readonly Address[]> {
    const family = isIP(host);
    const all = family > 0 ? [{ address: host, family }] : await resolve(host);
    if (all.length === 0) throw new FetchFailure('unresolved');
    // Read for each fetch: a machine gets new addresses while it runs.
    const isOwn = ownNetworks(interfaces());
    const usable = all.filter(
      ({ address }) => allowsPrivate || isListed(address) || (isPublicAddress(address) && !isOwn(address)),
    );
    if (usable.length === 0) throw new FetchFailure('private');
    return usable;
  }

  async function follow(
    first: URL,
    limits: FetchLimits,
    signal: AbortSignal,
    onStart: () => void,
  ): Promise<FetchResult> {
    let url = first;
    for (let hop = 0; hop <= maxRedirects; hop++) {
      const addresses = await allowedAddresses(hostname(url));
      signal.throwIfAborted();
      const answer = await open(url, addresses, signal);
      const status = answer.statusCode ?? 0;
      if (!redirects.has(status)) {
        onStart();
        return await readBody(answer, status, limits.maxBytes);
      }
      answer.destroy();
      const next = redirectTarget(url, answer.headers.location);
      if (!next) throw new FetchFailure('redirect');
      url = next;
    }
    throw new FetchFailure('redirect');
  }

  return async (text, limits) => {
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
    const work = follow(url, limits, late.signal, () => clearTimeout(timers[1]));
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
function open(url: URL, addresses: readonly Address[], signal: AbortSignal): Promise<IncomingMessage> {
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
        headers: { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'Potager' },
      },
      settle,
    );
    sent.on('error', reject);
    sent.end();
  });
}

async function readBody(answer: IncomingMessage, status: number, maxBytes: number): Promise<FetchResult> {
  const chunks: Buffer[] = [];
  let size = 0;
  // Leaving the loop early closes the connection.
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > maxBytes) break;
  }
  const body = Buffer.concat(chunks).subarray(0, maxBytes);
  return { status, type: answer.headers['content-type'] ?? null, body, isTruncated: size > maxBytes };
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
