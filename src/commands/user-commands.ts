import type { Command } from 'commander';
import { Argument } from 'commander';
import type { QuotaName } from '../core/quotas.ts';
import { quotaNames, quotas } from '../core/quotas.ts';
import type { Listed } from './database-session.ts';
import { withOperations } from './database-session.ts';
import { withExamples } from './examples.ts';
import type { ListOptions } from './listing.ts';
import { Listing } from './listing.ts';
import { CommandError, print, printable, readAnswer, readPassword, unknownUser, wholeNumber } from './terminal.ts';

async function createUser(email: string, options: { name?: string; password?: string }): Promise<void> {
  const password = await readPassword(options.password);
  const name = options.name ?? email.replace(/@.*$/, '');
  const { id } = await withOperations('users', (users) => users.create(email, name, password), { creates: true });
  print(`Created user ${id}: ${printable(email)}`);
}

const userListing = new Listing<Listed<'users'>>({
  id: ({ id }) => id,
  device: ({ device_id }) => device_id,
  confirmed: ({ confirmed }) => confirmed,
  email: ({ email }) => email,
  name: ({ name }) => name,
  admin: ({ admin }) => admin,
});

async function listUsers(options: ListOptions): Promise<void> {
  userListing.print(await withOperations('users', (users) => users.list()), options);
}

/** Throws CommandError unless there is an account with the address. */
function assertKnown(email: string, isKnown: boolean): void {
  if (!isKnown) throw unknownUser(email);
}

async function deleteUser(email: string, { yes }: { readonly yes?: true }): Promise<void> {
  if (!yes) {
    const typed = await readAnswer(
      `This deletes the account ${printable(email)}, and its garden and photos unless other users have them. Type its address to confirm: `,
    );
    if (typed.trim().toLowerCase() !== email.trim().toLowerCase())
      throw new CommandError('This is not the address of the account. Nothing was deleted.');
  }
  assertKnown(email, await withOperations('users', (users) => users.delete(email)));
  print(`Deleted the account ${printable(email)}.`);
}

async function confirmUser(email: string): Promise<void> {
  const result = await withOperations('users', (users) => users.confirm(email));
  assertKnown(email, result !== null);
  print(`The address ${printable(email)} ${result === 'unchanged' ? 'was confirmed already' : 'is confirmed'}.`);
}

async function changeEmail(oldEmail: string, newEmail: string): Promise<void> {
  assertKnown(oldEmail, await withOperations('users', (users) => users.changeEmail(oldEmail, newEmail)));
  print(`Changed the address ${printable(oldEmail)} to ${printable(newEmail)}.`);
}

async function setAdmin(email: string, state: string): Promise<void> {
  const isAdmin = state === 'on';
  assertKnown(email, await withOperations('users', (users) => users.setAdmin(email, isAdmin)));
  print(`${printable(email)} is ${isAdmin ? 'an administrator' : 'no administrator'} of this server.`);
}

async function resetPassword(email: string, options: { password?: string }): Promise<void> {
  const password = await readPassword(options.password);
  assertKnown(email, await withOperations('users', (users) => users.resetPassword(email, password)));
  print(`Changed the password of ${printable(email)}.`);
}

/** Parses a limit. Commander takes null for an option without a value. */
const quotaLimit = (text: string): number | 'default' => (text === 'default' ? text : wholeNumber(0, 1e15)(text));

/** Returns the option of a quota without its dashes, and its key in the parsed options. */
const optionOf = (name: QuotaName) => ({
  flag: name.replaceAll('_', '-'),
  key: name.replaceAll(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase()),
});

interface QuotaRow {
  readonly quota: QuotaName;
  readonly used: number;
  readonly limit: number;
}

const quotaListing = new Listing<QuotaRow>({
  quota: ({ quota }) => quota,
  used: ({ used }) => used,
  limit: ({ limit }) => limit,
});

async function changeQuotas(
  email: string,
  { json, ...options }: ListOptions & Readonly<Record<string, number | 'default' | undefined>>,
): Promise<void> {
  const limits = Object.fromEntries(
    quotaNames.flatMap((name) => {
      const { [optionOf(name).key]: value } = options;
      return value === undefined ? [] : [[name, value === 'default' ? null : value]];
    }),
  );
  const usage = await withOperations('quotas', (operations) => operations.change(email, limits));
  if (usage === null) throw unknownUser(email);
  quotaListing.print(
    quotaNames.map((quota) => ({ quota, ...usage[quota] })),
    json ? { json } : {},
  );
}

/** Adds the commands about accounts. */
export function addUserCommands(program: Command): void {
  const password = ['--password <password>', 'password (default: prompt, or read standard input)'] as const;
  const user = program.command('user').description('manage accounts');
  const create = user
    .command('create')
    .description('create an account with a confirmed e-mail address')
    .argument('<email>')
    .option('--name <name>', 'name of the user (default: the local part of the e-mail address)')
    .option(...password)
    .action(createUser);
  withExamples(create, 'user create ada@example.com', 'user create ada@example.com --name Ada < password.txt');
  const list = user.command('list').description('list all accounts').action(listUsers);
  withExamples(userListing.addTo(list), 'user list', 'user list --json');
  const reset = user
    .command('reset-password')
    .description('set a new password for a user and revoke all sessions')
    .argument('<email>')
    .option(...password)
    .action(resetPassword);
  withExamples(reset, 'user reset-password ada@example.com', 'user reset-password ada@example.com < password.txt');
  const deletion = user
    .command('delete')
    .description('delete an account with its garden, photos and sessions; other users of its robot keep the garden')
    .argument('<email>')
    .option('--yes', 'do not ask for confirmation')
    .action(deleteUser);
  withExamples(deletion, 'user delete ada@example.com', 'user delete ada@example.com --yes');
  const confirmation = user
    .command('confirm')
    .description('confirm the e-mail address of an account, instead of the link in the mail')
    .argument('<email>')
    .action(confirmUser);
  withExamples(confirmation, 'user confirm ada@example.com', 'user confirm ada@example.com --data-dir /srv/garden');
  const change = user
    .command('email')
    .description('change the e-mail address of an account; the old one gets a mail with which its owner can undo that')
    .argument('<old>', 'current address')
    .argument('<new>', 'new address')
    .action(changeEmail);
  withExamples(
    change,
    'user email ada@example.com ada@garden.example',
    'user email ada@exmaple.com ada@example.com --data-dir /srv/garden',
  );
  const admin = user
    .command('admin')
    .description('make a user an administrator of the server, or no longer')
    .argument('<email>', 'address of the account')
    .addArgument(new Argument('<state>', 'whether the user is one').choices(['on', 'off']))
    .action(setAdmin);
  withExamples(admin, 'user admin ada@example.com on', 'user admin ada@example.com off');
  const quota = user
    .command('quota')
    .description('show what an account uses, and change its limits')
    .argument('<email>');
  for (const name of quotaNames)
    quota.option(`--${optionOf(name).flag} <limit>`, `${quotas[name].description} (or "default")`, quotaLimit);
  quota.action(changeQuotas);
  withExamples(
    quotaListing.addTo(quota),
    'user quota ada@example.com',
    'user quota ada@example.com --photos 1000 --photo-bytes default',
  );
}
