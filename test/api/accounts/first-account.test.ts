import { beforeEach, expect, it } from 'vitest';
import { firstAccountCode } from '../../../src/accounts/first-account.ts';
import { userByEmail, users } from '../../../src/accounts/users.ts';
import type { TestApp } from '../../support/app.ts';
import { password, startApp, suiteApp } from '../../support/app.ts';
import { describeAnyEngine, describeEngines } from '../../support/engines.ts';

const stranger = '203.0.113.7';

/** Signs up, and returns the status with the errors. */
async function signUp(server: TestApp, name: string, from: string, more: object = {}, headers = {}) {
  const fields = { name, email: `${name}@example.com`, password, password_confirmation: password };
  const body = { ...fields, agree_to_terms: true, ...more };
  const { status, json } = await server.call('POST', '/api/users', { body, from, headers });
  return { status, fields: Object.keys(json) };
}

const administrators = async (server: TestApp): Promise<readonly string[]> =>
  (await server.app.server().rows(users, { where: { admin: true } })).map(({ email }) => email);

const codeOf = async (server: TestApp): Promise<string> => {
  const code = await server.app.firstAccountCode();
  if (code === null) throw new Error('there was an account');
  return code;
};

describeEngines('the first account', (engine) => {
  const server = suiteApp(engine);
  const isOffered = async (): Promise<boolean> => {
    return (await server.call('GET', '/api/server')).json.is_new;
  };

  it('is offered while there are demo accounts only, and administers the server', async () => {
    expect(await isOffered()).toBe(true);
    const demo = await server.call('POST', '/api/demo_gardens', { body: { product_line: 'genesis_1.8' } });
    expect(demo.status).toBe(200);
    expect([await isOffered(), await server.app.hasAccounts()]).toEqual([true, false]);
    await Promise.all([server.signUp(), server.signUp(), server.signUp()]);
    expect([await isOffered(), await server.app.hasAccounts()]).toEqual([false, true]);
    const [first, ...others] = await administrators(server);
    expect(others).toEqual([]);
    expect(await server.app.firstAccountCode()).toBeNull();

    // Once per database.
    const userOperations = await server.app.operations.users();
    for (const { email } of await server.app.server().rows(users, {})) await userOperations.delete(email);
    expect(await userByEmail(server.app.server(), first ?? '')).toBeUndefined();
    await server.signUp();
    expect(await administrators(server)).toEqual([]);
  });
});

