import { pino } from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { tokenIssuances } from '../../../src/accounts/token-issuances.ts';
import type { UserRow } from '../../../src/accounts/users.ts';
import { users } from '../../../src/accounts/users.ts';
import { createApp } from '../../../src/app.ts';
import { timestamp } from '../../../src/core/clock.ts';
import type { DeviceRow } from '../../../src/device/devices.ts';
import { devices } from '../../../src/device/devices.ts';
import { jobs } from '../../../src/jobs/job-rows.ts';
import type { Account, TestApp } from '../../support/app.ts';
import { password, startApp } from '../../support/app.ts';
import { describeEngines, itAnyEngine } from '../../support/engines.ts';
import { MailServer } from '../../support/mail-server.ts';

const start = Date.UTC(2026, 10, 21, 12);
const minute = 60_000;
const day = 86_400_000;
/** Two months and 15 days, and 29 months and 15 days, before the start. */
const twoMonths = Date.UTC(2026, 8, 6, 12);
const longPeriod = Date.UTC(2024, 5, 6, 12);
/** Long before either of them. */
const once = Date.UTC(2020, 0, 1);

describeEngines('an inactive account', (engine) => {
  const clock = { time: start, now: () => clock.time };
  let mails: MailServer;
  let server: TestApp;
  let environment: Record<string, string>;

  beforeEach(async () => {
    clock.time = start - day;
    mails = new MailServer();
    environment = { INACTIVE_ACCOUNTS: 'delete', SMTP_URL: await mails.listen(), PUBLIC_URL: 'https://garden.example' };
    server = await startApp(engine, environment, clock);
  });
  afterEach(async () => {
    await server.close();
    await mails.close();
  });

  /** Creates an account without any activity except the given one. */
  async function account(user: Partial<UserRow> = {}, device: Partial<DeviceRow> = {}): Promise<Account> {
    const created = await server.signUp();
    const scope = server.app.server();
    const past = timestamp(once);
    const activity = { created_at: past, current_sign_in_at: null, last_sign_in_at: null, ...user };
    await scope.update(users, activity, { where: { id: created.userId } });
    await scope.device(created.deviceId).update(devices, device, {});
    await scope.update(tokenIssuances, { created_at: past }, { where: { device_id: created.deviceId } });
    return created;
  }
  const read = async ({ userId }: Account): Promise<UserRow | undefined> =>
    server.app.server().first(users, { where: { id: userId } });
  const warnedAt = async (one: Account) => (await read(one))?.inactivity_warning_sent_at;
  const isThere = async (one: Account) => (await read(one)) !== undefined;
  /** Runs pending jobs, including the daily check. */
  async function runAt(time: number): Promise<void> {
    clock.time = time;
    await server.app.runJobs();
  }
  const addressees = () => mails.received.flatMap(({ to }) => to);

  it('is warned by mail, and deleted more than 14 days after the mail server accepted it', async () => {
    const idle = await account();
    const busy = await account({ current_sign_in_at: timestamp(start - day) });
    await runAt(start - 1);
    expect(addressees()).toEqual([]);
    await runAt(start);
    expect(addressees()).toEqual([idle.email]);
    const mail = mails.received[0]?.mail ?? expect.unreachable();
    expect(mail.subject).toContain('will be deleted');
    for (const text of [mail.text, mail.html]) {
      expect(text).toContain(idle.email);
      expect(text).toContain('6 years');
      expect(text).toContain('14 days');
      expect(text).toContain('https://garden.example/logout');
    }
    expect(await warnedAt(idle)).toBe(timestamp(start));
    expect(await warnedAt(busy)).toBeNull();

    // Checked daily; "more than 14 days" is the 15th check.
    for (const days of [1, 2, 13, 14]) await runAt(start + days * day);
    expect(await isThere(idle)).toBe(true);
    expect(addressees()).toEqual([idle.email]);
    await runAt(start + 15 * day);
    expect(await isThere(idle)).toBe(false);
    expect(await server.app.server().count(devices, { where: { id: idle.deviceId } })).toBe(0);
    expect((await server.call('GET', '/api/device', { token: idle.token })).status).toBe(401);
    expect(await isThere(busy)).toBe(true);
    expect(await server.app.server().count(jobs)).toBe(0);
  });

  it('has exactly 14 days of notice', async () => {
    const idle = await account();
    await runAt(start);
    expect(await warnedAt(idle)).toBe(timestamp(start));
    await runAt(start + 14 * day);
    expect(await isThere(idle)).toBe(true);
    const late = await account({ inactivity_warning_sent_at: timestamp(start + day - 1) });
    const later = await account({ inactivity_warning_sent_at: timestamp(start + day) });
    await runAt(start + 15 * day);
    expect([await isThere(idle), await isThere(late), await isThere(later)]).toEqual([false, false, true]);
  });

  it('is warned once if several processes run', async () => {
    const idle = [await account(), await account(), await account(), await account()];
    const other = await createApp(server.settings, { clock, logger: pino({ level: 'silent' }) });
    try {
      clock.time = start;
      const run = () => Promise.all([server.app.runJobs(), other.runJobs()]);
      await run();
      await run();
      expect(addressees().sort()).toEqual(idle.map(({ email }) => email).sort());
      clock.time = start + 15 * day;
      await run();
      await run();
      // On SQLite, a process sees another's last commit in the next turn of the event loop.
      await expect.poll(() => server.app.server().count(users)).toBe(0);
      expect(addressees()).toHaveLength(idle.length);
      await expect.poll(() => server.app.server().count(jobs)).toBe(0);
    } finally {
      await other.close();
    }
  });

  it('has been inactive for more than 2 months and 15 days', async () => {
    const at = (time: number) => timestamp(time);
    const old = [
      await account({ created_at: at(twoMonths - 1) }),
      await account({ last_sign_in_at: at(twoMonths - 1) }),
      await account({ current_sign_in_at: at(twoMonths - 1), last_sign_in_at: at(twoMonths - 2) }),
      await account({}, { last_saw_api: at(twoMonths - 1) }),
      await account({}, { last_saw_broker: at(twoMonths - 1) }),
    ];
    const recent = [
      await account({ created_at: at(twoMonths) }),
      await account({ last_sign_in_at: at(twoMonths) }),
      await account({ current_sign_in_at: at(twoMonths), last_sign_in_at: at(once) }),
      await account({}, { last_saw_api: at(twoMonths) }),
      await account({}, { last_saw_broker: at(twoMonths) }),
      await account(),
    ];
    const last = recent.at(-1) ?? expect.unreachable();
    await server.app
      .server()
      .update(tokenIssuances, { created_at: at(twoMonths) }, { where: { device_id: last.deviceId } });
    await runAt(start);
    expect(addressees().sort()).toEqual(old.map(({ email }) => email).sort());
    for (const one of recent) expect(await warnedAt(one)).toBeNull();
  });

  it('has been inactive for more than 29 months and 15 days if it has a robot', async () => {
    const robot = { fbos_version: '15.4.6' };
    const old = await account({}, { ...robot, last_saw_api: timestamp(longPeriod - 1) });
    const recent = await account({}, { ...robot, last_saw_api: timestamp(longPeriod) });
    const connected = await account({}, { ...robot, last_saw_broker: timestamp(longPeriod) });
    await runAt(start);
    expect(addressees()).toEqual([old.email]);
    await runAt(start + 15 * day);
    expect([await isThere(old), await isThere(recent), await isThere(connected)]).toEqual([false, true, true]);
  });

  itAnyEngine('is not deleted if the mail server rejects the warning', async () => {
    mails.rejection = '550 no such mailbox';
    const idle = await account();
    for (let days = 0; days <= 40; days++) await runAt(start + days * day);
    expect(await warnedAt(idle)).toBeNull();
    expect(mails.received).toEqual([]);
    // Eight attempts, then again a month later, not daily.
    const attempts = mails.requestedRecipients.length;
    expect(attempts).toBeGreaterThan(8);
    expect(attempts).toBeLessThanOrEqual(16);
    expect(await server.app.server().count(jobs, { where: { failed_at: { not: null } } })).toBeLessThanOrEqual(1);
  });

  itAnyEngine('has its notice period from when the mail was accepted, not from the first attempt', async () => {
    mails.rejection = '450 come again later';
    const idle = await account();
    for (let days = 0; days <= 3; days++) await runAt(start + days * day);
    expect(await warnedAt(idle)).toBeNull();
    mails.rejection = null;
    const taken = start + 4 * day;
    await runAt(taken);
    expect(await warnedAt(idle)).toBe(timestamp(taken));
    await runAt(start + 18 * day);
    expect(await isThere(idle)).toBe(true);
    await runAt(start + 19 * day);
    expect(await isThere(idle)).toBe(false);
  });

  itAnyEngine('is kept if its owner signs in once', async () => {
    const idle = await account();
    await runAt(start);
    clock.time = start + 14 * day;
    const user = { email: idle.email, password };
    const session = await server.call('POST', '/api/tokens', { body: { user } });
    expect([session.status, session.json.user.inactivity_warning_sent_at]).toEqual([200, null]);
    for (let days = 15; days <= 60; days += 5) await runAt(start + days * day);
    expect(await isThere(idle)).toBe(true);
    expect(addressees()).toEqual([idle.email]);
    // It is warned again when it is inactive again.
    await runAt(start + 100 * day);
    expect(addressees()).toEqual([idle.email, idle.email]);
  });

  it.each([
    ['the API sees the robot', (time: string) => ({ last_saw_api: time })],
    ['a client signs in at the broker', (time: string) => ({ last_saw_broker: time })],
  ])('is kept if %s', async (_what, seen) => {
    const idle = await account();
    await runAt(start);
    const seenLater = seen(timestamp(start + 10 * day));
    await server.app.server().device(idle.deviceId).update(devices, seenLater, {});
    await runAt(start + 15 * day);
    expect([await isThere(idle), await warnedAt(idle)]).toEqual([true, null]);
    await runAt(start + 60 * day);
    expect([await isThere(idle), addressees().length]).toEqual([true, 1]);
  });

  it('is kept if its owner uses an old token, which is recorded in memory only', async () => {
    const idle = await account();
    await runAt(start);
    clock.time = start + 15 * day;
    expect((await server.call('GET', '/api/tools', { token: idle.token })).status).toBe(200);
    await server.app.runJobs();
    expect([await isThere(idle), await warnedAt(idle)]).toEqual([true, null]);
  });

  itAnyEngine('is kept, and warned again later, if its last activity is less than three months ago', async () => {
    // Warned on 21 November; on 6 December the activity of 6 September is three months old.
    const warnedAgain = await account({ last_sign_in_at: timestamp(twoMonths - 1) });
    await runAt(start);
    expect(addressees()).toEqual([warnedAgain.email]);
    clock.time = start + 14 * day + minute;
    await server.app.runJobs();
    // The check of the 14th day ran a minute after the notice period ended.
    expect([await isThere(warnedAgain), await warnedAt(warnedAgain)]).toEqual([true, null]);
    await runAt(start + 15 * day);
    expect(addressees()).toEqual([warnedAgain.email, warnedAgain.email]);
    await runAt(start + 31 * day);
    expect(await isThere(warnedAgain)).toBe(false);
  });

  it('is not deleted if it is the publisher or a demo account', async () => {
    await server.close();
    server = await startApp(engine, { ...environment, PUBLISHER: 'Publisher@Example.com' }, clock);
    const publisher = await account({ email: 'publisher@example.com' });
    const guest = await account({ email: 'guest_abcdefghij012345@farmbot.guest' });
    const idle = await account();
    await runAt(start);
    expect(addressees()).toEqual([idle.email]);
    const warned = { inactivity_warning_sent_at: timestamp(once) };
    for (const { userId } of [publisher, guest])
      await server.app.server().update(users, warned, { where: { id: userId } });
    await runAt(start + 15 * day);
    expect([await isThere(publisher), await isThere(guest), await isThere(idle)]).toEqual([true, true, false]);
  });

  it('is deleted without its shared device, and is active while the device is', async () => {
    const owner = await account({ current_sign_in_at: timestamp(start) });
    const idle = await account({ device_id: owner.deviceId });
    await runAt(start);
    expect(addressees()).toEqual([idle.email]);
    await runAt(start + 15 * day);
    expect([await isThere(owner), await isThere(idle)]).toEqual([true, false]);
    expect((await server.call('GET', '/api/device', { token: owner.token })).status).toBe(200);
    // Requests of the robot keep all users of its device.
    const third = await account({ device_id: owner.deviceId });
    await server.app
      .server()
      .device(owner.deviceId)
      .update(devices, { last_saw_api: timestamp(clock.time) }, {});
    await runAt(start + 16 * day);
    expect(await warnedAt(third)).toBeNull();
  });

  itAnyEngine('is kept unless the operator enables deletion and mails can be sent', async () => {
    const { SMTP_URL, ...without } = environment;
    for (const other of [{ ...environment, INACTIVE_ACCOUNTS: 'keep' }, without]) {
      await server.close();
      clock.time = start - day;
      server = await startApp(engine, other, clock);
      const idle = await account();
      const warned = await account({ inactivity_warning_sent_at: timestamp(once) });
      for (let days = 0; days <= 20; days += 5) await runAt(start + days * day);
      expect([await isThere(idle), await warnedAt(idle)]).toEqual([true, null]);
      expect(await isThere(warned)).toBe(true);
    }
    expect(SMTP_URL).toContain('smtp://');
    expect(mails.requestedRecipients).toEqual([]);
  });
});
