import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { complete } from '../../src/commands/completion.ts';
import { examplesOf } from '../../src/commands/examples.ts';
import { exitCodeOf } from '../../src/commands/failures.ts';
import { commandEnvironment } from '../../src/commands/setting-flags.ts';
import { commandLine, withCommand } from '../../src/main.ts';
import { prepareServer, type ServerProcess } from '../support/servers.ts';

const allCommands = (command: Command): Command[] => [command, ...command.commands.flatMap(allCommands)];

const fullName = (command: Command): string =>
  command.parent ? `${fullName(command.parent)} ${command.name()}` : command.name();

/** The words of a line for a shell, without redirections. */
function wordsOf(line: string): string[] {
  const words = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
  const end = words.findIndex((word) => word === '<' || word === '>');
  return end === -1 ? words : words.slice(0, end);
}

/** Parses a line, and returns the command that would run. */
async function commandOf(line: string): Promise<string | null> {
  const program = commandLine();
  let found: string | null = null;
  for (const command of allCommands(program))
    if (command.commands.length === 0)
      command.action(() => {
        found = fullName(command);
      });
  await program.parseAsync(withCommand(wordsOf(line)), { from: 'user' });
  return found;
}

describe('examples', () => {
  const commands = allCommands(commandLine()).filter((command) => command.name() !== 'complete');

  it.each(commands.map((command) => [fullName(command), examplesOf(command)] as const))(
    '%s has two, which it parses',
    async (name, examples) => {
      expect(examples.length).toBeGreaterThanOrEqual(2);
      for (const example of examples) expect(await commandOf(example)).toMatch(new RegExp(`^${name}( |$)`));
    },
  );

  it('are in the help, with the name under which the program was started', () => {
    let help = '';
    const program = commandLine('npm run potager --').configureOutput({ writeOut: (text) => (help += text) });
    program.outputHelp();
    expect(help).toContain('Usage: npm run potager -- [options] [command]');
    expect(help).toContain('\nExamples:\n  npm run potager -- --port 8080 --data-dir /srv/garden\n');
  });
});

describe('a line without a command', () => {
  it.each([
    [[], ['serve']],
    [
      ['--port', '80'],
      ['serve', '--port', '80'],
    ],
    [['--data-dir=/srv'], ['serve', '--data-dir=/srv']],
    [
      ['--data-dir', 'backup'],
      ['serve', '--data-dir', 'backup'],
    ],
    [
      ['--data-dir', '/srv', 'user', 'list'],
      ['--data-dir', '/srv', 'user', 'list'],
    ],
    [['--help'], ['--help']],
    [['plough'], ['plough']],
  ])('%j runs %j', (words, expected) => {
    expect(withCommand(words)).toEqual(expected);
  });
});

describe('a wrong line', () => {
  async function refusal(...words: string[]) {
    let output = '';
    const program = commandLine();
    for (const command of allCommands(program))
      command.configureOutput({
        writeErr: (text) => {
          output += text;
        },
      });
    const error = await program.parseAsync(withCommand(words), { from: 'user' }).catch((thrown: unknown) => thrown);
    return [exitCodeOf(error), output];
  }

  it.each([
    [['plough'], "error: unknown command 'plough'\n"],
    [['sevre'], "error: unknown command 'sevre'\n(Did you mean serve?)\n"],
    [['plough', '--deep'], "error: unknown command 'plough'\n"],
    [['user', 'plough'], "error: unknown command 'plough'\n"],
    [['serve', 'plough'], "error: too many arguments for 'serve'. Expected 0 arguments but got 1.\n"],
    [['serve', '--smtp-urll=smtp://ada:s3cret@mail.example'], "error: unknown option '--smtp-urll'\n"],
    [['user', 'create'], "error: missing required argument 'email'\n"],
    [['user', 'admin', 'ada@example.com', 'maybe'], expect.stringContaining('Allowed choices are on, off.')],
  ])('%j is refused with 2', async (words, message) => {
    expect(await refusal(...words)).toEqual([2, message]);
  });

  it('is a group without a command, whose help is shown', async () => {
    const [code, output] = await refusal('user');
    expect(code).toBe(2);
    expect(output).toContain('Usage: potager user [options] [command]');
  });
});

describe('completion', () => {
  const wordsFor = (...line: string[]) => complete(commandLine(), line).candidates.map(({ word }) => word);

  it('offers commands, options and choices', () => {
    expect(wordsFor('us')).toEqual(['user']);
    expect(wordsFor('user', 'cre')).toEqual(['create']);
    expect(wordsFor('user', 'create', '--pa')).toEqual(['--password']);
    expect(wordsFor('user', 'create', '--password', 'x', '--pa')).toEqual([]);
    expect(wordsFor('import', 'ada@example.com', 'file', '--mode', '')).toEqual(['empty', 'merge', 'replace']);
    expect(wordsFor('completion', '')).toEqual(['bash', 'zsh', 'fish']);
    expect(wordsFor('complet')).toEqual(['completion']);
  });

  it('offers settings and their values', () => {
    expect(wordsFor('--mqtt-p')).toEqual(['--mqtt-port']);
    expect(wordsFor('serve', '--sign-up', '')).toEqual(['open', 'closed']);
    expect(wordsFor('serve', '--sign-up=c')).toEqual(['--sign-up=closed']);
    expect(wordsFor('user', 'list', '--set', 'LOG_L')).toEqual(['LOG_LEVEL=']);
    expect(wordsFor('--set', 'METRICS=o')).toEqual(['METRICS=on', 'METRICS=off']);
    expect(wordsFor('user', 'list', '--mqtt-p')).toEqual([]);
  });

  it('leaves files to the shell', () => {
    const files = (...line: string[]) => complete(commandLine(), line).files;
    expect(files('restore', '')).toBe(true);
    expect(files('--data-dir', '')).toBe(true);
    expect(files('export', '')).toBe(false);
    expect(files('export', 'ada@example.com', '')).toBe(true);
  });
});

