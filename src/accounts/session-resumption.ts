import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Timestamp } from '../core/clock.ts';
import { currentTimestamp } from '../core/clock.ts';
import { Failure } from '../core/errors.ts';
import { secretDigest } from '../core/secret.ts';
import type { DeviceScope, ServerScope } from '../db/scope.ts';
import type { Call, RequestHeaders } from '../engine/route.ts';
import { say } from './messages.ts';
import type { TokenIssuanceRow } from './token-issuances.ts';
import { sessionIdOf, tokenIssuances } from './token-issuances.ts';

/** How long a cookie and the one before are accepted without another in turn, in ms: tabs that open together send the same one, and one may be late. */
const grace = 60_000;
/** Where cookies without a prefix are sent. */
const path = '/api/tokens';

const hashOf = (secret: string): string => secretDigest(secret).toString('hex');

/** A page of this server in a browser. */
export interface OwnPage {
  readonly isSecure: boolean;
}

/**
 * Returns the page of this server that sent a request. Throws 403 for requests of other pages, of sibling domains and other ports,
 * too, and of clients that are no browsers. The scheme is the browser's: a proxy may end TLS without saying so.
 */
export function ownPageOf(call: Pick<Call, 'headers' | 'host'>): OwnPage {
  const { origin, host, 'sec-fetch-site': site = 'same-origin' } = call.headers;
  const url = typeof origin === 'string' && URL.canParse(origin) ? new URL(origin) : null;
  const isOwn = [call.host, host].some((each) => {
    const own = `${url?.protocol}//${each}`;
    return URL.canParse(own) && new URL(own).origin === origin;
  });
  if (!url || !isOwn || site !== 'same-origin') throw new Failure('forbidden', say.otherPage);
  return { isSecure: url.protocol === 'https:' };
}

/** The name of the cookie. Browsers take the prefix only over HTTPS, from this very host, and for all of its paths. */
const cookieName = ({ isSecure }: OwnPage): string => (isSecure ? '__Host-potager' : 'potager');

/** The header that stores a cookie for a number of seconds; 0 deletes it. */
const cookieHeader = (page: OwnPage, value: string, seconds: number) => ({
  'set-cookie': [
    `${cookieName(page)}=${value}`,
    page.isSecure ? 'Path=/; Secure' : `Path=${path}`,
    'HttpOnly',
    'SameSite=Strict',
    `Max-Age=${seconds}`,
  ].join('; '),
});

/** Returns the values of the cookie that a request carries: another site of the same domain can add as many as the header can hold. */
function cookiesOf({ headers }: RequestHeaders, page: OwnPage): readonly string[] {
  const start = `${cookieName(page)}=`;
  const pairs = String(headers.cookie ?? '').split('; ');
  return pairs.flatMap((pair) => (pair.startsWith(start) ? [pair.slice(start.length)] : []));
}

const macOf = (key: string, random: string): Buffer => createHmac('sha256', key).update(random).digest();

/** A new cookie. Its second half shows that it was issued for the key: only such a one can be a copy. */
function newCookie(key: string): string {
  const random = randomBytes(18).toString('base64url');
  return `${random}.${macOf(key, random).toString('base64url')}`;
}

function isIssuedFor(key: string, cookie: string): boolean {
  const [random = '', mac = ''] = cookie.split('.');
  const [expected, sent] = [macOf(key, random), Buffer.from(mac, 'base64url')];
  return expected.length === sent.length && timingSafeEqual(expected, sent);
}

type CookieColumns = Pick<TokenIssuanceRow, 'resume_cookie_hash' | 'resume_previous_hash' | 'resume_rotated_at'>;

/** The columns of a cookie that replaces another. */
const columnsOf = (cookie: string, previous: string | null, now: Timestamp): CookieColumns => ({
  resume_cookie_hash: hashOf(cookie),
  resume_previous_hash: previous,
  resume_rotated_at: now,
});

/** The columns of a token with which no browser stays signed in. */
export const notResumable = {
  resume_key_hash: null,
  resume_cookie_hash: null,
  resume_previous_hash: null,
  resume_rotated_at: null,
} as const;

