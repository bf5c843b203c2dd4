import { constants, publicEncrypt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, it } from 'vitest';
import { renewGardenPassword } from '../../../src/accounts/garden-passwords.ts';
import { invitations } from '../../../src/accounts/invitations.ts';
import { tokenIssuances } from '../../../src/accounts/token-issuances.ts';
import { userByEmail, users } from '../../../src/accounts/users.ts';
import { devices } from '../../../src/device/devices.ts';
import type { Account, TestResponse } from '../../support/app.ts';
import { password, suiteApp } from '../../support/app.ts';
import { describeEngines } from '../../support/engines.ts';
import { caller, join } from '../../support/members.ts';

const robot = { 'user-agent': 'FARMBOTOS/16.0.0 (RPI3) RPI3' };

describeEngines('several people in a garden', (engine) => {
  const server = suiteApp(engine);
  const call = caller(server);
  let owner: Account;
  let bob: Account;
  let plant: number;
  beforeAll(async () => {
    owner = await server.signUp();
    bob = await server.signUp();
    const created = await call(owner, 'POST', '/api/points', { pointer_type: 'Plant', name: 'Leek', x: 1, y: 2, z: 0 });
    plant = created.json.id;
  });

  it('lets a viewer read everything and change nothing', async () => {
    const viewer = await join(server, owner, bob, 'viewer');
    expect((await call(viewer, 'GET', '/api/points')).json).toMatchObject([{ id: plant, name: 'Leek' }]);
    expect((await call(viewer, 'GET', '/api/device')).json.id).toBe(owner.deviceId);
    expect((await call(viewer, 'GET', '/api/device/sync')).json.points).toHaveLength(1);
    // Of the people, a member sees itself only.
    expect((await call(viewer, 'GET', '/api/users')).json.map(({ id }: { id: number }) => id)).toEqual([bob.userId]);
    const needed = { error: expect.stringContaining('your role in this garden is viewer') };
    for (const [method, path, body] of [
      ['POST', '/api/points', { pointer_type: 'Plant', x: 1, y: 2 }],
      ['PATCH', `/api/points/${plant}`, { name: 'Weed' }],
      ['DELETE', `/api/points/${plant}`],
      ['PATCH', '/api/device', { name: 'Mine' }],
      ['POST', '/api/invitations', { email: 'eve@example.com', role: 'owner' }],
      ['GET', '/api/members'],
      ['PATCH', `/api/members/${bob.userId}`, { role: 'owner' }],
    ] as const) {
      const reply = await call(viewer, method, path, body);
      expect([reply.status, reply.json], `${method} ${path}`).toEqual([403, needed]);
    }
    expect((await call(owner, 'GET', `/api/points/${plant}`)).json.name).toBe('Leek');
    // The account can only be changed with a session of the home garden.
    expect((await call(bob, 'GET', '/api/points')).json).toEqual([]);
    expect((await call(viewer, 'PATCH', '/api/users', { name: 'Bob' })).status).toBe(403);
    expect((await call(bob, 'PATCH', '/api/users', { name: 'Bob' })).status).toBe(200);
  });

  it('applies new roles immediately, and ends the sessions of a demoted member', async () => {
    const viewer = (await call(bob, 'POST', `/api/gardens/${owner.deviceId}/token`)).json.token.encoded;
    const path = `/api/members/${bob.userId}`;
    expect((await call(owner, 'PATCH', path, { role: 'gardener' })).json).toMatchObject({
      id: bob.userId,
      email: bob.email,
      name: 'Bob',
      role: 'gardener',
      is_home: false,
    });
    // More rights need no other session.
    expect((await call({ token: viewer }, 'PATCH', `/api/points/${plant}`, { name: 'Onion' })).status).toBe(200);
    for (const [method, other, body] of [
      ['POST', '/api/device/reset', { password }],
      ['POST', '/api/import?mode=replace', {}],
      ['DELETE', '/api/device', undefined],
      ['GET', '/api/invitations', undefined],
      ['GET', '/api/members', undefined],
    ] as const)
      expect((await call({ token: viewer }, method, other, body)).status, other).toBe(403);
    expect((await call(owner, 'PATCH', path, { role: 'viewer' })).json.role).toBe('viewer');
    expect((await call({ token: viewer }, 'GET', '/api/points')).status).toBe(401);
    expect((await call(bob, 'GET', '/api/points')).status).toBe(200);
    expect((await call(owner, 'PATCH', path, { role: 'king' })).json).toEqual({ role: expect.any(String) });
    const list = (await call(owner, 'GET', '/api/members')).json;
    expect(list.map(({ id, role, is_home }: Record<string, unknown>) => [id, role, is_home])).toEqual([
      [owner.userId, 'owner', true],
      [bob.userId, 'viewer', false],
    ]);
  });

  it('keeps the user whose own garden it is, and ends the sessions of a member who is removed or leaves', async () => {
    for (const [method, body] of [
      ['DELETE', undefined],
      ['PATCH', { role: 'viewer' }],
    ] as const)
      expect((await call(owner, method, `/api/members/${owner.userId}`, body)).status).toBe(422);
    const viewer = (await call(bob, 'POST', `/api/gardens/${owner.deviceId}/token`)).json.token.encoded;
    expect((await call({ token: viewer }, 'DELETE', `/api/members/${owner.userId}`)).status).toBe(403);
    expect((await call(owner, 'DELETE', `/api/members/${bob.userId}`)).status).toBe(200);
    expect((await call({ token: viewer }, 'GET', '/api/points')).status).toBe(401);
    expect((await call(bob, 'POST', `/api/gardens/${owner.deviceId}/token`)).status).toBe(404);
    expect((await call(owner, 'DELETE', `/api/members/${bob.userId}`)).status).toBe(404);
    const again = await join(server, owner, bob, 'gardener');
    expect((await call(again, 'DELETE', `/api/members/${bob.userId}`)).status).toBe(200);
    expect((await call(again, 'GET', '/api/points')).status).toBe(401);
  });

  it('ends the calendar feed of a member who is demoted or removed, also if the member comes back', async () => {
    const guest = await server.signUp();
    const member = await join(server, owner, guest, 'gardener');
    const make = async (person: Pick<Account, 'token'>): Promise<string> =>
      new URL((await call(person, 'POST', '/api/calendar_feed')).json.url).pathname;
    const statusOf = async (feed: string) => (await server.call('GET', feed)).status;
    const [home, first] = [await make(guest), await make(member)];
    expect(await statusOf(first)).toBe(200);
    expect((await call(owner, 'PATCH', `/api/members/${guest.userId}`, { role: 'viewer' })).status).toBe(200);
    expect(await statusOf(first)).toBe(404);
    const viewer = (await call(guest, 'POST', `/api/gardens/${owner.deviceId}/token`)).json.token.encoded;
    const second = await make({ token: viewer });
    expect((await call(owner, 'DELETE', `/api/members/${guest.userId}`)).status).toBe(200);
    const again = await join(server, owner, guest, 'gardener');
    expect(await statusOf(second)).toBe(404);
    expect(await statusOf(home)).toBe(200);
    expect((await call(again, 'DELETE', `/api/members/${guest.userId}`)).status).toBe(200);
  });

  it('ends the personal tokens of a member who is demoted or removed, never tokens of the home garden', async () => {
    const guest = await server.signUp();
    const member = await join(server, owner, guest, 'gardener');
    const make = async (person: Pick<Account, 'token'>): Promise<string> => {
      const body = { name: 'Script', scopes: ['read'], expires_at: null, password };
      const made = await call(person, 'POST', '/api/personal_tokens', body);
      expect(made.status, made.text).toBe(200);
      return made.json.token;
    };
    const statusOf = async (token: string) => (await call({ token: `Bearer ${token}` }, 'GET', '/api/points')).status;
    const [home, first] = [await make(guest), await make(member)];
    expect(await statusOf(first)).toBe(200);
    expect((await call(owner, 'PATCH', `/api/members/${guest.userId}`, { role: 'viewer' })).status).toBe(200);
    expect(await statusOf(first)).toBe(401);
    const viewer = (await call(guest, 'POST', `/api/gardens/${owner.deviceId}/token`)).json.token.encoded;
    const second = await make({ token: viewer });
    expect((await call(owner, 'DELETE', `/api/members/${guest.userId}`)).status).toBe(200);
    const again = await join(server, owner, guest, 'gardener');
    expect([await statusOf(first), await statusOf(second), await statusOf(home)]).toEqual([401, 401, 200]);
    expect((await call(again, 'DELETE', `/api/members/${guest.userId}`)).status).toBe(200);
  });

  it('ends sessions of all gardens with a new password, and no others', async () => {
    const cleo = await server.signUp();
    const inGarden = await join(server, owner, cleo, 'gardener');
    const changed = { password, new_password: 'another-one', new_password_confirmation: 'another-one' };
    expect((await call(cleo, 'PATCH', '/api/users', changed)).status).toBe(200);
    expect((await call(inGarden, 'GET', '/api/points')).status).toBe(401);
    expect((await call(cleo, 'GET', '/api/points')).status).toBe(200);
    const dora = await join(server, owner, await server.signUp(), 'gardener');
    const ofOwner = await server.app.operations.users();
    await ofOwner.resetPassword(owner.email, password);
    expect((await call(owner, 'GET', '/api/points')).status).toBe(401);
    expect((await call(dora, 'GET', '/api/points')).status).toBe(200);
    const session = await server.call('POST', '/api/tokens', { body: { user: { email: owner.email, password } } });
    owner = { ...owner, token: session.json.token.encoded };
  });

  it('needs a sign-in of a person, with the password', async () => {
    const headers = robot;
    const signIn = await server.call('POST', '/api/tokens', {
      body: { user: { email: owner.email, password } },
      headers,
    });
    const token = signIn.json.token.encoded;
    for (const [method, path, body] of [
      ['POST', '/api/invitations', { email: bob.email, role: 'viewer' }],
      ['POST', '/api/gardens', { name: 'Mine' }],
      ['POST', `/api/gardens/${owner.deviceId}/token`, undefined],
      ['POST', '/api/invitations/accept', { token: 'x' }],
    ] as const)
      expect((await call({ token }, method, path, body)).status, path).toBe(403);
    const temporary = (await call(owner, 'POST', '/api/tokens/temporary')).json.token.encoded;
    expect((await call({ token: temporary }, 'POST', `/api/gardens/${owner.deviceId}/token`)).status).toBe(403);
  });
});

