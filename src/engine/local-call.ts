import { isLoopback } from '../core/ip-addresses.ts';
import type { Call } from './route.ts';

/** Headers in which proxies and content delivery networks describe the client: `Forwarded`, `X-Forwarded-For`, `Via`, `CDN-Loop`, `X-Real-IP`, `CF-Connecting-IP`, `True-Client-IP`, `X-Original-Host`, `X-Envoy-External-Address`. */
const forwardingHeader = /forwarded|^(?:via|cdn-loop)$|ipv?6?$|addr(?:ess)?$|^x-original-/;

/** Returns whether a proxy passed the request on, so that its address may be the proxy's. */
export const isForwarded = ({ headers }: Pick<Call, 'headers'>): boolean =>
  Object.keys(headers).some((name) => forwardingHeader.test(name));

/**
 * Returns whether a program on this machine sent a request: from a loopback address, and without any forwarding header [ADR 33],
 * because behind a local proxy the requests of all clients come from a loopback address.
 */
export const isLocalCall = (call: Pick<Call, 'address' | 'headers'>): boolean =>
  isLoopback(call.address) && !isForwarded(call);
