import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { confirmation } from '../../../src/accounts/confirmation.ts';
import { personalTokens } from '../../../src/accounts/personal-tokens.ts';
import { robotSessions } from '../../../src/accounts/robot-sessions.ts';
import type { SessionServices } from '../../../src/accounts/services.ts';
import { tokenIssuances } from '../../../src/accounts/token-issuances.ts';
import { users } from '../../../src/accounts/users.ts';
import type { Call } from '../../../src/engine/route.ts';
import { notificationRules } from '../../../src/notifications/notification-rules.ts';
import { calendarFeeds } from '../../../src/programs/calendar-feeds.ts';
import type { Account } from '../../support/app.ts';
import { password } from '../../support/app.ts';
import { suiteBrokerApp } from '../../support/broker-app.ts';
import { describeEngines } from '../../support/engines.ts';

describeEngines('a member who was removed or demoted', (engine) => {
  const server = suiteBrokerApp(engine);
  let owner: Account;
  beforeAll(async () => {
    owner = await server.signUp();
  });
  const call = ({ token }: { readonly token: string }, method: string, path: string, body?: unknown) =>
    server.call(method, path, { token, ...(body !== undefined && { body }) });
  const invite = async (by: { readonly token: string }, email: string, role: string): Promise<string> => {
    const { json, text } = await call(by, 'POST', '/api/invitations', { email, role });
    return String(json.link ?? text)
      .split('/')
      .pop() as string;
  };
  const accept = (guest: Account, token: string) => call(guest, 'POST', '/api/invitations/accept', { token });
  /** Makes an account a member; returns its session of the garden. */
  const becomeMember = async (guest: Account, role: string): Promise<Account> => {
    const { json } = await accept(guest, await invite(owner, guest.email, role));
    return { ...guest, token: json.token.encoded, deviceId: owner.deviceId };
  };
  const setRole = (guest: Account, role: string) =>
    call(owner, 'PATCH', `/api/members/${guest.userId}`, { role, password });

  it('leaves no invitation behind that works', async () => {
    const [bob, second] = [await server.signUp(), await server.signUp()];
    const changes: (readonly [() => Promise<unknown>, () => Promise<unknown>])[] = [
      [() => setRole(bob, 'gardener'), () => setRole(bob, 'owner')],
      [
        () => call(owner, 'DELETE', `/api/members/${bob.userId}`),
        async () => accept(bob, await invite(owner, bob.email, 'owner')),
      ],
      ...[new Date().toISOString(), null].map(
        (disabled_at) =>
          [
            () => server.app.server().update(users, { disabled_at }, { where: { id: bob.userId } }),
            () => Promise.resolve(),
          ] as const,
      ),
    ];
    let session = await becomeMember(bob, 'owner');
    for (const [index, [end, begin]] of changes.entries()) {
      const token = await invite(session, second.email, 'owner');
      await end();
      expect((await accept(second, token)).status, String(index)).toBe(index === 3 ? 200 : 404);
      await begin();
      const opened = await call(bob, 'POST', `/api/gardens/${owner.deviceId}/token`);
      if (opened.status === 200) session = { ...session, token: opened.json.token.encoded };
      else await server.app.server().update(users, { disabled_at: null }, { where: { id: bob.userId } });
    }
  });

  it.each(['is demoted', 'is removed', 'leaves', 'deletes the account', 'replaces the device'])(
    'loses the calendar feed, the personal tokens and the rules of notifications when the person %s',
    async (how) => {
      const guest = await server.signUp();
      // A user who replaces the device leaves the home garden, which another owner keeps.
      const isHome = how === 'replaces the device';
      if (isHome) {
        const other = await server.signUp();
        expect((await accept(other, await invite(guest, other.email, 'owner'))).status).toBe(200);
      }
      const person = isHome ? guest : await becomeMember(guest, 'gardener');
      const rows = async () => {
        const where = { device_id: person.deviceId, user_id: person.userId };
        const counts = [calendarFeeds, personalTokens, notificationRules].map((table) =>
          server.app.server().count(table as typeof calendarFeeds, { where }),
        );
        return Promise.all(counts);
      };
      const { url } = (await call(person, 'POST', '/api/calendar_feed')).json;
      const token = { name: 'Script', scopes: ['read'], expires_at: null, password };
      expect((await call(person, 'POST', '/api/personal_tokens', token)).status).toBe(200);
      const rule = { way: 'ntfy', kinds: ['error'], address: 'https://ntfy.example/garden', password };
      expect((await call(person, 'POST', '/api/notification_rules', rule)).status).toBe(200);
      const read = async () => (await server.call('GET', new URL(url).pathname)).status;
      expect([await read(), ...(await rows())]).toEqual([200, 1, 1, 1]);
      const self = `/api/members/${person.userId}`;
      const ended =
        how === 'is demoted'
          ? await setRole(person, 'viewer')
          : how === 'is removed'
            ? await call(owner, 'DELETE', self)
            : how === 'leaves'
              ? await call(person, 'DELETE', self, { password })
              : how === 'deletes the account'
                ? await call(guest, 'DELETE', '/api/users', { password })
                : await call(guest, 'DELETE', '/api/device');
      expect(ended.status, ended.text).toBe(200);
      await server.app.runJobs();
      expect([await read(), ...(await rows())]).toEqual([404, 0, 0, 0]);
    },
  );

  it('cannot complete a request that waited for the password check', async () => {
    const bob = await becomeMember(await server.signUp(), 'owner');
    const scope = server.app.server();
    const where = { user_id: bob.userId, device_id: owner.deviceId };
    const jti = (await scope.first(tokenIssuances, { where }))?.jti;
    const confirm = confirmation({
      limits: { appliesTo: () => false, beginAttempt: () => () => undefined },
      passwords: { verify: async () => true },
    } as unknown as Parameters<typeof confirmation>[0]);
    const session = { kind: 'person', userId: bob.userId, jti, signedInAt: null };
    const recheck = await confirm(scope, { session, body: { password }, address: '127.0.0.1' } as unknown as Call);
    await recheck(scope.device(owner.deviceId));
    expect((await setRole(bob, 'viewer')).status).toBe(200);
    await expect(recheck(scope.device(owner.deviceId))).rejects.toMatchObject({ code: 'bad_token' });
  });

  it('cannot finish an import', async () => {
    const bob = await becomeMember(await server.signUp(), 'gardener');
    const other = await server.signUp();
    await call(other, 'POST', '/api/tools', { name: 'Hoe' });
    const document = (await call(other, 'POST', '/api/export_data')).text;
    const upload = request(`${server.base}/api/import?mode=merge`, {
      method: 'POST',
      headers: { authorization: bob.token, 'content-type': 'application/json' },
    });
    const response = once(upload, 'response');
    upload.write(document.slice(0, 20));
    const received = async () =>
      (await readdir(server.settings.DATA_DIR, { recursive: true })).filter((path) =>
        join('/', path).includes('/import'),
      );
    await expect.poll(received).not.toEqual([]);
    expect((await call(owner, 'DELETE', `/api/members/${bob.userId}`)).status).toBe(200);
    upload.end(document.slice(20));
    expect((await response)[0]).toMatchObject({ statusCode: 401 });
    expect((await call(owner, 'GET', '/api/tools')).json).toEqual([]);
  });

  it('has no session for a robot that the server runs', async () => {
    const bob = await becomeMember(await server.signUp(), 'gardener');
    const services = {
      signer: { signSession: () => ({ unencoded: { jti: 'of the robot', exp: 9_999_999_999 }, encoded: 'a token' }) },
      activity: { overlay: (row: unknown) => row },
    } as unknown as SessionServices;
    const open = () =>
      server.app
        .server()
        .device(owner.deviceId)
        .transaction((scope) =>
          robotSessions(services, () => ({ iss: '//x:1', mqtt: 'x', mqttWs: 'ws://x' })).open(scope, bob.userId),
        );
    expect(await open()).toEqual({ jti: 'of the robot', token: 'a token' });
    for (const end of [() => setRole(bob, 'viewer'), () => call(owner, 'DELETE', `/api/members/${bob.userId}`)]) {
      expect((await end()).status).toBe(200);
      expect(await open()).toBeNull();
    }
  });

  it('cannot connect as the robot, unless allowed to command it', async () => {
    const viewer = await becomeMember(await server.signUp(), 'viewer');
    const name = `device_${owner.deviceId}`;
    const connect = async (token: string, version: string) => {
      const client = await server.connect(name, token, `${name}_${version}`);
      await client.subscribe(`bot/${name}/from_clients`, 1);
    };
    const isConnected = async () => (await call(owner, 'GET', '/api/robot')).json.connected;
    await expect(connect(viewer.token, '15.4.1')).rejects.toThrow();
    expect(await isConnected()).toBe(false);
    await connect(owner.token, '15.4.2');
    expect(await isConnected()).toBe(true);
  });
});

