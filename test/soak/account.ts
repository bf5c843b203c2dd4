import { type SignedInAccount, signIn } from '../support/accounts.ts';
import { HttpClient } from '../support/http-client.ts';
import type { Installation } from './installation.ts';
import type { Random } from './random.ts';

/** A request that changed records, by its label in announcements. Times are by `performance.now()`. */
export interface LabeledRequest {
  readonly sentAt: number;
  /** Null: its outcome is not known. */
  acknowledgedAt: number | null;
}

/** An account under load, and the changes that its writers requested. */
export interface SoakAccount extends SignedInAccount {
  readonly requests: Map<string, LabeledRequest>;
}

export const password = 'password123';
let names = 0;

/** Returns an address that no other sign-up uses. */
export const nextEmail = (): string => `soak.${process.pid}.${++names}@example.com`;

export const signUpBody = (email: string) => ({
  name: 'Soak',
  email,
  password,
  password_confirmation: password,
  agree_to_terms: true,
});

/** Returns the path of the link in a mail: `/verify/…`. */
export const linkPath = (text: string): string | null =>
  /https?:\/\/[^/\s]+(\/verify\/[^\s"<>]+)/.exec(text)?.[1] ?? null;

/** Creates an account while nothing fails. */
export async function createAccount({ api, mailsTo }: Installation, random: Random): Promise<SoakAccount> {
  const email = nextEmail();
  await api.sendUntilAcknowledged(random, 'POST', '/api/users', { body: signUpBody(email) });
  let path: string | null = null;
  while (path === null) {
    path = linkPath((await mailsTo(email))[0] ?? '');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await api.sendUntilAcknowledged(random, 'GET', path);
  const client = new HttpClient(random.pick(api.servers).base);
  const account = await signIn(client, 'Soak', email, password);
  client.close();
  return { ...account, requests: new Map() };
}
