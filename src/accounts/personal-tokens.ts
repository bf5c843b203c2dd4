import { randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { secretDigest } from '../core/secret.ts';
import { column } from '../db/columns.ts';
import type { ServerScope } from '../db/scope.ts';
import type { RowOf } from '../db/table.ts';
import { table } from '../db/table.ts';
import type { Rights } from '../engine/rights.ts';
import type { Session } from '../engine/route.ts';
import type { Scope } from '../engine/tags.ts';
import { scopeNames } from '../engine/tags.ts';
import { roleIn } from './members.ts';
import type { UserRow } from './users.ts';
import { users } from './users.ts';

/** Tokens with a name and scopes, for scripts; each is a user's, for one garden. [ADR 57] */
export const personalTokens = table(
  'personal_tokens',
  {
    device_id: column.bigint().references('devices'),
    user_id: column.bigint().references('users'),
    name: column.text(),
    /** SHA-256 of the token, in hexadecimal digits; the token itself is not stored. */
    token_hash: column.text(),
    /** In the order of {@link scopeNames}. */
    scopes: column.json<readonly Scope[]>(),
    /** Null: never. */
    expires_at: column.time().nullable(),
    last_used_at: column.time().nullable(),
  },
  {
    reach: 'both',
    unique: [['token_hash']],
    indexes: [['device_id'], ['user_id']],
    unwatched: ['last_used_at', 'updated_at'],
  },
);

export type PersonalTokenRow = RowOf<typeof personalTokens>;

/** The beginning of all personal tokens, by which scanners of published files find them. */
const prefix = 'pot_';
const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 202 bits. */
const secretLength = 34;
const checksumLength = 6;
const form = new RegExp(`^${prefix}[0-9A-Za-z]{${secretLength + checksumLength}}$`);

/** Returns the CRC-32 of the prefix and the secret, in base 62. */
function checksum(text: string): string {
  let rest = crc32(text);
  let result = '';
  for (let i = 0; i < checksumLength; i++) {
    result = `${digits[rest % digits.length]}${result}`;
    rest = Math.floor(rest / digits.length);
  }
  return result;
}

/** Returns a new token: `pot_`, 34 random characters and a checksum. */
export function newPersonalToken(): string {
  const secret = Array.from({ length: secretLength }, () => digits[randomInt(digits.length)]).join('');
  return prefix + secret + checksum(prefix + secret);
}

/** Whether a text has the form and the checksum of a personal token. */
export const isPersonalToken = (text: string): boolean =>
  form.test(text) && text.endsWith(checksum(text.slice(0, -checksumLength)));

export const personalTokenHash = (token: string): string => secretDigest(token).toString('hex');

/** The last time of JavaScript, in ms since the epoch. */
const neverExpires = 8.64e15;

const idPrefix = 'personal';

/** Returns the identifier under which connections store the token. It contains the scopes, so it changes when they are reduced. */
export const personalTokenJti = ({ id, scopes }: Pick<PersonalTokenRow, 'id' | 'scopes'>): string =>
  `${idPrefix} ${id} ${scopes.join(' ')}`;

/** Returns the id of the token with this identifier; null if it is the identifier of a session. */
export function personalTokenId(jti: string): number | null {
  const [word, id] = jti.split(' ');
  return word === idPrefix ? Number(id) : null;
}

/** Whether a token has not expired. */
export const isUnexpired = ({ expires_at }: PersonalTokenRow, now: number): boolean =>
  expires_at === null || Date.parse(expires_at) > now;

/** A personal token with its user. */
interface PersonalTokenHolder {
  readonly user: UserRow;
  readonly session: Session;
  readonly tokenId: number;
}

/** Returns the user and the session of a personal token; undefined if it is not valid. */
export const personalTokenHolder = async (
  server: ServerScope,
  token: string,
): Promise<PersonalTokenHolder | undefined> =>
  holderOf(server, await server.first(personalTokens, { where: { token_hash: personalTokenHash(token) } }));

/** The same for an identifier; undefined also if the scopes have been reduced since. */
export async function holderOfPersonalToken(
  server: ServerScope,
  jti: string,
): Promise<PersonalTokenHolder | undefined> {
  const found = await holderOf(
    server,
    await server.first(personalTokens, { where: { id: personalTokenId(jti) ?? 0 } }),
  );
  return found?.session.jti === jti ? found : undefined;
}

async function holderOf(
  server: ServerScope,
  row: PersonalTokenRow | undefined,
): Promise<PersonalTokenHolder | undefined> {
  if (!row || !isUnexpired(row, server.clock.now())) return undefined;
  const user = await server.first(users, { where: { id: row.user_id } });
  const role = user && user.disabled_at === null ? await roleIn(server, user, row.device_id) : null;
  if (!user || role === null) return undefined;
  const rights: Rights = {
    role,
    scopes: new Set(scopeNames.filter((name) => row.scopes.includes(name))),
  };
  const session: Session = {
    userId: user.id,
    userName: user.name,
    deviceId: row.device_id,
    id: null,
    jti: personalTokenJti(row),
    kind: 'personal token',
    credential: row.name,
    rights,
    isTemporary: false,
    isAdministrator: user.admin,
    signedInAt: null,
    expires: row.expires_at === null ? neverExpires : Date.parse(row.expires_at),
  };
  return { user, session, tokenId: row.id };
}
