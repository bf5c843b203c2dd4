import { afterEach, expect, it } from 'vitest';
import { freePort } from '../../test/support/free-port.ts';
import { MailServer } from '../../test/support/mail-server.ts';
import { readSettings } from '../settings/settings.ts';
import { checkMail } from './mail-check.ts';

const resultOf = (url: string) => checkMail(readSettings({ SMTP_URL: url }));

const server = new MailServer();
afterEach(() => server.close());

it('signs in to the mail server, and says what to correct', async () => {
  const url = new URL(await server.listen('potager:right'));
  expect(await resultOf(url.href)).toEqual({ name: 'mail', ok: true, message: 'The mail server accepts messages.' });
  url.password = 'wrong';
  expect(await resultOf(url.href)).toMatchObject({
    ok: false,
    message: expect.stringMatching(
      /^SMTP_URL: the mail server refuses the sign-in \(.+\)\. Correct the user and the password in the URL\.$/,
    ),
  });
  expect((await resultOf(url.href)).message).not.toContain('wrong');
  const port = await freePort();
  expect((await resultOf(`smtp://127.0.0.1:${port}`)).message).toBe(
    `SMTP_URL: the mail server cannot be used (connect ECONNREFUSED 127.0.0.1:${port}). Start it, or correct the host and the port; port 465 needs smtps://.`,
  );
});