describeEngines('the first account makes an administrator of', (engine) => {
  let server: TestApp;
  const start = async (settings: Record<string, string> = {}): Promise<void> => {
    server = await startApp(engine, settings);
  };
  beforeEach(() => () => server.close());

  it('a client that needs no confirmation of its address, unlike all others', async () => {
    await start({ EMAIL_VERIFICATION: 'required' });
    const signIn = async (name: string): Promise<number> => {
      const user = { email: `${name}@example.com`, password };
      return (await server.call('POST', '/api/tokens', { body: { user } })).status;
    };
    await signUp(server, 'ada', '127.0.0.1');
    await signUp(server, 'bob', '127.0.0.1');
    expect([await signIn('ada'), await signIn('bob')]).toEqual([200, 403]);
  });

  it('a client with the code, from anywhere and once', async () => {
    await start();
    const code = await codeOf(server);
    expect(code).toMatch(/^([0-9a-z]{4}-){3}[0-9a-z]{4}$/);
    const wrong = { administrator_code: code.replace(/.$/, (last) => (last === '0' ? '1' : '0')) };
    expect(await signUp(server, 'eve', stranger, wrong)).toEqual({ status: 422, fields: ['administrator_code'] });
    expect(await server.app.hasAccounts()).toBe(false);
    const right = { administrator_code: ` ${code.toUpperCase().replaceAll('-', ' ')}` };
    expect((await signUp(server, 'ada', stranger, right)).status).toBe(200);
    expect(await administrators(server)).toEqual(['ada@example.com']);
    expect(await signUp(server, 'eve', stranger, right)).toEqual({ status: 422, fields: ['administrator_code'] });
    expect((await signUp(server, 'bob', stranger, { administrator_code: '' })).status).toBe(200);
    expect(await administrators(server)).toEqual(['ada@example.com']);
  });

  it('where sign-up is closed, too: with the code, or created by the operator', async () => {
    await start({ SIGN_UP: 'closed' });
    expect((await signUp(server, 'eve', '127.0.0.1')).status).toBe(403);
    const shown = async () => (await server.call('GET', '/api/server')).json;
    expect(await shown()).toMatchObject({ sign_up: 'closed', is_new: true, needs_code: true });
    expect((await signUp(server, 'ada', stranger, { administrator_code: await codeOf(server) })).status).toBe(200);
    expect(await administrators(server)).toEqual(['ada@example.com']);
    expect(await shown()).toMatchObject({ sign_up: 'closed', is_new: false, needs_code: false });
    await server.close();
    await start({ SIGN_UP: 'closed' });
    const operations = await server.app.operations.users();
    await operations.create('bob@example.com', 'Bob', password);
    await operations.create('cleo@example.com', 'Cleo', password);
    expect(await administrators(server)).toEqual(['bob@example.com']);
  });

  // Addresses are compared before the database is asked.
  if (engine !== 'sqlite') return;

  it.each([
    '127.0.0.1',
    '::1',
    '10.0.0.7',
    '172.16.3.4',
    '192.168.1.5',
    '::ffff:192.168.1.5',
    'fd00::7',
    'fe80::7%eth0',
  ])('a client at %s', async (address) => {
    await start();
    expect(await signUp(server, 'ada', address)).toEqual({ status: 200, fields: ['message'] });
    expect(await administrators(server)).toEqual(['ada@example.com']);
  });

  it('no client of the internet, although its account is the first', async () => {
    await start();
    expect((await signUp(server, 'eve', stranger)).status).toBe(200);
    expect((await signUp(server, 'ada', '127.0.0.1')).status).toBe(200);
    expect(await administrators(server)).toEqual([]);
    const operations = await server.app.operations.users();
    expect(await operations.setAdmin('ada@example.com', true)).toBe(true);
    expect(await administrators(server)).toEqual(['ada@example.com']);
  });

  it('no client whose address an unknown proxy may hide, and no page of another site', async () => {
    await start();
    await signUp(server, 'eve', '127.0.0.1', {}, { 'x-forwarded-for': '127.0.0.1' });
    expect(await administrators(server)).toEqual([]);
    await server.close();
    await start();
    await signUp(server, 'eve', '127.0.0.1', {}, { host: 'garden.local:3000', origin: 'https://evil.example' });
    expect(await administrators(server)).toEqual([]);
    await server.close();
    await start({ IN_CONTAINER: 'on' });
    await signUp(server, 'eve', '10.0.0.7');
    expect(await administrators(server)).toEqual([]);
    await server.close();
    await start({ PUBLIC_URL: 'https://garden.example', TRUST_PROXY: 'on' });
    const own = { origin: 'https://garden.example', 'x-forwarded-for': '192.168.1.9', host: 'localhost:3000' };
    await signUp(server, 'ada', '127.0.0.1', {}, own);
    expect(await administrators(server)).toEqual(['ada@example.com']);
  });

  it.each(['192.168.1.20:3000', '[fd00::1]:3000', 'localhost:3000', 'Raspberry.local:3000', 'garden.example'])(
    'a browser of the network that opened http://%s',
    async (host) => {
      await start({ PUBLIC_URL: 'http://garden.example' });
      await signUp(server, 'ada', '192.168.1.5', {}, { host, origin: `http://${host}` });
      expect(await administrators(server)).toEqual(['ada@example.com']);
    },
  );

  it.each([{}, { PUBLIC_URL: 'http://garden.example' }, { TRUST_PROXY: 'on' }])(
    'no page of another site whose name leads to the server: %j',
    async (settings) => {
      await start(settings as Record<string, string>);
      const evil = { host: 'evil.example:3000', origin: 'http://evil.example:3000' };
      await signUp(server, 'eve', '192.168.1.5', {}, evil);
      expect(await administrators(server)).toEqual([]);
      if (!('TRUST_PROXY' in settings)) return;
      await server.close();
      await start(settings as Record<string, string>);
      const passed = { host: 'localhost:3000', 'x-forwarded-host': 'evil.example', origin: 'http://evil.example' };
      await signUp(server, 'eve', '127.0.0.1', {}, { ...passed, 'x-forwarded-for': '192.168.1.5' });
      expect(await administrators(server)).toEqual([]);
    },
  );
});

describeAnyEngine('the code for the first account', () => {
  it('differs from server to server', () => {
    expect(firstAccountCode({ privatePem: 'one' })).not.toBe(firstAccountCode({ privatePem: 'other' }));
  });
});
