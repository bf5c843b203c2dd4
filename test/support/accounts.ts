import type { HttpClient } from './http-client.ts';
import { type Json, numberAt, textAt } from './json.ts';
import type { Outbox } from './outbox.ts';

/** A server under test. `outbox` is null if accounts need no verification. */
export interface TestServer {
  readonly client: HttpClient;
  readonly outbox: Outbox | null;
}

/** A signed-in account. */
export interface SignedInAccount {
  readonly name: string;
  readonly email: string;
  readonly password: string;
  /** The encoded token. */
  readonly token: string;
  readonly deviceId: number;
  readonly userId: number;
  /** `device_<deviceId>`. */
  readonly bot: string;
}

/** The request id of sign-ups and of other requests without compared announcements. */
const ignoredLabel = 'ignored';
/** Sent with requests whose announcements are not compared, whenever they arrive. */
export const ignoringHeaders = { 'x-farmbot-rpc-id': ignoredLabel };
/** Returns whether a request with {@link ignoringHeaders} caused an announcement with this label. */
export const isIgnored = (label: Json | undefined): boolean => label === ignoredLabel;

const run = `${Date.now().toString(36)}${process.pid.toString(36)}`;
let addresses = 0;

/** Returns an e-mail address that no other sign-up of any test run uses. */
export const uniqueEmail = (name: string): string => `${name}.${run}.${++addresses}@example.com`;

/** Registers an account without verifying it. */
export async function register(
  client: HttpClient,
  name: string,
): Promise<{ readonly email: string; readonly password: string }> {
  const email = uniqueEmail(name);
  const password = 'password123';
  const body = { name, email, password, password_confirmation: password, agree_to_terms: true };
  const response = await client.send('POST', '/api/users', { body, headers: ignoringHeaders });
  if (response.status !== 200) throw new Error(`sign-up: ${response.status} ${response.text}`);
  return { email, password };
}

/** Signs in with e-mail address and password. Throws unless a token is returned. */
export async function signIn(
  client: HttpClient,
  name: string,
  email: string,
  password: string,
): Promise<SignedInAccount> {
  const response = await client.send('POST', '/api/tokens', {
    body: { user: { email, password } },
    headers: ignoringHeaders,
  });
  if (response.status !== 200) throw new Error(`sign-in: ${response.status} ${response.text}`);
  const reply = response.json;
  const bot = textAt(reply, 'token.unencoded.bot');
  return {
    name,
    email,
    password,
    token: textAt(reply, 'token.encoded'),
    deviceId: Number(bot.replace('device_', '')),
    userId: numberAt(reply, 'user.id'),
    bot,
  };
}

/** Registers an account, follows the link in its verification mail, and signs in. */
export async function signUp(server: TestServer, name: string): Promise<SignedInAccount> {
  const { email, password } = await register(server.client, name);
  if (server.outbox) {
    const link = await server.outbox.linkTo(email, 'verify');
    const response = await server.client.send('GET', link.pathname, { headers: ignoringHeaders });
    if (response.status !== 200) throw new Error(`verification: ${response.status} ${response.text}`);
  }
  return signIn(server.client, name, email, password);
}
