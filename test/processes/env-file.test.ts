import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { register } from '../support/accounts.ts';
import type { ServerProcess } from '../support/servers.ts';
import { prepareServer, startServer } from '../support/servers.ts';

let server: ServerProcess;
beforeEach(async () => {
  server = await prepareServer('sqlite', { PUBLIC_URL: 'https://environment.example' });
  await writeFile(
    join(server.folder, 'potager.env'),
    '# of the unit\nMAIL_FROM=My garden <garden@example.com>\nPUBLIC_URL="https://file.example"\nSMTP_URL=\n',
  );
});
afterEach(() => server.remove());

/** Returns the settings that a command has, as value and source. */
async function settingsOf(words: readonly string[]): Promise<Record<string, readonly unknown[]>> {
  const { code, stdout } = await server.runAlone(['settings', '--json', ...words]);
  expect(code).toBe(0);
  const rows = JSON.parse(stdout) as { name: string; value: unknown; source: unknown }[];
  return Object.fromEntries(rows.map(({ name, value, source }) => [name, [value, source]]));
}

it('a file of settings overrides the environment, and flags the file', async () => {
  expect(await settingsOf(['--env-file', 'potager.env'])).toMatchObject({
    MAIL_FROM: ['My garden <garden@example.com>', 'file'],
    PUBLIC_URL: ['https://file.example', 'file'],
    HOST: ['127.0.0.1', 'environment'],
    SMTP_URL: [null, 'default'],
  });
  const flags = ['--env-file', 'potager.env', '--public-url', 'https://flag.example'];
  expect(await settingsOf(flags)).toMatchObject({ PUBLIC_URL: ['https://flag.example', 'flag'] });
  await writeFile(join(server.folder, 'broken.env'), 'PORT=3000\nhunter2\n');
  expect(await server.run(['user', 'list', '--env-file', 'broken.env'])).toMatchObject({
    code: 2,
    output: '--env-file: broken.env: line 2 is not NAME=VALUE.\n',
  });
  expect((await server.run(['doctor', '--env-file', 'potager.env'])).output).not.toContain('FAIL');
});

it('mails have the sender with its name', async () => {
  const sender = 'My garden <garden@example.com>';
  const { env } = server;
  await server.remove();
  server = await startServer('sqlite', { ...env, MAIL_FROM: sender });
  const { email } = await register(server.client, 'ada');
  expect((await server.outbox.mailTo(email)).source).toContain(`From: ${sender}`);
});
