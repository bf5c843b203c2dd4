import type { Command } from 'commander';
import type { QuotaName } from '../core/quotas.ts';
import { quotaNames, quotas } from '../core/quotas.ts';
import { CommandError, print, printable, readPassword, wholeNumber, withOperations } from './terminal.ts';

async function createUser(email: string, options: { name?: string; password?: string }): Promise<void> {
  const password = await readPassword(options.password);
  const name = options.name ?? email.replace(/@.*$/, '');
  const { id } = await withOperations('users', (users) => users.create(email, name, password));
  print(`Created user ${id}: ${printable(email)}`);
}

async function listUsers(): Promise<void> {
  const users = await withOperations('users', (users) => users.list());
  const rows = users.map((user) => [user.id, user.device_id, user.confirmed ? 'yes' : 'no', user.email, user.name]);
  for (const row of [['id', 'device', 'confirmed', 'email', 'name'], ...rows]) print(row.map(printable).join('\t'));
}

async function resetPassword(email: string, options: { password?: string }): Promise<void> {
  const password = await readPassword(options.password);
  const isKnown = await withOperations('users', (users) => users.resetPassword(email, password));
  if (!isKnown) throw new CommandError(`No user has the address ${printable(email)}.`);
  print(`Changed the password of ${printable(email)}.`);
}

/** Parses a limit: a whole number, or `default` (null). */
const quotaLimit = (text: string): number | null => (text === 'default' ? null : wholeNumber(0, 1e15)(text));

/** Returns the option of a quota without its dashes, and its key in the parsed options. */
const optionOf = (name: QuotaName) => ({
  flag: name.replaceAll('_', '-'),
  key: name.replaceAll(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase()),
});

async function changeQuotas(email: string, options: Readonly<Record<string, number | null>>): Promise<void> {
  const limits = Object.fromEntries(
    quotaNames.flatMap((name) => {
      const { [optionOf(name).key]: value } = options;
      return value === undefined ? [] : [[name, value]];
    }),
  );
  const usage = await withOperations('quotas', (operations) => operations.change(email, limits));
  if (usage === null) throw new CommandError(`No user has the address ${printable(email)}.`);
  print('quota\tused\tlimit');
  for (const name of quotaNames) print([name, usage[name].used, usage[name].limit].map(printable).join('\t'));
}

/** Adds the commands about accounts. */
export function addUserCommands(program: Command): void {
  const password = ['--password <password>', 'password (default: prompt, or read standard input)'] as const;
  const user = program.command('user').description('manage accounts');
  user
    .command('create')
    .description('create an account with a confirmed e-mail address')
    .argument('<email>')
    .option('--name <name>', 'name of the user (default: the local part of the e-mail address)')
    .option(...password)
    .action(createUser);
  user.command('list').description('list all accounts').action(listUsers);
  user
    .command('reset-password')
    .description('set a new password for a user and revoke all sessions')
    .argument('<email>')
    .option(...password)
    .action(resetPassword);
  const quota = user
    .command('quota')
    .description('show what an account uses, and change its limits')
    .argument('<email>');
  for (const name of quotaNames)
    quota.option(`--${optionOf(name).flag} <limit>`, `${quotas[name].description} (or "default")`, quotaLimit);
  quota.action(changeQuotas);
}