describeEngines('invitations', (engine) => {
  const clock = { offset: 0, now: () => Date.now() + clock.offset };
  const server = suiteApp(engine, {}, clock);
  const call = caller(server);
  let owner: Account;
  beforeAll(async () => {
    owner = await server.signUp();
  });
  const invite = (email: string, role = 'viewer') => call(owner, 'POST', '/api/invitations', { email, role, password });
  const tokenOf = ({ json }: TestResponse): string => String(json.link).split('/').pop() ?? '';

  it('work once, for their address, for a week, and can be withdrawn', async () => {
    const bob = await server.signUp();
    const eve = await server.signUp();
    const invited = await invite(` ${bob.email.toUpperCase()}`);
    expect(invited.json).toMatchObject({ email: bob.email, role: 'viewer', expires_at: expect.any(String) });
    const rows = await server.app.server().rows(invitations);
    expect(JSON.stringify(rows)).not.toContain(tokenOf(invited));
    const token = tokenOf(invited);
    expect((await call(eve, 'POST', '/api/invitations/accept', { token })).status).toBe(403);
    expect((await call(bob, 'POST', '/api/invitations/accept', { token: 'x' })).status).toBe(404);
    expect((await call(bob, 'POST', '/api/invitations/accept', { token })).status).toBe(200);
    expect((await call(bob, 'POST', '/api/invitations/accept', { token })).status).toBe(404);

    const first = tokenOf(await invite(eve.email));
    const second = tokenOf(await invite(eve.email, 'gardener'));
    expect((await call(eve, 'POST', '/api/invitations/accept', { token: first })).status).toBe(404);
    const [open] = (await call(owner, 'GET', '/api/invitations')).json;
    expect(open).toMatchObject({ email: eve.email, role: 'gardener' });
    expect(open.link).toBeUndefined();
    expect((await call(eve, 'DELETE', `/api/invitations/${open.id}`)).status).toBe(404);
    expect((await call(owner, 'DELETE', `/api/invitations/${open.id}`)).status).toBe(200);
    expect((await call(eve, 'POST', '/api/invitations/accept', { token: second })).status).toBe(404);

    const late = tokenOf(await invite(eve.email));
    clock.offset += 7 * 86_400_000;
    expect((await call(eve, 'POST', '/api/invitations/accept', { token: late })).status).toBe(404);
    expect((await call(owner, 'GET', '/api/invitations')).json).toEqual([]);
  });

  it('name all wrong fields', async () => {
    const { status, json } = await invite('nobody', 'king');
    expect([status, Object.keys(json).sort()]).toEqual([422, ['email', 'role']]);
  });

  it('answer the same whether the address has an account', async () => {
    const bob = await server.signUp();
    const known = (await invite(bob.email)).json;
    const unknown = (await invite('nobody@example.com')).json;
    expect(Object.keys(unknown)).toEqual(Object.keys(known));
    expect((await invite('no address')).json).toEqual({ email: expect.any(String) });
  });

  it('show their role and garden to any client with the link, which can also create the account', async () => {
    const token = tokenOf(await invite('cleo@example.com', 'gardener'));
    const show = (body: object) => server.call('POST', '/api/invitations/show', { body });
    expect((await show({ token })).json).toEqual({
      email: 'cleo@example.com',
      inviter: 'Gardener',
      garden: { name: expect.any(String), role: 'gardener' },
      may_sign_up: true,
    });
    expect((await show({ token: `${token}x` })).status).toBe(404);
    expect((await show({})).json).toEqual({ token: expect.any(String) });
    const page = await server.call('GET', `/invitation/${token}`, { headers: { accept: 'text/html' } });
    expect([page.status, page.headers.location]).toEqual([302, `/console/invitation#${token}`]);
    const sent = { name: 'Cleo', email: 'cleo@example.com', password, password_confirmation: password };
    const other = await server.call('POST', '/api/users', {
      body: { ...sent, email: 'x@example.com', invitation: token },
    });
    expect(other.json).toEqual({ invitation: expect.any(String) });
    expect((await server.call('POST', '/api/users', { body: { ...sent, invitation: token } })).status).toBe(200);
  });

  it('can be declined with the link, without an account, and are removed from the owner’s list', async () => {
    const decline = (token: unknown) => server.call('POST', '/api/invitations/decline', { body: { token } });
    const open = async () =>
      (await call(owner, 'GET', '/api/invitations')).json.map(({ email }: { email: string }) => email);
    const [token, other] = [tokenOf(await invite('dora@example.com')), tokenOf(await invite('finn@example.com'))];
    expect((await decline(`${token}x`)).status).toBe(404);
    expect((await decline(undefined)).json).toEqual({ token: expect.any(String) });
    expect(await open()).toEqual(expect.arrayContaining(['dora@example.com', 'finn@example.com']));
    expect([(await decline(token)).status, (await decline(token)).status]).toEqual([200, 404]);
    expect(await open()).not.toContain('dora@example.com');
    expect(await open()).toContain('finn@example.com');
    expect((await server.call('POST', '/api/invitations/show', { body: { token } })).status).toBe(404);
    expect((await server.call('POST', '/api/invitations/show', { body: { token: other } })).status).toBe(200);
  });

  it('are either accepted or declined or withdrawn, also at the same time', async () => {
    const guest = await server.signUp();
    for (let round = 0; round < 12; round++) {
      const invited = await invite(guest.email);
      const token = tokenOf(invited);
      const ended =
        round % 2 === 0
          ? server.call('POST', '/api/invitations/decline', { body: { token } })
          : call(owner, 'DELETE', `/api/invitations/${invited.json.id}`, { password });
      const both = await Promise.all([call(guest, 'POST', '/api/invitations/accept', { token }), ended]);
      expect(both.map(({ status }) => status).sort()).toEqual([200, 404]);
    }
  });

  it('cannot be sent by demo accounts', async () => {
    const demo = await server.call('POST', '/api/demo_gardens', { body: { product_line: 'genesis_1.8' } });
    await server.app.server().update(
      tokenIssuances,
      { signed_in_at: new Date(clock.now()).toISOString() },
      {
        where: { jti: demo.json.token.unencoded.jti },
      },
    );
    const account = { token: demo.json.token.encoded };
    expect((await call(account, 'POST', '/api/invitations', { email: 'a@example.com', role: 'viewer' })).status).toBe(
      403,
    );
    expect((await call(account, 'POST', '/api/gardens', { name: 'More' })).status).toBe(403);
  });
});

