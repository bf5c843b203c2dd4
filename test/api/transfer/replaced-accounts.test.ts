import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { jobs } from '../../../src/jobs/job-rows.ts';
import { fixture, sendImport } from '../../support/account-transfer.ts';
import type { Account } from '../../support/app.ts';
import { password, startApp } from '../../support/app.ts';
import { describeEngines } from '../../support/engines.ts';
import { suiteFixture } from '../../support/suite-fixture.ts';

const hour = 3_600_000;
const day = 24 * hour;

describeEngines('the archives of replaced accounts', (engine) => {
  const clock = { time: Date.parse('2026-11-22T10:00:00Z'), now: () => clock.time };
  const server = suiteFixture(
    () => startApp(engine, { HOST: '127.0.0.1', PORT: '0' }, clock),
    (app) => app.close(),
  );
  const folder = () => join(server.settings.DATA_DIR, 'imports-replaced');
  const archives = () => readdirSync(folder()).sort();

  /** Replaces an account and returns the name of its archive. */
  async function replace(account: Account): Promise<string> {
    const document = { ...fixture('plain'), images: [] };
    const headers = { 'x-account-password': password };
    const { status, json, text } = await sendImport(server, account, document, '?mode=replace', headers);
    expect(status, text).toBe(200);
    clock.time += hour;
    return json.back_up.replace('imports-replaced/', '');
  }

  /** Lets days pass, with the jobs that are due then. */
  async function pass(time: number): Promise<void> {
    clock.time += time;
    await server.app.runJobs();
    while ((await server.app.server().count(jobs, { where: { failed_at: null } })) > 0) await server.app.runJobs();
  }

  it('are the newest three of each account, for 30 days', async () => {
    const owner = await server.signUp();
    const others = await replace(await server.signUp());
    const own = [await replace(owner), await replace(owner), await replace(owner)];
    expect(archives()).toEqual([others, ...own].sort());
    own.push(await replace(owner));
    expect(archives()).toEqual([others, ...own.slice(1)].sort());

    writeFileSync(join(folder(), 'notes.txt'), 'of the operator');
    await pass(29 * day);
    expect(archives()).toEqual([others, ...own.slice(1), 'notes.txt'].sort());
    await pass(2 * day);
    expect(archives()).toEqual(['notes.txt']);
  });

  it('are deleted with the account, and not by a reset', async () => {
    const [owner, other] = [await server.signUp(), await server.signUp()];
    const [discarded, kept] = [await replace(owner), await replace(other)];
    await server.call('POST', '/api/device/reset', { token: other.token, body: { password } });
    const { status } = await server.call('DELETE', '/api/users', { token: owner.token, body: { password } });
    expect([status, archives()]).toEqual([200, expect.arrayContaining([discarded, kept])]);
    await expect
      .poll(async () => {
        await server.app.runJobs();
        return archives();
      })
      .not.toContain(discarded);
    expect(archives()).toContain(kept);
  });

  it('are deleted by a start if their account was deleted in between, or if there are more', async () => {
    const owner = await server.signUp();
    const [oldest, kept] = [await replace(owner), await replace(owner)];
    const copy = (device: number, days: number) => {
      const time = new Date(clock.time + days * day).toISOString().replaceAll(/[-:.]/g, '');
      const name = `device-${device}-${time}.zip`;
      writeFileSync(join(folder(), name), '');
      return name;
    };
    const [newer, newest, lost] = [copy(owner.deviceId, 1), copy(owner.deviceId, 2), copy(987654321, 0)];
    await server.app.listen();
    await expect.poll(archives).not.toContain(lost);
    await expect.poll(archives).not.toContain(oldest);
    expect(archives()).toEqual(expect.arrayContaining([kept, newer, newest]));
  });
});
