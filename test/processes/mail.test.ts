import { statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runChecks } from '../../src/doctor/doctor.ts';
import { jobs } from '../../src/jobs/job-rows.ts';
import { maxMailAttempts } from '../../src/mail/message.ts';
import { register, signIn, uniqueEmail } from '../support/accounts.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { describeEngines } from '../support/engines.ts';
import { MailServer } from '../support/mail-server.ts';
import { type ServerProcess, startServer } from '../support/servers.ts';

const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

let mailServer: MailServer;
let server: ServerProcess | null = null;
let app: TestApp | null = null;

beforeEach(() => {
  mailServer = new MailServer();
});

afterEach(async () => {
  await server?.remove();
  await app?.close();
  server = null;
  app = null;
  await mailServer.close();
});

const verifyLink = /https?:\/\/[^\s"<>]+\/verify\/[\w-]+/;

describe('with SMTP_URL', () => {
  it('a sign-up sends a mail as text and HTML, whose link confirms the address', async () => {
    const SMTP_URL = await mailServer.listen('potager:right');
    server = await startServer('sqlite', { SMTP_URL, MAIL_FROM: 'Our garden <garden@example.org>' });
    // Its address needs no confirmation.
    const administrator = await register(server.client, 'administrator');
    const { email, password } = await register(server.client, 'smtp');
    await expect.poll(() => mailServer.received.length).toBe(2);
    const first = mailServer.received.find((each) => each.to.includes(administrator.email))?.mail.text;
    expect(first).toContain('You need not confirm the address and can sign in.');
    expect(first).not.toContain('Please open this link to confirm the address.');
    const { to, mail } = mailServer.received.find((each) => each.to.includes(email)) ?? {};
    expect(to).toEqual([email]);
    expect(mail?.from).toEqual({ address: 'garden@example.org', name: 'Our garden' });
    expect(mail?.to).toEqual([{ address: email, name: '' }]);
    expect(mail?.subject).toBe('Welcome to your garden');
    expect(mail?.messageId).toMatch(/^<.+@.+>$/);
    const link = verifyLink.exec(mail?.text ?? '')?.[0] ?? '';
    expect(link).toContain(`${server.base}/verify/`);
    expect(mail?.html).toContain(`href="${link}"`);
    expect(mail?.html).toContain('Hello smtp,');

    expect((await server.client.get(new URL(link).pathname)).status).toBe(200);
    expect((await signIn(server.client, 'smtp', email, password)).email).toBe(email);

    // The link is not in the log, and the mail has no other copy.
    expect(server.logs()).not.toContain('/verify/');
    expect(server.logs()).not.toContain('potager:right');
    expect(await server.outbox.mailsTo(email)).toEqual([]);
  });
});

describe('without SMTP_URL', () => {
  it('each message is a file with mode 0600, and its link is in the log', async () => {
    server = await startServer('sqlite');
    await register(server.client, 'administrator');
    const { email, password } = await register(server.client, 'outbox');
    const welcome = await server.outbox.mailTo(email);
    expect(welcome.subject).toBe('Welcome to your garden');
    const link = verifyLink.exec(welcome.text)?.[0] ?? '';
    expect(link).toContain(`${server.base}/verify/`);
    expect(welcome.html).toContain(`href="${link}"`);
    expect(statSync(join(server.outbox.folder, welcome.file)).mode & 0o077).toBe(0);
    await expect.poll(() => server?.logs()).toContain(link);
    expect((await server.client.get(new URL(link).pathname)).status).toBe(200);
    await signIn(server.client, 'outbox', email, password);

    expect((await server.client.post('/api/password_resets', { email })).status).toBe(200);
    const reset = await server.outbox.linkTo(email, 'password_reset');
    await expect.poll(() => server?.logs()).toContain(reset.href);
  });
});

describeEngines('an invitation', (engine) => {
  it('is a mail whose link creates the account, confirms the address, and opens the garden', async () => {
    const settings = { SMTP_URL: await mailServer.listen(), EMAIL_VERIFICATION: 'required', SIGN_UP: 'closed' };
    app = await startApp(engine, settings);
    const { call } = app;
    const users = await app.app.operations.users();
    const ada = uniqueEmail('ada');
    const bob = uniqueEmail('bob');
    const password = 'password123';
    await users.create(ada, 'Ada', password);
    await users.setAdmin(ada, true);
    const tokenOf = async (email: string): Promise<string> => {
      const { json, text } = await call('POST', '/api/tokens', { body: { user: { email, password } } });
      expect(json, text).toHaveProperty('token');
      return json.token.encoded;
    };
    const token = await tokenOf(ada);
    await call('PATCH', '/api/device', { token, body: { name: 'The greenhouse' } });
    const invited = await call('POST', '/api/invitations', { token, body: { email: bob, role: 'viewer' } });
    expect([invited.status, Object.keys(invited.json)]).toEqual([
      200,
      ['id', 'created_at', 'email', 'expires_at', 'role'],
    ]);
    await app.app.runJobs();

    expect(mailServer.received.map(({ to }) => to)).toEqual([[bob]]);
    const { subject, text = '', html } = mailServer.received[0]?.mail ?? {};
    expect(subject).toBe('You are invited to a garden');
    const [link = ''] = /http\S+/.exec(text) ?? [];
    expect(text.trim().split('\n\n')).toEqual([
      'Hello,',
      'Ada invites you to the garden “The greenhouse” as viewer.',
      'Open this link within 7 days to accept. It works once, and for this e-mail address only.',
      link,
      'If you do not know this person, ignore this message.',
    ]);
    expect(html).toContain(`href="${link}"`);
    const { pathname } = new URL(link);
    const invitation = pathname.split('/').pop();
    const show = () => call('POST', '/api/invitations/show', { body: { token: invitation } });
    expect((await show()).json).toEqual({
      email: bob,
      inviter: 'Ada',
      garden: { name: 'The greenhouse', role: 'viewer' },
      may_sign_up: true,
    });
    const sent = { name: 'Bob', email: bob, password, password_confirmation: password, agree_to_terms: true };
    expect((await call('POST', '/api/users', { body: sent })).status).toBe(403);
    expect((await call('POST', '/api/users', { body: { ...sent, invitation } })).status).toBe(200);
    // Without another mail: the link was in the mailbox.
    const accepted = await call('POST', '/api/invitations/accept', {
      token: await tokenOf(bob),
      body: { token: invitation },
    });
    const garden = await call('GET', '/api/device', { token: accepted.json.token.encoded });
    expect(garden.json).toMatchObject({ name: 'The greenhouse' });
    expect((await show()).status).toBe(404);
  });

  it('to the server is a mail without a garden', async () => {
    app = await startApp(engine, { SMTP_URL: await mailServer.listen() });
    const { token } = await app.signUp();
    const email = uniqueEmail('cleo');
    expect((await app.call('POST', '/api/admin/invitations', { token, body: { email } })).status).toBe(200);
    await app.app.runJobs();
    const { subject, text = '' } = mailServer.received[0]?.mail ?? {};
    expect(subject).toBe('You are invited to a garden server');
    expect(text).toContain('Gardener invites you to create an account on a garden server.');
    const secret = new URL(/http\S+/.exec(text)?.[0] ?? '').pathname.split('/').pop();
    const shown = await app.call('POST', '/api/invitations/show', { body: { token: secret } });
    expect(shown.json).toEqual({ email, inviter: 'Gardener', garden: null, may_sign_up: true });
  });
});

describeEngines('a mail server that does not accept a message', (engine) => {
  const clock = { time: Date.now(), now: () => clock.time };
  /** Longer than any backoff. */
  const long = 20 * 3_600_000;

  async function start(smtpUrl: string): Promise<TestApp> {
    app = await startApp(engine, { SMTP_URL: smtpUrl, EMAIL_VERIFICATION: 'required' }, clock);
    return app;
  }

  async function signUp({ call }: TestApp): Promise<string> {
    const email = uniqueEmail('refused');
    const password = 'password123';
    const body = { name: 'Ada', email, password, password_confirmation: password, agree_to_terms: true };
    // From the internet: it does not become the administrator.
    expect((await call('POST', '/api/users', { body, from: '203.0.113.7' })).status).toBe(200);
    return email;
  }

  const rows = ({ app }: TestApp) => app.server().rows(jobs);

  it('is retried until it accepts the message', async () => {
    const running = await start(await mailServer.listen());
    mailServer.rejection = '450 come back later';
    const email = await signUp(running);
    await running.app.runJobs();
    const [first, ...others] = await rows(running);
    expect(others).toEqual([]);
    expect(first).toMatchObject({ kind: 'mail_welcome', attempts: 1, failed_at: null, locked_until: null });
    expect(first?.last_error).toContain('come back later');
    expect(Date.parse(first?.run_at ?? '')).toBeGreaterThan(clock.time);

    // Not before the backoff.
    await running.app.runJobs();
    expect(mailServer.requestedRecipients).toEqual([email]);

    clock.time += long;
    await running.app.runJobs();
    expect(mailServer.requestedRecipients).toEqual([email, email]);
    expect(await rows(running)).toMatchObject([{ attempts: 2, failed_at: null }]);

    mailServer.rejection = null;
    clock.time += long;
    await running.app.runJobs();
    expect(mailServer.received.map(({ to }) => to)).toEqual([[email]]);
    const link = verifyLink.exec(mailServer.received[0]?.mail.text ?? '')?.[0] ?? '';
    expect((await running.call('GET', new URL(link).pathname)).status).toBe(200);
    expect(await rows(running)).toEqual([]);
  });

  it('leaves a failed job if it never accepts it, which doctor reports', async () => {
    const running = await start(await mailServer.listen());
    mailServer.rejection = '550 no such mailbox';
    const email = await signUp(running);
    // Within the week after which the account is deleted.
    for (let i = 0; i < maxMailAttempts; i++) {
      await running.app.runJobs();
      clock.time += long;
    }
    const left = await rows(running);
    expect(left).toHaveLength(1);
    expect(left[0]?.attempts).toBe(left[0]?.max_attempts);
    expect(left[0]?.failed_at).not.toBeNull();
    expect(mailServer.requestedRecipients).toHaveLength(left[0]?.max_attempts ?? 0);
    const results = await runChecks(running.settings, silent);
    expect(results).toContainEqual({ name: 'jobs', ok: false, message: expect.stringContaining('no such mailbox') });

    // The user can request it again.
    mailServer.rejection = null;
    expect((await running.call('POST', '/api/users/resend_verification', { body: { email } })).status).toBe(200);
    await running.app.runJobs();
    expect(mailServer.received.map(({ to }) => to)).toEqual([[email]]);
  });

  it('is reported without the password if the password is wrong', async () => {
    const running = await start(await mailServer.listen('potager:s3cret-of-the-operator'));
    await signUp(running);
    await running.app.runJobs();
    const [job] = await rows(running);
    expect(job?.last_error).toMatch(/username or password/);
    const results = await runChecks(running.settings, silent);
    expect(results).toContainEqual({ name: 'mail', ok: false, message: expect.any(String) });
    expect(JSON.stringify([job, results])).not.toContain('s3cret');
  });

  it('loses no message while it is unavailable', async () => {
    const url = await mailServer.listen();
    await mailServer.close();
    const running = await start(url);
    await signUp(running);
    await running.app.runJobs();
    expect(await rows(running)).toMatchObject([{ kind: 'mail_welcome', attempts: 1, failed_at: null }]);
  });
});