describe('settings as flags', () => {
  let server: ServerProcess;
  beforeAll(async () => {
    server = await prepareServer('sqlite', { LOG_LEVEL: 'warn' });
    await writeFile(join(server.folder, 'secret.txt'), 'smtp://ada:s3cret@mail.example\n');
  });
  afterAll(() => server.remove());

  interface Row {
    readonly name: string;
    readonly value: string | null;
    readonly source: string;
  }

  async function settings(...words: string[]): Promise<Record<string, readonly [string | null, string]>> {
    const { code, stdout, output } = await server.run(['settings', '--json', ...words], { AI_KEY: 'hidden-key' });
    expect({ code, output }).toMatchObject({ code: 0 });
    expect(output).not.toMatch(/s3cret|hidden-key/);
    const rows = JSON.parse(stdout) as Row[];
    return Object.fromEntries(rows.map(({ name, value, source }) => [name, [value, source]]));
  }

  it('override the environment, whose values override the defaults', async () => {
    const found = await settings('--log-level', 'debug', '--set', 'SMTP_URL=@secret.txt', '--set', 'METRICS=on');
    expect(found).toMatchObject({
      LOG_LEVEL: ['debug', 'flag'],
      METRICS: ['on', 'flag'],
      SMTP_URL: ['(secret)', 'flag'],
      AI_KEY: ['(secret)', 'environment'],
      HOST: ['127.0.0.1', 'environment'],
      SIGN_UP: ['open', 'default'],
      STORAGE_URL: [null, 'default'],
      EMAIL_VERIFICATION: ['required', 'environment'],
      DEMO_ACCOUNTS: ['on', 'derived'],
      DATA_DIR: [join(server.folder, 'data'), 'default'],
    });
    const derived = await settings('--email-verification', 'auto', '--smtp-url', '@secret.txt', '--sign-up', 'closed');
    expect(derived).toMatchObject({ EMAIL_VERIFICATION: ['required', 'derived'], DEMO_ACCOUNTS: ['off', 'derived'] });
    expect(await settings('--email-verification', 'auto')).toMatchObject({ EMAIL_VERIFICATION: ['off', 'derived'] });
  });

  it('are read once from a file, which may be a pipe', async () => {
    const file = join(server.folder, 'once.txt');
    await writeFile(file, 'key-1');
    await commandOf(`user list --set AI_KEY=@${file}`);
    expect(commandEnvironment().AI_KEY).toBe('key-1');
    await writeFile(file, '');
    expect(commandEnvironment().AI_KEY).toBe('key-1');
  });

  it('are wrong usage if they are unknown, invalid, unreadable, or given twice', async () => {
    const wrong: readonly (readonly [string[], RegExp])[] = [
      [['serve', '--prot', '80'], /unknown option '--prot'\n\(Did you mean --port\?\)/],
      [['serve', '--port', 'many'], /^PORT must be a whole number from 0 to 65535, not "many"\.$/m],
      [
        ['user', 'list', '--set', 'DATABSE_URL=s3cret'],
        /^DATABSE_URL is not a setting\. Did you mean DATABASE_URL\?\n$/,
      ],
      [['user', 'list', '--set', 'PROT=1'], /^PROT is not a setting\. Did you mean PORT\?\n$/],
      [['user', 'list', '--set', 's3cret'], /^--set needs NAME=VALUE/],
      [['settings', '--set', 'AI_KEY=@missing'], /^AI_KEY: the file missing cannot be read \(ENOENT\)\.\n$/],
      [['settings', '--port', '1', '--set', 'PORT=2'], /^PORT is given twice/],
    ];
    for (const [words, message] of wrong) {
      const { code, stdout, output } = await server.run(words);
      expect([words, code, stdout]).toEqual([words, 2, '']);
      expect(output).toMatch(message);
      expect(output).not.toContain('s3cret');
    }
  });

  it('apply to commands, before and after their names', async () => {
    const other = join(server.folder, 'other');
    const email = 'flags@example.com';
    const created = await server.run(['--data-dir', other, 'user', 'create', email, '--password', 'password123']);
    expect(created).toMatchObject({ code: 0 });
    const { stdout } = await server.run(['user', 'list', '--json', '--data-dir', other]);
    expect(JSON.parse(stdout)).toMatchObject([{ id: 1, device: 1, confirmed: true, email, name: 'flags' }]);
    expect((await server.run(['user', 'list'])).output).toContain('there is no database');
  });
});
