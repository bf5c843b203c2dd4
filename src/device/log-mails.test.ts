import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Account, TestApp } from '../../test/support/app.ts';
import { startApp } from '../../test/support/app.ts';
import { describeAnyEngine, describeEngines, itAnyEngine } from '../../test/support/engines.ts';
import { MailServer } from '../../test/support/mail-server.ts';
import { users } from '../accounts/users.ts';
import { jobs } from '../jobs/job-rows.ts';
import { devices } from './devices.ts';
import { digestTime, fatalErrorJob, logDigestJob, logMailJob } from './log-mails.ts';
import { logs } from './logs.ts';

const start = Date.UTC(2026, 0, 2, 4);
/** Longer than any backoff and any digest interval. */
const long = 20 * 3600_000;
const clock = { time: start, now: () => clock.time };

describeAnyEngine('a digest', () => {
  it('is mailed just after each ten minutes', () => {
    expect(digestTime(Date.UTC(2026, 0, 1, 10, 3, 20))).toBe('2026-01-01T10:10:05.000Z');
    expect(digestTime(Date.UTC(2026, 0, 1, 10, 10))).toBe('2026-01-01T10:20:05.000Z');
  });
});

describeEngines('mails of logs', (engine) => {
  let mailServer: MailServer;
  let server: TestApp;
  let owner: Account;

  beforeEach(async () => {
    clock.time = start;
    mailServer = new MailServer();
    const SMTP_URL = await mailServer.listen();
    server = await startApp(engine, { SMTP_URL, HOST: '127.0.0.1', PORT: '0' }, clock);
    owner = await server.signUp();
  });
  afterEach(async () => {
    await server.close();
    await mailServer.close();
  });

  const post = async (message: string, channels: string[], more: object = {}) => {
    const body = { message, channels, ...more };
    const { status, text } = await server.call('POST', '/api/logs', { token: owner.token, body });
    expect(status, text).toBe(200);
  };
  const waiting = (kind: string) =>
    server.app.server().rows(jobs, { where: { kind, device_id: owner.deviceId, failed_at: null } });
  const mails = (address = owner.email) =>
    mailServer.received.filter(({ to }) => to.includes(address)).map(({ mail }) => mail.text ?? '');
  /** Returns the number of mails with each message. */
  const counts = (messages: readonly string[], address = owner.email) =>
    messages.map((message) => mails(address).join('\n').split(`]: ${message}\n`).length - 1);

  async function secondOwner(): Promise<string> {
    const { email, userId } = await server.signUp();
    await server.app.server().update(users, { device_id: owner.deviceId }, { where: { id: userId } });
    return email;
  }

  it('are sent immediately for errors, together and once', async () => {
    await server.call('PATCH', '/api/device', {
      token: owner.token,
      body: { name: 'Gertrude', timezone: 'Asia/Tokyo' },
    });
    await post('first', ['fatal_email'], { created_at: Date.UTC(2026, 0, 2, 3, 4) / 1000 });
    await post('second', ['toast', 'fatal_email', 'email'], { created_at: Date.UTC(2026, 0, 2, 3, 5) / 1000 });
    expect(await waiting(fatalErrorJob)).toHaveLength(1);
    await server.app.runJobs();
    expect(mails()).toEqual([
      'Gertrude reported an error that needs your attention:\n\n' +
        '[2026-01-02 12:05 PM]: second\n[2026-01-02 12:04 PM]: first\n',
    ]);
    expect(mailServer.received[0]?.mail.subject).toContain('Gertrude');

    await post('third', ['fatal_email']);
    await server.app.runJobs();
    expect(mails()[1]).toContain('third');
    expect(mails()[1]).not.toContain('second');
    clock.time += long;
    await server.app.runJobs();
    expect(mails()).toHaveLength(2);
    expect(await server.app.server().rows(jobs)).toEqual([]);
  });

  it('are sent once for concurrent errors', async () => {
    await server.app.listen();
    const messages = ['north', 'east', 'south', 'west'];
    for (let round = 0; round < 5; round++) {
      const sent = messages.map((message) => `${message} ${round}`);
      await Promise.all(sent.map((message) => post(message, ['fatal_email'])));
      await expect.poll(() => counts(sent)).toEqual([1, 1, 1, 1]);
    }
    await expect.poll(async () => (await server.app.server().rows(jobs)).length).toBe(0);
    for (let round = 0; round < 5; round++)
      expect(counts(messages.map((message) => `${message} ${round}`))).toEqual([1, 1, 1, 1]);
  });

  it('are retried only for the owner whose address was rejected', async () => {
    const other = await secondOwner();
    mailServer.rejections.set(other, '450 come back later');
    await post('stuck', ['fatal_email']);
    for (let i = 0; i < 3; i++) {
      await server.app.runJobs();
      clock.time += long;
    }
    expect(mailServer.requestedRecipients.filter((address) => address === owner.email)).toHaveLength(1);
    expect(mailServer.requestedRecipients.filter((address) => address === other)).toHaveLength(3);
    expect(counts(['stuck'])).toEqual([1]);

    // The mail outlives the log.
    await server.call('DELETE', '/api/logs/all', { token: owner.token });
    mailServer.rejections.clear();
    await server.app.runJobs();
    expect([counts(['stuck']), counts(['stuck'], other)]).toEqual([[1], [1]]);
    expect(await server.app.server().rows(jobs)).toEqual([]);
  });

  itAnyEngine('are kept with their content if they fail permanently', async () => {
    const other = await secondOwner();
    mailServer.rejections.set(other, '550 no such mailbox');
    await post('lost?', ['fatal_email']);
    for (let i = 0; i < 12; i++) {
      await server.app.runJobs();
      clock.time += long;
    }
    const left = await server.app.server().rows(jobs);
    expect(left).toMatchObject([
      { kind: logMailJob, failed_at: expect.any(String), last_error: expect.stringContaining('no such mailbox') },
    ]);
    expect(left[0]?.attempts).toBe(left[0]?.max_attempts);
    expect(JSON.stringify(left[0]?.payload)).toContain('lost?');
    expect(left[0]?.payload.address).toBe(other);

    // Later mails are not blocked.
    await post('next', ['fatal_email']);
    await server.app.runJobs();
    expect(counts(['lost?', 'next'])).toEqual([1, 1]);
  });

  it('are collected for ten minutes into one job and one mail', async () => {
    for (const message of ['one', 'two', 'three']) await post(message, ['email']);
    expect(await waiting(logDigestJob)).toMatchObject([{ run_at: '2026-01-02T04:10:05.000Z' }]);
    await server.app.runJobs();
    expect(mails()).toEqual([]);
    clock.time += 605_000;
    await server.app.runJobs();
    expect(mails()).toHaveLength(1);
    expect(mails()[0]).toMatch(/three[\s\S]*two[\s\S]*one/);

    await post('four', ['email']);
    expect(await waiting(logDigestJob)).toMatchObject([{ run_at: '2026-01-02T04:20:05.000Z' }]);
    clock.time += 600_000;
    await server.app.runJobs();
    expect(mails()).toHaveLength(2);
    expect(mails()[1]).toMatch(/four/);
    expect(mails()[1]).not.toMatch(/three/);
  });

  it('contain up to a thousand logs; the rest follows', async () => {
    const scope = server.app.server().device(owner.deviceId);
    // More logs than in one mail are kept, so that none is trimmed first.
    await scope.update(devices, { max_log_count: 2000 }, {});
    const line = { type: 'info', verbosity: 1, mail: 'digest' } as const;
    await scope.transaction(async (inner) => {
      const rows = Array.from({ length: 1001 }, (_, index) => ({
        ...line,
        channels: ['email'],
        message: `message ${index + 1}`,
      }));
      await inner.insertAll(logs, rows);
    });
    await post('the last', ['email']);
    clock.time += long;
    await server.app.runJobs();
    const [first = '', second = '', ...others] = mails().map((text) => text.match(/\]: .*/g) ?? []);
    expect(others).toEqual([]);
    expect([first.length, first[0], first.at(-1)]).toEqual([1000, ']: the last', ']: message 3']);
    expect(second).toEqual([']: message 2', ']: message 1']);
  });

  it('are deleted with the device', async () => {
    mailServer.rejection = '450 come back later';
    await post('soon deleted', ['fatal_email']);
    await server.app.runJobs();
    await post('soon deleted', ['email']);
    expect(await server.app.server().rows(jobs)).toHaveLength(2);
    expect((await server.call('DELETE', '/api/device', { token: owner.token })).status).toBe(200);
    const left = await server.app.server().rows(jobs);
    expect(left.map(({ kind }) => kind)).toEqual(['device_photos_removal', 'replaced_account_removal']);
  });
});
