import { randomUUID } from 'node:crypto';

/** Names and values in turn, the form that Node writes fastest. */
export type HeaderList = readonly string[];

/** Seconds for which browsers use HTTPS only: a week where a proxy says that the client used it, a year where `PUBLIC_URL` says so. */
const transportSecurity = (isPublicSecure: boolean): HeaderList => [
  'strict-transport-security',
  `max-age=${isPublicSecure ? 31_536_000 : 604_800}`,
];

/** Features that browsers know, and that neither our pages nor the vendor's web app use. Cameras in frames may play videos and fill the screen, and the position of the browser may become the robot's. */
const unusedFeatures = [
  'accelerometer',
  'camera',
  'display-capture',
  'gyroscope',
  'hid',
  'magnetometer',
  'microphone',
  'midi',
  'payment',
  'serial',
  'usb',
];

/** The value of `Permissions-Policy` that disables features for a page and its frames. */
const permissionsPolicy = unusedFeatures.map((feature) => `${feature}=()`).join(', ');

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
  // The filter that this header enabled is itself a vulnerability in browsers that have it.
  'x-xss-protection',
  '0',
];

const allowedMethods = 'GET, POST, DELETE, PUT, PATCH, OPTIONS, HEAD';

/** CORS headers for any origin, without credentials: the token is sent in a header. [rule H15] */
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

/** The default policy outside of the API: files of this server, images from anywhere, connections to `connect`, nothing inline. */
const pagePolicy = (connect: readonly string[]): string =>
  [
    "default-src 'self'",
    "base-uri 'self'",
    "form-action 'self'",
    "object-src 'none'",
    "frame-ancestors 'self'",
    `connect-src ${["'self'", 'blob:', ...connect].join(' ')}`,
    'img-src * data: blob:',
    'report-uri /csp_reports',
  ].join('; ');

/** Default headers, with the position of each name. */
export class HeaderSet {
  readonly #list: HeaderList;
  readonly #positions: ReadonlyMap<string, number>;

  constructor(list: HeaderList) {
    this.#list = list;
    this.#positions = new Map(list.flatMap((name, index) => (index % 2 === 0 ? [[name, index] as const] : [])));
  }

  /** Returns a new list, in which the headers of a reply replace defaults of the same names. */
  with(own: Readonly<Record<string, string>>): string[] {
    const list = this.#list.slice();
    for (const name in own) {
      const value = own[name] ?? '';
      const position = this.#positions.get(name.toLowerCase());
      if (position === undefined) list.push(name, value);
      else list[position + 1] = value;
    }
    return list;
  }
}

/** The default headers of responses. */
export interface HeaderSets {
  of(isApi: boolean, isSecure: boolean, isCrossOrigin: boolean): HeaderSet;
}

/** `connect`: further sources that pages may connect to. `isPublicSecure`: `PUBLIC_URL` is https. */
export function headerSets(connect: readonly string[], isPublicSecure: boolean): HeaderSets {
  const api = [
    ...common,
    'content-security-policy',
    "default-src 'none'; frame-ancestors 'none'",
    'cache-control',
    'no-store',
  ];
  const page = [
    ...common,
    'content-security-policy',
    pagePolicy(connect),
    // Windows of other sites get no reference to ours.
    'cross-origin-opener-policy',
    'same-origin',
    'permissions-policy',
    permissionsPolicy,
  ];
  const secure = transportSecurity(isPublicSecure);
  const plain = new HeaderSet(page);
  const sets = [page, api].flatMap((base) => [
    base === page ? plain : new HeaderSet(base),
    new HeaderSet([...base, ...secure]),
    new HeaderSet([...base, ...crossOrigin]),
    new HeaderSet([...base, ...secure, ...crossOrigin]),
  ]);
  return {
    of: (isApi, isSecure, isCrossOrigin) =>
      sets[(isApi ? 4 : 0) + (isCrossOrigin ? 2 : 0) + (isSecure ? 1 : 0)] ?? plain,
  };
}

const headerSafe = /^[\x20-\x7e]{1,200}$/;

/** The client's request id, or a new one if it sent none or one that is not a valid header value. [rule H6] */
export const requestLabel = (sent: string | string[] | undefined): string =>
  typeof sent === 'string' && headerSafe.test(sent) ? sent : randomUUID();

const headerNames = /^[\w!#$%&'*+.^`|~, -]{1,1000}$/;

/** Headers for a preflight request; every requested header is allowed. */
export const preflight = (requested: string | undefined): Record<string, string> =>
  requested !== undefined && headerNames.test(requested) ? { 'access-control-allow-headers': requested } : {};
