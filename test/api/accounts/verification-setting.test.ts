import { afterEach, expect, it } from 'vitest';
import { jobs } from '../../../src/jobs/job-rows.ts';
import type { TestApp } from '../../support/app.ts';
import { password, startApp } from '../../support/app.ts';
import { describeEngines } from '../../support/engines.ts';

describeEngines('EMAIL_VERIFICATION', (engine) => {
  let app: TestApp | null = null;
  afterEach(async () => {
    await app?.close();
    app = null;
  });

  /** Signs up and signs in; returns the answer, the status of the sign-in and the jobs that wait. */
  async function firstSignIn(environment: Record<string, string>): Promise<readonly unknown[]> {
    app = await startApp(engine, { EMAIL_VERIFICATION: '', ...environment });
    const email = 'ada@example.com';
    const body = { name: 'Ada', email, password, password_confirmation: password };
    // From the internet: it does not become the administrator.
    const created = await app.call('POST', '/api/users', { body, from: '203.0.113.7' });
    expect(created.status).toBe(200);
    const server = await app.call('GET', '/api/server');
    const { status } = await app.call('POST', '/api/tokens', { body: { user: { email, password } } });
    const mails = (await app.app.server().rows(jobs)).map(({ kind }) => kind).filter((kind) => kind.startsWith('mail'));
    return [created.json.message, status, mails, server.json.verifies_addresses];
  }
  const ready = ['Your account is ready. You can sign in.', 200, [], false];
  const mailed = ['Please check your e-mail: we sent you a link to confirm your address.', 403, ['mail_welcome'], true];
  const smtp = { SMTP_URL: 'smtp://127.0.0.1:1' };

  it('is by default off without a mail server: the first account is confirmed immediately', async () => {
    expect(await firstSignIn({})).toEqual(ready);
  });

  it('is by default required with a mail server', async () => {
    expect(await firstSignIn(smtp)).toEqual(mailed);
  });

  it('can be required without a mail server', async () => {
    expect(await firstSignIn({ EMAIL_VERIFICATION: 'required' })).toEqual(mailed);
  });

  it('can be off with a mail server', async () => {
    expect(await firstSignIn({ EMAIL_VERIFICATION: 'off', ...smtp })).toEqual(ready);
  });
});
