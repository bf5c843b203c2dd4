import type { Command } from 'commander';
import { CommandError, print, printable, readPassword, withOperations } from './terminal.ts';

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
}