describeEngines("a robot's session", (engine) => {
  const server = suiteBrokerApp(engine);

  const robotOf = async (email: string): Promise<string> => {
    const headers = { 'user-agent': 'FARMBOTOS/16.0.0 (RPI3) RPI3' };
    const { json } = await server.call('POST', '/api/tokens', { body: { user: { email, password } }, headers });
    return json.token.encoded;
  };

  it('reaches nothing that belongs to the account or to a person, which programs could make it do', async () => {
    const { email, token: own } = await server.signUp();
    const token = await robotOf(email);
    const { url } = (await server.call('POST', '/api/calendar_feed', { token: own, body: {} })).json;
    for (const [method, path, body] of [
      ['POST', '/api/calendar_feed', {}],
      ['DELETE', '/api/calendar_feed'],
      ['PUT', '/api/virtual_robot', { running: true }],
      ['DELETE', '/api/device'],
      ['POST', '/api/device', { name: 'Other' }],
      ['POST', '/api/device/reset', { password }],
      ['POST', '/api/export_data', {}],
      ['GET', '/api/users'],
      ['PATCH', '/api/users', { name: 'Eve' }],
      ['DELETE', '/api/users', { password }],
      ['POST', '/api/users/control_certificate', { email, password }],
      ['GET', '/api/tokens'],
      ['POST', '/api/ai', { prompt: 'Say yes' }],
      ['POST', '/api/history/revert', { since: '2026-01-01T00:00:00.000Z' }],
    ] as const)
      expect([method, path, (await server.call(method, path, { token, body })).status]).toEqual([method, path, 403]);
    expect((await server.call('GET', new URL(url).pathname)).status).toBe(200);
    expect((await server.call('GET', '/api/users', { token: own })).json).toMatchObject([{ name: 'Gardener' }]);
    expect((await server.call('GET', '/api/device', { token })).json.name).toBe('FarmBot');
    expect((await server.call('POST', '/api/tools', { token, body: { name: 'Hoe' } })).status).toBe(200);
    expect((await server.call('DELETE', '/api/tokens', { token })).status).toBe(204);
  });

  it('cannot make or change webhooks, not in a batch either', async () => {
    const { email, token: own } = await server.signUp();
    const token = await robotOf(email);
    const url = 'https://receiver.example/x';
    const { id } = (await server.call('POST', '/api/webhooks', { token: own, body: { url } })).json;
    for (const part of [
      { method: 'POST', path: '/api/webhooks', body: { url } },
      { method: 'PATCH', path: `/api/webhooks/${id}`, body: { active: false } },
      { method: 'DELETE', path: `/api/webhooks/${id}` },
    ]) {
      expect((await server.call(part.method, part.path, { token, body: part.body ?? {} })).status).toBe(403);
      const { status, json } = await server.call('POST', '/api/batch', { token, body: [part] });
      expect([status, json]).toEqual([422, { 1: { path: `${part.method} ${part.path} cannot be part of a batch.` } }]);
    }
    expect((await server.call('GET', '/api/webhooks', { token: own })).json).toMatchObject([{ id, active: true }]);
  });
});
