import type { HttpClient } from './http-client.ts';
import { numberAt, textAt } from './json.ts';
import type { Outbox } from './outbox.ts';

/** A server as tests reach it. `outbox` null: accounts need no verification there. */
export interface TestServer {
  readonly client: HttpClient;
  readonly outbox: Outbox | null;
}

/** A signed-in account. */
export interface SignedInAccount {
  readonly name: string;
  readonly email: string;
  readonly password: string;
  /** Encoded. */
  readonly token: string;
  readonly deviceId: number;
  readonly userId: number;
  /** `device_<deviceId>`. */
  readonly bot: string;
}

/** The request id under which accounts are made: what that announces is nobody's concern. */
export const signUpLabel = 'sign-up';
const headers = { 'x-farmbot-rpc-id': signUpLabel };

const run = `${Date.now().toString(36)}${process.pid.toString(36)}`;
let made = 0;

/** An address that no other sign-up of any test run uses. */
export const uniqueEmail = (name: string): string => `${name}.${run}.${++made}@example.com`;

/** Registers without verifying. */
export async function register(
  client: HttpClient,
  name: string,
): Promise<{ readonly email: string; readonly password: string }> {
  const email = uniqueEmail(name);
  const password = 'password123';
  const body = { name, email, password, password_confirmation: password, agree_to_terms: true };
  const answer = await client.send('POST', '/api/users', { body, headers });
  if (answer.status !== 200) throw new Error(`sign-up answered ${answer.status} ${answer.text}`);
  return { email, password };
}

/** Signs in with e-mail and password. Throws unless the answer is a token. */
export async function signIn(
  client: HttpClient,
  name: string,
  email: string,
  password: string,
): Promise<SignedInAccount> {
  const answer = await client.send('POST', '/api/tokens', { body: { user: { email, password } }, headers });
  if (answer.status !== 200) throw new Error(`sign-in answered ${answer.status} ${answer.text}`);
  const reply = answer.json;
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

/** Registers a new account, follows the link of its verification mail, and signs in. */
export async function signUp(server: TestServer, name: string): Promise<SignedInAccount> {
  const { email, password } = await register(server.client, name);
  if (server.outbox) {
    const link = await server.outbox.linkTo(email, 'verify');
    const answer = await server.client.send('GET', link.pathname, { headers });
    if (answer.status !== 200) throw new Error(`verification answered ${answer.status} ${answer.text}`);
  }
  return signIn(server.client, name, email, password);
}
