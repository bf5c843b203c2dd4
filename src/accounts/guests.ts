import { randomInt } from 'node:crypto';
import type { Sql } from '../db/sql.ts';
import { sql } from '../db/sql.ts';

const domain = '@farmbot.guest';
const alphabet = 'abcdefghijklmnopqrstuvwxyz0123456789';
/** Characters of the random part. [rule A30] */
const nameLength = 16;

/** Generates the e-mail address of a demo account, at which no mail is read. [rule A30] */
export function newGuestAddress(): string {
  const name = Array.from({ length: nameLength }, () => alphabet[randomInt(alphabet.length)]).join('');
  return `guest_${name}${domain}`;
}

const pattern = new RegExp(`^guest_[a-z0-9]{${nameLength}}${domain.replace('.', '\\.')}$`);

/** Returns whether a user is a demo account: deleted when unused, cannot publish or change its address. */
export const isGuest = ({ email }: { readonly email: string }): boolean => pattern.test(email);

/** Returns whether an address is in the domain of demo accounts, whose users cannot publish. [rule A32] */
export const hasGuestAddress = ({ email }: { readonly email: string }): boolean => email.endsWith(domain);

/** SQL condition for demo accounts, a little wider than {@link isGuest}. */
export const areGuests: Sql = sql`email like ${`guest|_%${domain}`} escape '|'`;

/** SQL condition for all other accounts. */
export const areNoGuests: Sql = sql`not ${areGuests}`;
