import { column } from '../db/columns.ts';
import type { ServerScope } from '../db/scope.ts';
import { table } from '../db/table.ts';
import type { AccountRules } from './services.ts';

/** The server's memory and administrators' decisions, by key. Unlike the global config, no client reads it. */
export const serverSettings = table(
  'server_settings',
  { key: column.text(), value: column.text() },
  { reach: 'server', unique: [['key']] },
);

/** Whether anyone may sign up: `SIGN_UP`, unless an administrator decided otherwise. */
export type SignUp = AccountRules['signUp'];

const isSignUp = (value: string | undefined): value is SignUp => value === 'open' || value === 'closed';

/** Returns whether anyone may sign up at this moment. */
export async function currentSignUp(server: ServerScope, setting: SignUp): Promise<SignUp> {
  const stored = (await server.first(serverSettings, { where: { key: 'sign_up' } }))?.value;
  return isSignUp(stored) ? stored : setting;
}

const demoAccounts = { key: 'demo_accounts' } as const;

/** Returns whether visitors may make demo accounts at this moment: as an administrator decided, else by `DEMO_ACCOUNTS`, else while anyone may sign up. [decision 61] */
export async function allowsDemos(server: ServerScope, { demos, signUp }: AccountRules): Promise<boolean> {
  const stored = (await server.first(serverSettings, { where: demoAccounts }))?.value;
  if (stored === 'on' || stored === 'off') return stored === 'on';
  return demos ?? (await currentSignUp(server, signUp)) === 'open';
}

/** Stores whether visitors may make demo accounts; null: as the settings say. In a transaction. */
export async function storeDemos(server: ServerScope, isOn: boolean | null): Promise<void> {
  const value = isOn === null ? 'default' : isOn ? 'on' : 'off';
  const stored = await server.update(serverSettings, { value }, { where: demoAccounts });
  if (stored.length === 0) await server.insert(serverSettings, { ...demoAccounts, value });
}

/** Stores whether anyone may sign up; null: as `SIGN_UP` says. */
export const storeSignUp = (server: ServerScope, value: SignUp | null): Promise<unknown> =>
  server.update(serverSettings, { value: value ?? 'default' }, { where: { key: 'sign_up' } });

const firstAccount = { key: 'first_account', value: 'expected' } as const;

/** Whether this database never had an account other than demo accounts. */
export const isFirstAccountExpected = async (server: ServerScope): Promise<boolean> =>
  (await server.first(serverSettings, { where: firstAccount })) !== undefined;

/** Returns whether an account is the first of the database, once, inside the transaction that makes it. Concurrent transactions wait for it. */
export const takeFirstAccount = async (server: ServerScope): Promise<boolean> =>
  (await server.update(serverSettings, { value: 'made' }, { where: firstAccount })).length > 0;
