import { randomInt } from 'node:crypto';
import type { Sql } from '../db/sql.ts';
import { sql } from '../db/sql.ts';

const domain = '@farmbot.guest';
const alphabet = 'abcdefghijklmnopqrstuvwxyz0123456789';
/** Characters of the part that differs. [reference 7] */
const nameLength = 16;

/** The e-mail address of a new demo account; nobody reads there. [reference 7] */
export function newGuestAddress(): string {
  const name = Array.from({ length: nameLength }, () => alphabet[randomInt(alphabet.length)]).join('');
  return `guest_${name}${domain}`;
}

const pattern = new RegExp(`^guest_[a-z0-9]{${nameLength}}${domain.replace('.', '\\.')}$`);

/** Whether an account is a visitor's demo account: it goes when it is not used, and cannot publish or become anything else. */
export const isGuest = ({ email }: { readonly email: string }): boolean => pattern.test(email);

/** Whether an address is of the kind that demo accounts have, whoever chose it: such accounts publish nothing. [reference 5.2] */
export const hasGuestAddress = ({ email }: { readonly email: string }): boolean => email.endsWith(domain);

/** Demo accounts among the users. Not quite as strict as {@link isGuest}. */
export const areGuests: Sql = sql`email like ${`guest|_%${domain}`} escape '|'`;
