import { isLoopback } from '../core/ip-addresses.ts';
import type { Call } from './route.ts';

/** Headers in which proxies and content delivery networks describe the client: `Forwarded`, `X-Forwarded-For`, `Via`, `CDN-Loop`, `X-Real-IP`, `CF-Connecting-IP`, `True-Client-IP`, `X-Original-Host`, `X-Envoy-External-Address`. */
const forwardingHeader = /forwarded|^(?:via|cdn-loop)$|ipv?6?$|addr(?:ess)?$|^x-original-/;

/**
 * Returns whether a program on this machine sent a request: from a loopback address, and without any forwarding header [ADR 33],
 * because behind a local proxy the requests of all clients come from a loopback address.
 */
export const isLocalCall = ({ address, headers }: Pick<Call, 'address' | 'headers'>): boolean =>
  isLoopback(address) && !Object.keys(headers).some((name) => forwardingHeader.test(name));
