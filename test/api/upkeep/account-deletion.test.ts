import { beforeAll, expect, it } from 'vitest';
import { tokenIssuances } from '../../../src/accounts/token-issuances.ts';
import { users } from '../../../src/accounts/users.ts';
import type { Event } from '../../../src/core/events.ts';
import { devices } from '../../../src/device/devices.ts';
import type { JobRow } from '../../../src/jobs/job-rows.ts';
import { jobs } from '../../../src/jobs/job-rows.ts';
import { sequencePublications, sequenceVersions } from '../../../src/programs/publications.ts';
import { gardenTables } from '../../../src/upkeep/garden-deletion.ts';
import type { Account, TestResponse } from '../../support/app.ts';
import { password, startApp } from '../../support/app.ts';
import { describeEngines } from '../../support/engines.ts';
import { freePort } from '../../support/free-port.ts';
import { countPendingOf } from '../../support/pending-changes.ts';
import { suiteFixture } from '../../support/suite-fixture.ts';

describeEngines('DELETE /api/users', (engine) => {
  const server = suiteFixture(
    async () => startApp(engine, { MQTT_PORT: String(await freePort()) }),
    (app) => app.close(),
  );
  let events: Event[];
  beforeAll(async () => {
    events = [];
    await server.app.attach((event) => void events.push(event));
  });

  const as = (account: Account, method: string, path: string, body?: unknown): Promise<TestResponse> =>
    server.call(method, path, {
      token: account.token,
      headers: { 'x-farmbot-rpc-id': 'L' },
      ...(body !== undefined && { body }),
    });
  const create = async (account: Account, path: string, body: object): Promise<number> => {
    const response = await as(account, 'POST', `/api/${path}`, body);
    expect(response.status, response.text).toBe(200);
    return response.json.id;
  };
  /** Creates a mounted tool, nested folders, and a published sequence in one of them. */
  async function garden(account: Account) {
    const tool = await create(account, 'tools', { name: 'Trowel' });
    await as(account, 'PATCH', '/api/device', { mounted_tool_id: tool });
    const outer = await create(account, 'folders', { name: 'Outer', color: 'red' });
    const inner = await create(account, 'folders', { name: 'Inner', color: 'red', parent_id: outer });
    const sequence = await create(account, 'sequences', { name: 'Shared', folder_id: inner, body: [] });
    const shared = await as(account, 'POST', `/api/sequences/${sequence}/publish`, { copyright: 'Me' });
    expect(shared.status).toBe(200);
    return { tool, outer, inner, sequence };
  }
  const remove = (account: Account, body: unknown) => as(account, 'DELETE', '/api/users', body);
  const folderParents = async (account: Account) =>
    (await as(account, 'GET', '/api/folders')).json.map((one: { parent_id: number | null }) => one.parent_id);

  it('unmounts the tool and flattens folders immediately, and deletes everything in the background', async () => {
    const account = await server.signUp();
    const { inner, sequence } = await garden(account);
    const installer = await server.signUp();
    const [version] = (await as(account, 'GET', `/api/sequences/${sequence}`)).json.sequence_versions;
    await create(installer, `sequences/${version}/install`, {});
    // Versions that no other garden installed are deleted.
    await as(account, 'POST', `/api/sequences/${sequence}/publish`, { copyright: 'Only mine' });
    const other = await create(account, 'sequences', { name: 'Not installed', body: [] });
    await as(account, 'POST', `/api/sequences/${other}/publish`, { copyright: 'Me' });
    const [own] = (await as(account, 'GET', `/api/sequences/${other}`)).json.sequence_versions;
    await as(account, 'PATCH', `/api/sequences/${other}`, { name: 'Renamed' });
    await create(account, `sequences/${own}/install`, {});
    await server.call('POST', '/api/password_resets', { body: { email: account.email } });
    const { app } = server;
    await app
      .server()
      .update(jobs, { failed_at: '2026-01-01T00:00:00.000Z' }, { where: { kind: 'mail_password_reset' } });
    await expect.poll(() => countPendingOf(app.server(), [account.deviceId])).toBe(0);
    events.length = 0;
    const response = await remove(account, { password });
    expect([response.status, response.json.priority, response.json.handler]).toEqual([200, 0, 'destroy_account']);
    expect(response.text).not.toContain(account.email);

    expect((await as(account, 'GET', '/api/device')).json.mounted_tool_id).toBeNull();
    expect(await folderParents(account)).toEqual([null, null]);
    await expect.poll(() => events.length).toBe(2);
    expect(events.map(({ resource, recordId, label }) => `${resource} ${recordId} ${label}`).sort()).toEqual([
      `Device ${account.deviceId} L`,
      `Folder ${inner} L`,
    ]);

    await app.runJobs();
    expect((await as(account, 'GET', '/api/tools')).status).toBe(401);
    const scope = app.server().device(account.deviceId);
    for (const table of [...gardenTables, tokenIssuances, users, devices])
      expect(await scope.count(table), table.name).toBe(0);
    const [publication] = await app.server().rows(sequencePublications, { where: { author_sequence_id: sequence } });
    expect(publication).toMatchObject({ device_id: null, cached_author_email: '' });
    const versions = { where: { publication_id: publication?.id ?? 0 } };
    expect((await app.server().rows(sequenceVersions, versions)).map(({ id }) => id)).toEqual([version]);
    expect(await app.server().count(sequenceVersions, { where: { id: own } })).toBe(0);
    expect(await app.server().count(sequencePublications, { where: { author_sequence_id: other } })).toBe(0);
    expect((await as(installer, 'GET', '/api/sequences')).json[0]).toMatchObject({ name: 'Shared', copyright: 'Me' });
    expect(JSON.stringify(await app.server().rows(jobs))).not.toContain(account.email);
  });

  it('deletes the jobs of the account, also failed ones, and no others', async () => {
    const [account, other, former] = [await server.signUp(), await server.signUp(), await server.signUp()];
    const scope = server.app.server();
    const put = (kind: string, payload: object, deviceId: number | null, changes: Partial<JobRow> = {}) =>
      scope.insert(jobs, {
        kind,
        payload: { ...payload },
        run_at: '2999-01-01T00:00:00.000Z',
        attempts: 1,
        max_attempts: 4,
        device_id: deviceId,
        ...changes,
      });
    const { deviceId, userId, email } = account;
    const failed = { failed_at: '2026-01-01T00:00:00.000Z', last_error: 'no' };
    const otherDeviceId = other.deviceId;
    const { id: first } = await put('mail_welcome', { user_id: userId }, otherDeviceId, failed);
    await put('account_export_mail', { user_id: userId }, null);
    await put('log_mail', { mail: 'fatal', address: email, deviceName: 'x', lines: [] }, otherDeviceId, failed);
    await put('seed_device', { device_id: deviceId, product_line: 'x' }, deviceId, failed);
    await put('photo_fetch', { device_id: deviceId, id: 5 }, deviceId);
    const kept = [
      await put('mail_welcome', { user_id: Number(`${userId}0`) }, otherDeviceId),
      // Of a user who once shared the device and has another one now.
      await put('account_export_mail', { user_id: former.userId }, deviceId),
      await put('log_mail', { mail: 'fatal', address: `x${email}`, deviceName: 'x', lines: [] }, otherDeviceId),
      await put('seed_device', { device_id: otherDeviceId, product_line: 'x' }, otherDeviceId),
    ];
    // Must still run: the robot has to be notified of the changed password.
    const reset = await put('end_broker_sessions', { device: deviceId, resets_robot: true }, deviceId);
    expect((await remove(account, { password })).status).toBe(200);
    await server.app.runJobs();
    const left = await scope.rows(jobs, { where: { id: { gte: first } } });
    expect(left.map(({ id }) => id)).toEqual([...kept, reset].map(({ id }) => id));
    await scope.delete(jobs, { where: { id: left.map(({ id }) => id) } });
  });

  it('requires the password, and changes nothing without it', async () => {
    const account = await server.signUp();
    const { tool, outer } = await garden(account);
    for (const body of [{}, { password: null }, { password: '' }, { password: 'wrong-password' }]) {
      const response = await remove(account, body);
      expect([response.status, Object.keys(response.json)]).toEqual([422, ['password']]);
    }
    expect((await remove(account, undefined)).json).toHaveProperty('error');
    await server.app.runJobs();
    expect((await as(account, 'GET', '/api/device')).json.mounted_tool_id).toBe(tool);
    expect(await folderParents(account)).toEqual([null, outer]);
  });

  it('does not change a garden that other users share', async () => {
    const account = await server.signUp();
    const other = await server.signUp();
    await server.app.server().update(users, { device_id: account.deviceId }, { where: { id: other.userId } });
    const { tool, outer } = await garden(account);
    const own = await server.call('POST', '/api/tokens', { body: { user: { email: other.email, password } } });
    expect((await remove(account, { password })).status).toBe(200);
    await server.app.runJobs();
    const shared = { ...other, token: own.json.token.encoded };
    expect((await as(shared, 'GET', '/api/device')).json).toMatchObject({
      id: account.deviceId,
      mounted_tool_id: tool,
    });
    expect(await folderParents(shared)).toEqual([null, outer]);
    expect((await as(account, 'GET', '/api/device')).status).toBe(401);
  });

  it('can be requested twice', async () => {
    const account = await server.signUp();
    expect((await remove(account, { user: { password } })).status).toBe(200);
    expect((await remove(account, { password })).status).toBe(200);
    await server.app.runJobs();
    expect(await server.app.server().count(devices, { where: { id: account.deviceId } })).toBe(0);
    expect(await server.app.server().count(jobs, { where: { kind: 'destroy_account' } })).toBe(0);
  });
});
