import { constants, publicEncrypt } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { users } from '../../../src/accounts/users.ts';
import { recordBackup } from '../../../src/core/last-backup.ts';
import { jobs } from '../../../src/jobs/job-rows.ts';
import type { Account } from '../../support/app.ts';
import { password, suiteApp } from '../../support/app.ts';
import { describeEngines } from '../../support/engines.ts';

const robot = { 'user-agent': 'FARMBOTOS/16.0.0 (RPI3) RPI3' };

describeEngines('administration over HTTP', (engine) => {
  const clock = { offset: 0, now: () => Date.now() + clock.offset };
  const folder = mkdtempSync(join(tmpdir(), 'potager-administration-'));
  const server = suiteApp(engine, { DATA_DIR: folder }, clock);
  let admin: Account;
  let bob: Account;
  beforeAll(async () => {
    admin = await server.signUp();
    bob = await server.signUp();
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const call = (method: string, path: string, body?: unknown, token = admin.token) =>
    server.call(method, path, { token, ...(body !== undefined && { body }) });
  const signIn = (account: Account, headers = {}) =>
    server.call('POST', '/api/tokens', { body: { user: { email: account.email, password } }, headers });

  it('is for administrators, signed in as people', async () => {
    const refusal = { error: expect.stringContaining('administrators') };
    const temporary = (await call('POST', '/api/tokens/temporary')).json.token.encoded;
    const ofRobot = (await signIn(admin, robot)).json.token.encoded;
    for (const token of [bob.token, temporary, ofRobot])
      for (const [method, path] of [
        ['GET', '/api/admin/users'],
        ['GET', `/api/admin/users/${bob.userId}`],
        ['DELETE', `/api/admin/users/${bob.userId}`],
        ['PATCH', '/api/admin/server'],
      ] as const) {
        const reply = await call(method, path, method === 'PATCH' ? {} : undefined, token);
        expect([reply.status, reply.json], path).toEqual([403, refusal]);
      }
    expect((await server.call('GET', '/api/admin/users')).status).toBe(401);
    expect((await call('GET', '/api/admin/users')).status).toBe(200);
  });

  it('needs the password for changes an hour after the sign-in', async () => {
    const { userId: id } = await server.signUp();
    const path = `/api/admin/users/${id}`;
    clock.offset += 3_600_000;
    const refusal = await call('PATCH', path, { confirmed: true });
    // The console asks for the password where the sentence names the field.
    expect([refusal.status, refusal.json]).toEqual([403, { error: expect.stringContaining('`password`') }]);
    expect((await call('DELETE', path)).status).toBe(403);
    expect((await call('DELETE', path, { password: 'wrong-password' })).json).toEqual({ password: expect.any(String) });
    expect((await call('GET', path)).status).toBe(200);
    expect((await call('DELETE', path, { password })).status).toBe(200);
    expect((await call('GET', path)).json).toEqual({ error: 'User not found.' });
    admin = { ...admin, token: (await signIn(admin)).json.token.encoded };
    bob = { ...bob, token: (await signIn(bob)).json.token.encoded };
  });

  it('finds users by part of their name or address, in pages', async () => {
    const cleo = await server.signUp();
    await call('PATCH', '/api/users', { name: 'Cleo 100%_|' }, cleo.token);
    const found = async (search: string): Promise<number[]> =>
      (await call('GET', `/api/admin/users?search=${encodeURIComponent(search)}`)).json.map(
        ({ id }: { id: number }) => id,
      );
    expect(await found('cleo')).toEqual([cleo.userId]);
    expect(await found('0%_|')).toEqual([cleo.userId]);
    expect(await found('c_eo')).toEqual([]);
    for (const [name, sought] of [
      ['Élodie', 'elodie'],
      ['JÜRGEN', 'jürgen'],
      ['İpek', 'ipek'],
      ['Ipek', 'İPEK'],
      ['ก้อง', 'ก้อง'],
      ['हिन्दी', 'हिन्दी'],
      ['ガブ', 'ガブ'],
      ['مُحَمَّد', 'مُحَمَّد'],
      ['Åsa'.normalize('NFD'), 'Åsa'.normalize('NFC')],
    ] as const) {
      await call('PATCH', '/api/users', { name }, cleo.token);
      expect(await found(sought), name).toEqual([cleo.userId]);
    }
    await call('PATCH', '/api/users', { name: 'Cleo 100%_|' }, cleo.token);
    expect(await found(bob.email.toUpperCase())).toEqual([bob.userId]);
    expect(await found('cl\0eo')).toEqual([cleo.userId]);
    expect(await found('')).toEqual([admin.userId, bob.userId, cleo.userId]);
    expect(await found('\0')).toEqual([admin.userId, bob.userId, cleo.userId]);
    const page = await call('GET', '/api/admin/users?page=2&per=2');
    expect(page.json.map(({ id }: { id: number }) => id)).toEqual([cleo.userId]);
    expect(page.headers['x-total-count']).toBe('3');
    expect(page.json[0]).toMatchObject({
      name: 'Cleo 100%_|',
      email: cleo.email,
      device_id: cleo.deviceId,
      admin: false,
      demo: false,
      confirmed_at: expect.any(String),
      disabled_at: null,
      last_sign_in_at: expect.any(String),
    });
    expect((await call('GET', '/api/admin/users?page=1&per=100000')).headers.link).toContain('per=1000');
    expect((await call('GET', '/api/admin/users/x')).status).toBe(404);
  });

  it('confirms an address, once and for all', async () => {
    await server.app.server().update(users, { confirmed_at: null }, { where: { id: bob.userId } });
    const path = `/api/admin/users/${bob.userId}`;
    expect((await call('GET', path)).json.confirmed_at).toBeNull();
    const { confirmed_at } = (await call('PATCH', path, { confirmed: true })).json;
    expect(confirmed_at).toEqual(expect.any(String));
    expect((await call('PATCH', path, { confirmed: true })).json.confirmed_at).toBe(confirmed_at);
    expect((await call('PATCH', path, { confirmed: false })).json).toEqual({ confirmed: expect.any(String) });
    expect((await call('PATCH', path, { disabled: [] })).json).toEqual({ disabled: expect.any(String) });
  });

  it('disables a user, who cannot sign in, and whose sessions have ended', async () => {
    const path = `/api/admin/users/${bob.userId}`;
    const ofRobot = (await signIn(bob, robot)).json.token.encoded;
    const script = { name: 'Script', scopes: ['read'] };
    const ofScript = (await call('POST', '/api/personal_tokens', script, bob.token)).json.token;
    expect((await call('GET', '/api/points', undefined, ofScript)).status).toBe(200);
    const { disabled_at } = (await call('PATCH', path, { disabled: true })).json;
    expect(disabled_at).toEqual(expect.any(String));
    expect((await call('PATCH', path, { disabled: true })).json.disabled_at).toBe(disabled_at);
    for (const token of [bob.token, ofRobot, ofScript])
      expect((await call('GET', '/api/points', undefined, token)).status).toBe(401);
    const refusal = { status: 403, json: { error: expect.stringContaining('disabled') } };
    expect(await signIn(bob)).toMatchObject(refusal);
    expect(await signIn(bob, robot)).toMatchObject(refusal);
    const key = (await server.call('GET', '/api/public_key')).text;
    const secret = publicEncrypt(
      { key, padding: constants.RSA_PKCS1_PADDING },
      Buffer.from(JSON.stringify({ email: bob.email, password })),
    ).toString('base64');
    const byCredentials = await server.call('POST', '/api/tokens', { body: { user: { credentials: secret } } });
    expect(byCredentials).toMatchObject(refusal);
    // A caller without the password does not learn it.
    const wrong = { user: { email: bob.email, password: 'wrong-password' } };
    expect((await server.call('POST', '/api/tokens', { body: wrong })).status).toBe(422);
    const sessions = await server.app.operations.sessions();
    await expect(sessions.create(bob.email, { isRobot: false })).rejects.toThrow('disabled');
    expect((await call('PATCH', path, { disabled: false })).json.disabled_at).toBeNull();
    const again = await signIn(bob);
    expect(again.status).toBe(200);
    bob = { ...bob, token: again.json.token.encoded };
    expect((await call('GET', '/api/device', undefined, bob.token)).json.id).toBe(bob.deviceId);
  });

  it('deletes a user with the garden, but not the administrator who asks', async () => {
    const { userId, deviceId } = await server.signUp();
    for (const [method, body] of [
      ['DELETE', undefined],
      ['PATCH', { disabled: true }],
    ] as const)
      expect((await call(method, `/api/admin/users/${admin.userId}`, body)).status).toBe(422);
    expect((await call('DELETE', `/api/admin/users/${userId}`)).status).toBe(200);
    expect((await call('DELETE', `/api/admin/users/${userId}`)).status).toBe(404);
    expect(await server.app.server().count(users, { where: { device_id: deviceId } })).toBe(0);
  });

  it('shows and changes the limits of a garden', async () => {
    const path = `/api/admin/users/${bob.userId}/quotas`;
    const before = (await call('GET', path)).json;
    expect(before.photos).toEqual({ used: 0, limit: 20_000 });
    const changed = await call('PATCH', path, { photos: 5, tokens: 2 });
    expect(changed.json).toMatchObject({ photos: { used: 0, limit: 5 }, tokens: { limit: 2 } });
    expect((await call('GET', '/api/usage', undefined, bob.token)).json).toEqual(changed.json);
    expect((await call('PATCH', path, { photos: -1, tokens: 'many' })).json).toEqual({
      photos: expect.any(String),
      tokens: expect.any(String),
    });
    expect((await call('PATCH', path, { photos: null, tokens: null })).json).toEqual(before);
  });

  it('shows and changes how much a garden may have, within declared limits', async () => {
    const { userId, token } = await server.signUp();
    const path = `/api/admin/users/${userId}/limits`;
    const usual = { points: 1000, sequences: 75, steps: 30 };
    expect((await call('GET', path)).json).toEqual(usual);
    const changed = await call('PATCH', path, { points: 2, sequences: 1, steps: 2 });
    expect(changed.json).toEqual({ points: 2, sequences: 1, steps: 2 });

    const point = (x: number) => call('POST', '/api/points', { pointer_type: 'Weed', name: 'Nettle', x, y: 1 }, token);
    expect([(await point(1)).status, (await point(2)).status]).toEqual([200, 200]);
    expect((await point(3)).json).toEqual({ point_limit: expect.stringContaining('at most 2 points') });
    const wait = { kind: 'wait', args: { milliseconds: 1 } };
    const program = (name: string, steps: number) =>
      call('POST', '/api/sequences', { name, body: Array.from({ length: steps }, () => wait) }, token);
    expect((await program('Long', 3)).json).toEqual({ step_count: expect.stringContaining('2') });
    expect((await program('Short', 2)).status).toBe(200);
    expect((await program('Second', 1)).json).toEqual({ sequence_count: expect.stringContaining('at most 1') });

    expect((await call('PATCH', path, { points: 5001, sequences: 0, steps: 1.5 })).json).toEqual({
      points: expect.any(String),
      sequences: expect.any(String),
      steps: expect.any(String),
    });
    expect((await call('PATCH', path, { points: 3, sequences: 2 }, token)).status).toBe(403);
    const all = { points: null, sequences: null, steps: null };
    expect((await call('PATCH', path, all)).json).toEqual(usual);
    expect([(await point(3)).status, (await program('Second', 1)).status]).toEqual([200, 200]);
  });

  it('shows the state of the server', async () => {
    const { json } = await call('GET', '/api/admin/server');
    expect(json).toMatchObject({
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      node: process.versions.node,
      database: { engine: engine === 'sqlite' ? 'sqlite' : 'postgresql', bytes: expect.any(Number) },
      jobs: { dead: 0 },
      broker: null,
      last_backup_at: null,
      sign_up: 'open',
      sign_up_setting: 'open',
    });
    expect(json.users).toBe(await server.app.server().count(users));
    expect(json.database.bytes).toBeGreaterThan(100_000);
    expect(json.disk.total).toBeGreaterThan(json.disk.free);
    const at = Date.UTC(2026, 3, 1);
    await recordBackup(folder, { now: () => at });
    expect((await call('GET', '/api/admin/server')).json.last_backup_at).toBe('2026-04-01T00:00:00.000Z');
    // A folder that cannot be written keeps no record.
    const file = join(folder, 'file');
    writeFileSync(file, '');
    await recordBackup(file, clock);
  });

  it('closes and opens sign-up, over the setting', async () => {
    const signUp = () =>
      server.signUp().then(
        () => 200,
        (error: unknown) => Number(/sign-up: (\d+)/.exec(String(error))?.[1]),
      );
    const shown = async () => {
      const { json } = await server.call('GET', '/api/server');
      const demo = await server.call('POST', '/api/demo_gardens', { body: { product_line: 'none' } });
      return [json.sign_up, json.demo_gardens, demo.status];
    };
    expect((await call('PATCH', '/api/admin/server', { sign_up: 'closed' })).json).toMatchObject({
      sign_up: 'closed',
      sign_up_setting: 'open',
    });
    expect(await signUp()).toBe(403);
    expect(await shown()).toEqual(['closed', false, 404]);
    expect((await call('PATCH', '/api/admin/server', {})).json.sign_up).toBe('closed');
    expect((await call('PATCH', '/api/admin/server', { sign_up: 'maybe' })).json).toEqual({
      sign_up: expect.any(String),
    });
    expect((await call('PATCH', '/api/admin/server', { sign_up: null })).json.sign_up).toBe('open');
    expect(await signUp()).toBe(200);
    expect(await shown()).toEqual(['open', true, 200]);
    const demos = (demo_accounts: unknown) => call('PATCH', '/api/admin/server', { demo_accounts });
    expect((await demos(false)).json).toMatchObject({ demo_accounts: false, demo_accounts_setting: null });
    expect(await shown()).toEqual(['open', false, 404]);
    expect((await demos('maybe')).json).toEqual({ demo_accounts: expect.any(String) });
    expect((await demos(null)).json).toMatchObject({ demo_accounts: true });
    expect(await shown()).toEqual(['open', true, 200]);
  });

  it('lists and retries jobs that failed permanently, without their content', async () => {
    const failed = {
      kind: 'mail_welcome',
      payload: { user_id: 0, email: 'secret@example.com' },
      attempts: 4,
      max_attempts: 4,
      run_at: '2026-04-01T00:00:00.000Z',
      failed_at: '2026-04-01T00:00:00.000Z',
      last_error: 'refused',
    };
    const rows = await server.app.server().insertAll(jobs, [failed, failed, failed]);
    const list = await call('GET', '/api/admin/jobs');
    expect(list.json.map(({ id }: { id: number }) => id)).toEqual(rows.map(({ id }) => id).reverse());
    expect(list.json[0]).toMatchObject({ kind: 'mail_welcome', attempts: 4, last_error: 'refused', device_id: null });
    expect(list.text).not.toContain('secret');
    const [first] = rows;
    expect((await call('POST', `/api/admin/jobs/${first?.id}/retry`)).json).toEqual({ retried: 1 });
    expect((await call('POST', `/api/admin/jobs/${first?.id}/retry`)).status).toBe(404);
    expect((await call('POST', '/api/admin/jobs/retry')).json).toEqual({ retried: 2 });
    await server.app.runJobs();
    expect((await call('GET', '/api/admin/server')).json.jobs).toMatchObject({ dead: 0, waiting: 0 });
  });
});
