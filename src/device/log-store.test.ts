import { beforeEach, expect, it } from 'vitest';
import type { Account, TestApp } from '../../test/support/app.ts';
import { startApp, suiteApp } from '../../test/support/app.ts';
import { describeEngines } from '../../test/support/engines.ts';

describeEngines('logs', (engine) => {
  const server = suiteApp(engine);
  let owner: Account;
  beforeEach(async () => {
    owner = await server.signUp();
  });

  const call: TestApp['call'] = (method, path, options) =>
    server.call(method, path, { token: owner.token, ...options });
  const post = (body: object) => call('POST', '/api/logs', { body });
  const messages = async (path = '/api/logs') =>
    (await call('GET', path)).json.map(({ message }: { message: string }) => message);

  it('are rejected if they contain secrets', async () => {
    for (const message of ['my wpa key', 'psk=1', 'The Password is', 'nerves ready']) {
      const refused = await post({ message });
      expect([refused.status, Object.keys(refused.json)]).toEqual([422, ['log']]);
    }
    expect(Object.keys((await post({ message: 'password', type: 'x' })).json)).toEqual(['type']);
    expect(await messages()).toEqual([]);
  });

  it('keep the time they were sent with, in the years 1 to 9999', async () => {
    expect((await post({ message: 'then', created_at: 1_700_000_000 })).json.created_at).toBe(1_700_000_000);
    for (const created_at of [253_402_300_800, 2 ** 53, -1e15, -62_135_596_801, -99_999_999_999]) {
      const refused = await post({ message: 'never', created_at });
      expect([created_at, refused.status, Object.keys(refused.json)]).toEqual([created_at, 422, ['error']]);
    }
    for (const created_at of [253_402_300_799, -62_135_596_800])
      expect((await post({ message: 'at the edge', created_at })).json).toMatchObject({ created_at });
  });

  it('have channels of at most 280 characters together', async () => {
    expect((await post({ message: 'a', channels: ['x'.repeat(276)] })).status).toBe(200);
    expect(Object.keys((await post({ message: 'a', channels: ['x'.repeat(277)] })).json)).toEqual(['error']);
  });

  it('match no filters out of range', async () => {
    await post({ message: 'one', verbosity: 1, x: 1 });
    for (const filter of ['verbosity=99999999999', 'x=1e999', 'type=nothing', 'message=%00', 'verbosity=-1', 'x=abc'])
      expect(await messages(`/api/logs/search?${filter}`), filter).toEqual([]);
    expect(await messages('/api/logs/search?x=1.0abc&verbosity=1.9')).toEqual(['one']);
  });

  it('are not hidden by a setting that is sent as null', async () => {
    await post({ message: 'one', verbosity: 0 });
    await post({ message: 'two', type: 'warn', verbosity: 0 });
    const all = Object.fromEntries(
      ['assertion', 'busy', 'debug', 'error', 'fun', 'info', 'success', 'warn'].map((type) => [`${type}_log`, null]),
    );
    await call('PATCH', '/api/web_app_config', { body: all });
    expect(await messages('/api/logs/search')).toEqual(['two', 'one']);
  });

  it('are deleted one by one in compatibility with the web app', async () => {
    const webApp = await startApp(engine, { COMPATIBILITY: 'web-app' });
    const { token } = await webApp.signUp();
    const { json: first } = await webApp.call('POST', '/api/logs', { token, body: { message: 'first' } });
    await webApp.call('POST', '/api/logs', { token, body: { message: 'second' } });
    expect((await webApp.call('DELETE', `/api/logs/${first.id}`, { token })).status).toBe(200);
    expect((await webApp.call('GET', '/api/logs', { token })).json).toMatchObject([{ message: 'second' }]);
    for (const id of [first.id, 'abc', 0])
      expect((await webApp.call('DELETE', `/api/logs/${id}`, { token })).status).toBe(404);
    expect((await webApp.call('DELETE', '/api/logs/all', { token })).status).toBe(200);
    expect((await webApp.call('GET', '/api/logs', { token })).json).toEqual([]);
    await webApp.close();
  });
});