describeEngines('invitations where sign-up is closed', (engine) => {
  const server = suiteApp(engine, { SIGN_UP: 'closed', EMAIL_VERIFICATION: 'required' });
  const call = caller(server);
  const signIn = async (email: string): Promise<Account> => {
    const { json } = await server.call('POST', '/api/tokens', { body: { user: { email, password } } });
    return { email, token: json.token.encoded, userId: json.user.id, deviceId: json.user.device_id };
  };
  const sent = (email: string, invitation: string) => ({
    body: { name: 'New', email, password, password_confirmation: password, agree_to_terms: true, invitation },
  });

  it('make accounts only if an administrator invites; a link that was passed on by the administrator confirms no address', async () => {
    const operations = await server.app.operations.users();
    await operations.create('admin@example.com', 'Ada', password);
    await operations.create('bob@example.com', 'Bob', password);
    const [admin, bob] = [await signIn('admin@example.com'), await signIn('bob@example.com')];
    const linkOf = async (who: Account, path: string, body: object): Promise<string> => {
      const { json, status, text } = await call(who, 'POST', path, body);
      expect(status, text).toBe(200);
      return String(json.link).split('/').pop() ?? '';
    };
    const ofBob = await linkOf(bob, '/api/invitations', { email: 'cleo@example.com', role: 'viewer' });
    expect((await server.call('POST', '/api/users', sent('cleo@example.com', ofBob))).status).toBe(403);
    expect((await call(bob, 'POST', '/api/admin/invitations', { email: 'cleo@example.com' })).status).toBe(403);
    const token = await linkOf(admin, '/api/admin/invitations', { email: 'cleo@example.com' });
    expect((await call(admin, 'GET', '/api/admin/invitations')).json).toMatchObject([{ email: 'cleo@example.com' }]);
    expect((await call(admin, 'GET', '/api/invitations')).json).toEqual([]);
    expect((await server.call('POST', '/api/users', sent('cleo@example.com', token))).status).toBe(200);
    expect((await userByEmail(server.app.server(), 'cleo@example.com'))?.confirmed_at).toBeNull();
    expect((await server.call('POST', '/api/users', sent('cleo2@example.com', token))).status).toBe(403);
    const toGarden = await linkOf(admin, '/api/invitations', { email: 'dora@example.com', role: 'viewer' });
    expect((await server.call('POST', '/api/users', sent('dora@example.com', toGarden))).status).toBe(200);
  });
});

