import { expect, it } from 'vitest';
import { startApp, suiteApp } from '../../support/app.ts';
import { describeEngines } from '../../support/engines.ts';

describeEngines('the public facts about the server', (engine) => {
  const server = suiteApp(engine, { TOS_URL: 'https://garden.example/terms', SIGN_UP: 'open' });
  const get = async (headers: Record<string, string> = {}) =>
    (await server.call('GET', '/api/server', { headers })).json;

  it('include the rules of sign-up, the confirmation of addresses, the terms, and the robots', async () => {
    const { robots, ...shown } = await get({ host: '192.168.1.7:3000' });
    expect(shown).toEqual({
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      sign_up: 'open',
      is_new: true,
      needs_code: false,
      verifies_addresses: false,
      sends_mail: false,
      mqtt_over_websocket: false,
      terms_url: 'https://garden.example/terms',
      privacy_url: null,
      demo_gardens: true,
      web_app: false,
      robot_address: 'http://192.168.1.7:3000',
    });
    expect(robots).toHaveLength(20);
    expect(robots).toContainEqual({ product_line: 'genesis_xl_1.8', model: 'FarmBot Genesis XL', version: '1.8' });
    await server.signUp();
    expect(await get()).toMatchObject({ is_new: false, needs_code: false });
  });

  it('have an address that a robot can reach', async () => {
    for (const host of ['localhost:3000', '127.0.0.1:3000', '[::1]:3000', '0.0.0.0:3000'])
      expect((await get({ host })).robot_address).not.toContain(host);
    expect((await get({ host: 'garden.example' })).robot_address).toBe('http://garden.example');
  });

  it('have no address if the server does not know its own', async () => {
    const inContainer = await startApp(engine, { IN_CONTAINER: 'on' });
    try {
      const addressAt = async (host: string) =>
        (await inContainer.call('GET', '/api/server', { headers: { host } })).json.robot_address;
      expect(await addressAt('localhost:3000')).toBeNull();
      expect(await addressAt('192.168.1.7:3000')).toBe('http://192.168.1.7:3000');
    } finally {
      await inContainer.close();
    }
  });

  it('say that clients on the internet need a code for the first account, and that there are no demo gardens', async () => {
    const closed = await startApp(engine, { SIGN_UP: 'closed', DEMO_ACCOUNTS: 'off' });
    try {
      const { json } = await closed.call('GET', '/api/server');
      expect(json).toMatchObject({ sign_up: 'closed', is_new: true, needs_code: true, demo_gardens: false });
      expect((await closed.call('POST', '/api/demo_gardens', { body: { product_line: 'none' } })).status).toBe(404);
    } finally {
      await closed.close();
    }
  });
});

describeEngines('links of invitations that do not exist', (engine) => {
  const server = suiteApp(engine, { RATE_LIMITS: 'on' });

  it('can be tried thirty times an hour by a network', async () => {
    const tries = async (from: string, what = 'show') =>
      (await server.call('POST', `/api/invitations/${what}`, { body: { token: 'x' }, from })).status;
    for (let i = 0; i < 30; i++) expect(await tries('203.0.113.9', i % 2 === 0 ? 'show' : 'decline')).toBe(404);
    expect(await tries('203.0.113.9')).toBe(429);
    expect(await tries('203.0.113.9', 'decline')).toBe(429);
    expect(await tries('203.0.113.10')).toBe(404);
  });
});