const secondsLeft = (scope: DeviceScope, { exp }: TokenIssuanceRow): number =>
  Math.max(0, exp - Math.floor(scope.clock.now() / 1000));

/** Lets a browser resume the session of a token, until it expires: returns the key for the page, and the header with the cookie. */
export async function makeResumable(scope: DeviceScope, page: OwnPage, row: TokenIssuanceRow) {
  const key = randomBytes(32).toString('base64url');
  const cookie = newCookie(key);
  const columns = { resume_key_hash: hashOf(key), ...columnsOf(cookie, null, currentTimestamp(scope.clock)) };
  await scope.server.update(tokenIssuances, columns, { where: { id: row.id } });
  return { key, headers: cookieHeader(page, cookie, secondsLeft(scope, row)) };
}

/**
 * Has no page resume the sessions whose cookies a request carries, except one's: the browser is about to lose them, and the list of sessions
 * says so. Returns the header that deletes the cookie.
 */
export async function giveUpCookies(server: ServerScope, call: Call, page: OwnPage, except: number | null = null) {
  const hashes = cookiesOf(call, page).map(hashOf);
  const where = { resume_cookie_hash: hashes, ...(except === null ? {} : { id: { not: except } }) };
  if (hashes.length > 0) await server.update(tokenIssuances, notResumable, { where });
  return cookieHeader(page, '', 0);
}

/** The condition that finds the token of a key. */
export const ofKey = (key: string) => ({ resume_key_hash: hashOf(key) });

/**
 * Checks the cookies beside the key of a token, inside a transaction, and replaces the right one. Returns the headers of the response; null if
 * there is no right one; `copied` if one was right once, so that two browsers have it. [ADR 125]
 */
export async function rotateCookie(
  scope: DeviceScope,
  call: Call,
  page: OwnPage,
  key: string,
  row: TokenIssuanceRow,
): Promise<Readonly<Record<string, string>> | 'copied' | null> {
  const cookies = cookiesOf(call, page);
  const hashes = new Set(cookies.map(hashOf));
  const { resume_cookie_hash: present, resume_previous_hash: previous, resume_rotated_at: rotatedAt } = row;
  const age = rotatedAt === null ? grace : scope.clock.now() - Date.parse(rotatedAt);
  // The one before: the response with the present one has not arrived yet, or was lost.
  const used = [present, previous].find((hash) => hash !== null && hashes.has(hash));
  if (!used) return cookies.some((cookie) => isIssuedFor(key, cookie)) ? 'copied' : null;
  // Another turn would make the cookie old that a slower tab has sent.
  if (previous !== null && age < grace) return {};
  const cookie = newCookie(key);
  const where = { id: row.id, resume_cookie_hash: present };
  const changed = await scope.server.update(tokenIssuances, columnsOf(cookie, used, currentTimestamp(scope.clock)), {
    where,
  });
  // Another process was faster.
  return changed.length === 0 ? {} : cookieHeader(page, cookie, secondsLeft(scope, row));
}

/**
 * Returns the token with which a browser resumes the session of tokens that were revoked; undefined: there is none. A token that was refreshed
 * signs out as the first one does. One of another garden, or a temporary one, ends no session.
 */
export async function resumableOf(
  server: ServerScope,
  revoked: readonly TokenIssuanceRow[],
): Promise<TokenIssuanceRow | undefined> {
  const first = revoked.find(({ parent_id }) => parent_id === null);
  if (!first || first.resume_key_hash !== null) return first;
  const { user_id, device_id } = first;
  const rows = await server.rows(tokenIssuances, { where: { user_id, device_id, resume_key_hash: { not: null } } });
  return rows.find((row) => sessionIdOf(row) === sessionIdOf(first));
}

/** Returns the header that deletes the cookie of a token that was revoked, if the request carries it and not another account's. */
export function withoutCookie(call: Call, { resume_cookie_hash: present }: TokenIssuanceRow) {
  for (const page of [{ isSecure: true }, { isSecure: false }])
    if (cookiesOf(call, page).some((cookie) => hashOf(cookie) === present)) return cookieHeader(page, '', 0);
  return {};
}
