import { beforeAll, expect, it } from 'vitest';
import type { Account } from '../../support/app.ts';
import { password, suiteApp } from '../../support/app.ts';
import { describeEngines } from '../../support/engines.ts';
import { caller, join } from '../../support/members.ts';

const owners = { error: 'This needs the role owner; your role in this garden is gardener.' };

describeEngines('a gardener', (engine) => {
  const server = suiteApp(engine);
  const call = caller(server);
  let owner: Account;
  let gardener: Account;
  let ids: { readonly webhook: number; readonly token: number; readonly session: number; readonly invitation: number };
  beforeAll(async () => {
    owner = await server.signUp();
    gardener = await join(server, owner, await server.signUp(), 'gardener');
    const idOf = async (path: string, body: object): Promise<number> => {
      const { json, text } = await call(owner, 'POST', path, body);
      expect(json, text).toHaveProperty('id');
      return json.id;
    };
    ids = {
      webhook: await idOf('/api/webhooks', { url: 'https://receiver.example/secret-path' }),
      token: await idOf('/api/personal_tokens', { name: 'Script', scopes: ['read'] }),
      invitation: await idOf('/api/invitations', { email: 'eve@example.com', role: 'viewer' }),
      session: (await call(owner, 'GET', '/api/sessions')).json[0].id,
    };
  });

  /** The owner's view of everything that a gardener must not change. */
  const state = async (): Promise<unknown[]> => {
    const paths = [
      ...['/api/device', '/api/members', '/api/invitations', '/api/webhooks', '/api/tools'],
      ...['/api/personal_tokens', '/api/home_assistant'],
    ];
    const shown = await Promise.all(paths.map(async (path) => (await call(owner, 'GET', path)).json));
    // Each request of the owner changes its `updated_at`.
    const [{ email, name }] = (await call(owner, 'GET', '/api/users')).json;
    return [...shown, email, name];
  };

  it('works in the garden, and sees no other members', async () => {
    const { json: tool, status } = await call(gardener, 'POST', '/api/tools', { name: 'Trowel' });
    expect(status).toBe(200);
    expect((await call(gardener, 'PATCH', `/api/tools/${tool.id}`, { name: 'Hoe' })).json.name).toBe('Hoe');
    expect((await call(gardener, 'DELETE', `/api/tools/${tool.id}`)).status).toBe(200);
    expect((await call(gardener, 'PATCH', '/api/device', { name: 'Ours' })).json.name).toBe('Ours');
    expect((await call(gardener, 'GET', '/api/users')).json).toMatchObject([{ id: gardener.userId }]);
    expect((await call(gardener, 'GET', '/api/personal_tokens')).json).toEqual([]);
    expect((await call(gardener, 'GET', '/api/sessions')).json.map(({ id }: { id: number }) => id)).not.toContain(
      ids.session,
    );
  });

  it('cannot administer it, not even with a password', async () => {
    const before = await state();
    const change = { password, new_password: 'another one', new_password_confirmation: 'another one' };
    const attempts: readonly (readonly [string, string, object?])[] = [
      ['PATCH', '/api/users', { name: 'Owner' }],
      ['PATCH', '/api/users', change],
      ['PATCH', '/api/users', { email: 'new@example.com', password }],
      ['DELETE', '/api/users', { password }],
      ['POST', '/api/users/control_certificate', { email: gardener.email, password }],
      ['GET', '/api/members'],
      ['PATCH', `/api/members/${gardener.userId}`, { role: 'owner', password }],
      ['PATCH', `/api/members/${owner.userId}`, { role: 'viewer', password }],
      ['DELETE', `/api/members/${owner.userId}`, { password }],
      ['GET', '/api/invitations'],
      ['POST', '/api/invitations', { email: 'mallory@example.com', role: 'owner', password }],
      ['DELETE', `/api/invitations/${ids.invitation}`, { password }],
      ['POST', '/api/device/reset', { password }],
      ['POST', '/api/device', { name: 'Another', password }],
      ['DELETE', '/api/device', { password }],
      ['POST', '/api/import?mode=replace', {}],
      ['POST', '/api/import?mode=replace&check=true', {}],
      ['POST', '/api/history/revert', { from_id: 1 }],
      ['POST', '/api/history/revert', { since: '2020-01-01T00:00:00.000Z', force: true }],
      ['POST', '/api/export_data', {}],
      ['GET', '/api/webhooks'],
      ['GET', `/api/webhooks/${ids.webhook}`],
      ['GET', `/api/webhooks/${ids.webhook}/deliveries`],
      ['POST', '/api/webhooks', { url: 'https://receiver.example/', password }],
      ['PATCH', `/api/webhooks/${ids.webhook}`, { active: false, password }],
      ['DELETE', `/api/webhooks/${ids.webhook}`, { password }],
      ['POST', `/api/webhooks/${ids.webhook}/secret`, { password }],
      ['POST', `/api/webhooks/${ids.webhook}/test`, { password }],
      ['POST', `/api/webhooks/${ids.webhook}/deliveries/1/redeliver`, { password }],
      ['PATCH', '/api/home_assistant', { on: true, password }],
    ];
    for (const [method, path, body] of attempts) {
      const { status, json } = await call(gardener, method, path, body);
      expect([status, json], `${method} ${path}`).toEqual([403, owners]);
    }
    expect(await state()).toEqual(before);
  });

  it('cannot change or end the credentials of others', async () => {
    const before = await state();
    for (const [method, path, body] of [
      ['PATCH', `/api/personal_tokens/${ids.token}`, { name: 'Mine', password }],
      ['DELETE', `/api/personal_tokens/${ids.token}`, { password }],
      ['DELETE', `/api/sessions/${ids.session}`, { password }],
      ['POST', `/api/gardens/${owner.deviceId}/robot_password`, { password }],
    ] as const)
      expect([path, (await call(gardener, method, path, body)).status]).toEqual([
        path,
        path.includes('robot_password') ? 403 : 404,
      ]);
    expect((await call(gardener, 'DELETE', '/api/sessions', { password })).status).toBe(200);
    expect(await state()).toEqual(before);
  });

  it('undoes one request, but not a span', async () => {
    const { json: tool } = await call(gardener, 'POST', '/api/tools', { name: 'Rake' });
    const [change] = (await call(gardener, 'GET', '/api/history?resource=Tool&limit=1')).json;
    expect(change).toMatchObject({ resource: 'Tool', record_id: tool.id, action: 'created' });
    const refused = await call(gardener, 'POST', '/api/history/revert', { from_id: change.id });
    expect([refused.status, refused.json]).toEqual([403, owners]);
    const reverted = await call(gardener, 'POST', '/api/history/revert', { request: change.request });
    expect([reverted.status, reverted.json]).toMatchObject([200, { reverted: 1 }]);
    expect((await call(owner, 'GET', '/api/tools')).json).toEqual([]);
  });
});
