import type { Command } from 'commander';
import { sessionDays } from '../core/session-lifetime.ts';
import type { Listed } from './database-session.ts';
import { withOperations } from './database-session.ts';
import { withExamples } from './examples.ts';
import type { ListOptions } from './listing.ts';
import { Listing } from './listing.ts';
import { CommandError, jsonText, print, printable, UsageError, unknownUser, wholeNumber } from './terminal.ts';

interface CreationOptions extends ListOptions {
  readonly robot?: boolean;
  readonly days?: number;
}

async function createToken(email: string, { robot = false, days, json }: CreationOptions): Promise<void> {
  const session = await withOperations('sessions', (sessions) => sessions.create(email, { isRobot: robot, days }));
  if (session === null) throw unknownUser(email);
  print(json ? jsonText(session) : session.token.encoded);
  const { exp, iss } = session.token.unencoded;
  const ends = new Date(exp * 1000).toISOString();
  process.stderr.write(`The token is valid until ${ends} at ${iss.slice(2)}. It is not shown again.\n`);
}

const listing = new Listing<Listed<'sessions'>>({
  id: ({ id }) => id,
  jti: ({ jti }) => jti.slice(0, 8),
  kind: ({ kind }) => kind,
  created: ({ created_at }) => created_at,
  used: ({ last_used_at }) => last_used_at ?? '-',
  expires: ({ expires_at }) => expires_at,
});

async function listTokens(email: string, options: ListOptions): Promise<void> {
  const rows = await withOperations('sessions', (sessions) => sessions.list(email));
  if (rows === null) throw unknownUser(email);
  listing.print(rows, options);
}

async function revokeTokens(email: string, id: number | undefined, { all }: { readonly all?: true }): Promise<void> {
  if ((id === undefined) === (all === undefined)) throw new UsageError('Give the id of a token, or --all.');
  const count = await withOperations('sessions', (sessions) => sessions.revoke(email, id ?? 'all'));
  if (count === null) throw unknownUser(email);
  if (id !== undefined && count === 0) throw new CommandError(`${printable(email)} has no token ${id}.`);
  print(`Revoked ${count === 1 ? '1 token' : `${count} tokens`} of ${printable(email)}.`);
}

/** Adds the commands for the tokens of an account. */
export function addTokenCommands(program: Command): void {
  const token = program.command('token').description('manage the tokens of an account, one for each sign-in');
  const create = token
    .command('create')
    .description('create a token, as a sign-in does; it cannot change the password or the e-mail address')
    .argument('<email>')
    .option('--robot', 'a token of a robot instead of a person')
    .option('--days <number>', `days until it expires (default: ${sessionDays})`, wholeNumber(1, sessionDays))
    .option('--json', 'print the response of a sign-in: token and user')
    .action(createToken);
  withExamples(create, 'token create ada@example.com', 'token create ada@example.com --days 1 --json');
  const list = token
    .command('list')
    .description('list the valid tokens of an account, those of its other gardens too')
    .argument('<email>')
    .action(listTokens);
  withExamples(listing.addTo(list), 'token list ada@example.com', 'token list ada@example.com --json');
  const revoke = token
    .command('revoke')
    .description('revoke a token of an account, or all, and close their connections')
    .argument('<email>', 'address of the account')
    .argument('[id]', 'id of the token, see "token list"', wholeNumber(1, Number.MAX_SAFE_INTEGER))
    .option('--all', 'all of them, also those of robots')
    .action(revokeTokens);
  withExamples(revoke, 'token revoke ada@example.com 42', 'token revoke ada@example.com --all');
}
