import { isLoopback } from '../core/ip-addresses.ts';
import type { Call, RequestHeaders } from './route.ts';

/** Headers in which proxies and content delivery networks describe the client: `Forwarded`, `X-Forwarded-For`, `Via`, `CDN-Loop`, `X-Real-IP`, `CF-Connecting-IP`, `True-Client-IP`, `X-Original-Host`, `X-Envoy-External-Address`. */
const forwardingHeader = /forwarded|^(?:via|cdn-loop)$|ipv?6?$|addr(?:ess)?$|^x-original-/;

/** The names that were looked at before: a regular expression per header of each request would cost 3 µs. */
const knownNames = new Map<string, boolean>();
/** Clients choose names: beyond these, each is looked at again. */
const maxKnownNames = 200;

function isForwardingHeader(name: string): boolean {
  let isForwarding = knownNames.get(name);
  if (isForwarding === undefined) {
    isForwarding = forwardingHeader.test(name);
    if (knownNames.size < maxKnownNames) knownNames.set(name, isForwarding);
  }
  return isForwarding;
}

/** The `Via` of requests that this server sends for its clients: one to itself is none of its machine's. */
export const ownVia = '1.1 potager';

/** Returns whether a proxy passed the request on, so that its address may be the proxy's. [ADR 33] */
export function isForwarded({ headers }: RequestHeaders): boolean {
  for (const name in headers) if (isForwardingHeader(name)) return true;
  return false;
}

/**
 * THE definition of a request of this machine, which {@link Call.isLocal} has: from a loopback address, and without any forwarding
 * header, because behind a local proxy the requests of all clients come from a loopback address. [ADR 33]
 */
export const isLocalCall = (call: Pick<Call, 'address' | 'headers'>): boolean =>
  isLoopback(call.address) && !isForwarded(call);