describeEngines('several gardens of a person', (engine) => {
  const server = suiteApp(engine);
  const call = caller(server);

  it('are separate, with a robot password each', async () => {
    const ada = await server.signUp();
    const made = (await call(ada, 'POST', '/api/gardens', { name: 'Greenhouse' })).json;
    expect(made).toMatchObject({ name: 'Greenhouse', role: 'owner', is_home: false });
    expect((await call(ada, 'GET', '/api/gardens')).json).toEqual([
      { id: ada.deviceId, name: 'FarmBot', role: 'owner', is_home: true, has_robot_password: false },
      { id: made.id, name: 'Greenhouse', role: 'owner', is_home: false, has_robot_password: true },
    ]);
    const opened = (await call(ada, 'POST', `/api/gardens/${made.id}/token`)).json;
    expect(opened.token.unencoded.bot).toBe(`device_${made.id}`);
    const other = { token: opened.token.encoded };
    await call(other, 'POST', '/api/tools', { name: 'Hoe' });
    expect((await call(other, 'GET', '/api/device')).json).toMatchObject({ id: made.id, name: 'Greenhouse' });
    expect((await call(ada, 'GET', '/api/tools')).json).toEqual([]);
    // A refreshed token is of the same garden and sign-in.
    const refreshed = (await call(other, 'GET', '/api/tokens')).json.token;
    expect(refreshed.unencoded).toMatchObject({ bot: `device_${made.id}`, exp: opened.token.unencoded.exp });
    expect((await call(ada, 'GET', '/api/sessions')).json).toHaveLength(1);

    const signIn = (user: object, headers = {}) => server.call('POST', '/api/tokens', { body: { user }, headers });
    const plain = await signIn({ email: ada.email, password: made.robot_password });
    expect(plain.json.token.unencoded).toMatchObject({ bot: `device_${made.id}`, aud: 'bot' });
    const key = (await server.call('GET', '/api/public_key')).text;
    const text = JSON.stringify({ email: ada.email, password: made.robot_password });
    const credentials = publicEncrypt({ key, padding: constants.RSA_PKCS1_PADDING }, Buffer.from(text)).toString(
      'base64',
    );
    const encrypted = await signIn({ credentials });
    expect(encrypted.json.token.unencoded).toMatchObject({ bot: `device_${made.id}`, aud: 'bot' });
    const ofRobot = { token: plain.json.token.encoded };
    expect((await call(ofRobot, 'GET', '/api/tools')).json).toMatchObject([{ name: 'Hoe' }]);
    expect((await call(ofRobot, 'POST', '/api/gardens', { name: 'More' })).status).toBe(403);
    const eve = await server.signUp();
    expect((await signIn({ email: eve.email, password: made.robot_password })).status).toBe(422);
    // The home garden is unaffected.
    expect((await signIn({ email: ada.email, password })).json.token.unencoded.bot).toBe(`device_${ada.deviceId}`);

    const renewed = (await call(ada, 'POST', `/api/gardens/${made.id}/robot_password`)).json.robot_password;
    expect(renewed).not.toBe(made.robot_password);
    expect((await call(ofRobot, 'GET', '/api/tools')).status).toBe(401);
    expect((await signIn({ email: ada.email, password: made.robot_password })).status).toBe(422);
    expect((await signIn({ email: ada.email, password: renewed })).status).toBe(200);
    expect((await call(ada, 'POST', `/api/gardens/${ada.deviceId}/robot_password`)).status).toBe(422);
    for (const path of [`/api/gardens/${made.id}/token`, `/api/gardens/${made.id}/robot_password`])
      expect((await call(eve, 'POST', path)).status).toBe(404);
    expect((await call(other, 'DELETE', '/api/device')).status).toBe(403);
  });

  it.each(['is demoted', 'is removed', 'deletes the account'])(
    'end the password of the robot when an owner %s, and keep its session',
    async (how) => {
      const [ada, bob] = [await server.signUp(), await server.signUp()];
      const { id, robot_password } = (await call(ada, 'POST', '/api/gardens', { name: 'Greenhouse' })).json;
      const { token: opened } = (await call(ada, 'POST', `/api/gardens/${id}/token`)).json;
      const inGarden = { ...ada, token: opened.encoded, deviceId: id };
      await join(server, inGarden, bob, 'owner');
      const signIn = () =>
        server.call('POST', '/api/tokens', { body: { user: { email: ada.email, password: robot_password } } });
      const robotToken = (await signIn()).json.token.encoded;
      const hasPassword = async () =>
        (await call(ada, 'GET', '/api/gardens')).json.map((each: Record<string, unknown>) => each.has_robot_password);
      expect(await hasPassword()).toEqual([false, true]);
      if (how === 'is demoted') await call(inGarden, 'PATCH', `/api/members/${bob.userId}`, { role: 'gardener' });
      else if (how === 'is removed') await call(inGarden, 'DELETE', `/api/members/${bob.userId}`);
      else {
        expect((await call(bob, 'DELETE', '/api/users', { password })).status).toBe(200);
        await server.app.runJobs();
      }
      expect(await signIn()).toMatchObject({ status: 422, json: { auth: 'Bad email or password.' } });
      expect(await hasPassword()).toEqual([false, false]);
      expect((await call({ token: robotToken }, 'GET', '/api/tools')).status).toBe(200);
      // A new password ends the sessions of the earlier one, also of one that ended before.
      expect((await call(ada, 'POST', `/api/gardens/${id}/robot_password`)).status).toBe(200);
      expect((await call({ token: robotToken }, 'GET', '/api/tools')).status).toBe(401);
      expect(await hasPassword()).toEqual([false, true]);
    },
  );

  it('have names like other records, without characters that databases cannot store', async () => {
    const ada = await server.signUp();
    const { id, name } = (await call(ada, 'POST', '/api/gardens', { name: ' a\u0000b\u0001\u0001c\ud800d ' })).json;
    expect(name).toBe('a b c\ufffdd');
    expect((await call(ada, 'POST', '/api/tools', { name: ' a\u0000b\u0001\u0001c\ud800d ' })).json.name).toBe(name);
    const listed = (await call(ada, 'GET', '/api/gardens')).json.find((each: { id: number }) => each.id === id);
    expect(listed.name).toBe(name);
    expect((await call(ada, 'POST', '/api/gardens', { name: '\u0000' })).json).toEqual({
      name: 'Name must not be blank.',
    });
  });

  it('refuse a robot password that is renewed during the sign-in with it', async () => {
    const ada = await server.signUp();
    const { id, robot_password } = (await call(ada, 'POST', '/api/gardens', { name: 'Greenhouse' })).json;
    const garden = server.app.server().device(id);
    const body = { user: { email: ada.email, password: robot_password } };
    let signedIn: Promise<TestResponse> | undefined;
    await garden.transaction(async (scope) => {
      signedIn = server.call('POST', '/api/tokens', { body });
      // It has read the password, and waits for this transaction.
      await sleep(100);
      await renewGardenPassword(scope, async () => undefined);
    });
    expect(await signedIn).toMatchObject({ status: 422, json: { auth: 'Bad email or password.' } });
    expect(await garden.count(tokenIssuances)).toBe(0);
  });

  it('keep an owner each, and are deleted with the account of the last one, if the request names them', async () => {
    const ada = await server.signUp();
    const bob = await server.signUp();
    const { id } = (await call(ada, 'POST', '/api/gardens', { name: 'Greenhouse' })).json;
    const inGarden = {
      ...ada,
      deviceId: id,
      token: (await call(ada, 'POST', `/api/gardens/${id}/token`)).json.token.encoded,
    };
    expect((await call(inGarden, 'DELETE', `/api/members/${ada.userId}`)).status).toBe(422);
    expect((await call(inGarden, 'PATCH', `/api/members/${ada.userId}`, { role: 'viewer' })).status).toBe(422);
    const viewer = await join(server, inGarden, bob, 'viewer');
    const refused = await call(ada, 'DELETE', '/api/users', { password });
    expect([refused.status, refused.json]).toEqual([422, { gardens: expect.stringContaining(`Greenhouse (${id})`) }]);
    expect((await call(ada, 'DELETE', '/api/users', { password, gardens: [id] })).status).toBe(200);
    await server.app.runJobs();
    const all = server.app.server();
    expect(await all.count(devices, { where: { id: [id, ada.deviceId] } })).toBe(0);
    expect(await all.count(users, { where: { id: ada.userId } })).toBe(0);
    expect((await call(viewer, 'GET', '/api/points')).status).toBe(401);
    expect((await call(bob, 'GET', '/api/gardens')).json).toHaveLength(1);
  });

  it('stay with another owner', async () => {
    const ada = await server.signUp();
    const bob = await server.signUp();
    const owner = await join(server, ada, bob, 'owner');
    expect((await call(owner, 'GET', '/api/members')).json).toHaveLength(2);
    expect((await call(ada, 'DELETE', '/api/users', { password })).status).toBe(200);
    await server.app.runJobs();
    expect((await call(owner, 'GET', '/api/device')).json.id).toBe(ada.deviceId);
    expect((await call(owner, 'GET', '/api/members')).json).toMatchObject([{ id: bob.userId, role: 'owner' }]);
    expect((await call(owner, 'DELETE', `/api/members/${bob.userId}`)).status).toBe(422);
  });
});
