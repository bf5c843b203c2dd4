import { randomUUID } from 'node:crypto';

/** Names and values in turn, as Node writes them fastest. */
export type HeaderList = readonly string[];

const transportSecurity = ['strict-transport-security', 'max-age=604800'];

const common = [
  'x-content-type-options',
  'nosniff',
  'x-frame-options',
  'SAMEORIGIN',
  'referrer-policy',
  'strict-origin-when-cross-origin',
  'x-permitted-cross-domain-policies',
  'none',
  'x-download-options',
  'noopen',
  // The filter that this header once switched on is itself a hole in the browsers that have it.
  'x-xss-protection',
  '0',
];

const allowedMethods = 'GET, POST, DELETE, PUT, PATCH, OPTIONS, HEAD';

/** For browsers on other origins. No credentials: the token is a header. [reference 1.10] */
export const crossOrigin: HeaderList = [
  'access-control-allow-origin',
  '*',
  'access-control-allow-methods',
  allowedMethods,
  'access-control-expose-headers',
  'X-Farmbot-Rpc-Id',
  'access-control-max-age',
  '0',
];

/** What pages may load: their own files, pictures and camera streams from anywhere, live connections to `connect`. Inline scripts need a policy of the page's own. */
export const pagePolicy = (connect: readonly string[]): string =>
  [
    "default-src 'self'",
    "base-uri 'self'",
    "form-action 'self'",
    "object-src 'none'",
    "frame-ancestors 'self'",
    `connect-src ${["'self'", 'blob:', ...connect].join(' ')}`,
    'img-src * data: blob:',
    'frame-src *',
    "style-src 'self' 'unsafe-inline'",
    'report-uri /csp_reports',
  ].join('; ');

/** The headers that every answer of one kind has. */
export interface HeaderSets {
  of(isApi: boolean, isSecure: boolean, isCrossOrigin: boolean): HeaderList;
}

/** Builds the lists once. */
export function headerSets(connect: readonly string[]): HeaderSets {
  const api = [
    ...common,
    'content-security-policy',
    "default-src 'none'; frame-ancestors 'none'",
    'cache-control',
    'no-store',
  ];
  const page = [...common, 'content-security-policy', pagePolicy(connect)];
  const lists: HeaderList[] = [page, api].flatMap((base) => [
    base,
    [...base, ...transportSecurity],
    [...base, ...crossOrigin],
    [...base, ...transportSecurity, ...crossOrigin],
  ]);
  return {
    of(isApi, isSecure, isCrossOrigin) {
      const list = lists[(isApi ? 4 : 0) + (isCrossOrigin ? 2 : 0) + (isSecure ? 1 : 0)];
      return list ?? page;
    },
  };
}

/** A list in which `extra` replaces headers of the same name. */
export function overridden(list: HeaderList, extra: Readonly<Record<string, string>>): string[] {
  const names = new Set(Object.keys(extra).map((name) => name.toLowerCase()));
  const result: string[] = [];
  for (let i = 0; i < list.length; i += 2) {
    const [name = '', value = ''] = list.slice(i, i + 2);
    if (!names.has(name)) result.push(name, value);
  }
  for (const [name, value] of Object.entries(extra)) result.push(name, value);
  return result;
}

const headerSafe = /^[\x20-\x7e]{1,200}$/;

/** The request's id as the client sent it, or a fresh one when it sent none that can be sent back. [reference 1.3] */
export const requestLabel = (sent: string | string[] | undefined): string =>
  typeof sent === 'string' && headerSafe.test(sent) ? sent : randomUUID();

const headerNames = /^[\w!#$%&'*+.^`|~, -]{1,1000}$/;

/** The headers of an answer to a preflight request: whatever it asked for is allowed. */
export const preflight = (asked: string | undefined): Record<string, string> =>
  asked !== undefined && headerNames.test(asked) ? { 'access-control-allow-headers': asked } : {};
