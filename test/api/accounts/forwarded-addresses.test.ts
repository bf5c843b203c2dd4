import { describe, expect, it } from 'vitest';
import { password, suiteAccount, suiteApp } from '../../support/app.ts';

/** The addresses in a token of a client behind HTTPS, without `PUBLIC_URL`. */
describe.each([
  ['is trusted', '127.0.0.1', 'wss://garden.example:443/ws', '//garden.example:443'],
  ['is not trusted', 'off', 'ws://inner.example:80/ws', '//inner.example:80'],
])('where a proxy %s', (_case, TRUST_PROXY, mqtt_ws, iss) => {
  const server = suiteApp('sqlite', { TRUST_PROXY });
  const account = suiteAccount(server);

  it(`tokens say ${mqtt_ws}, and forms for uploads ${iss}`, async () => {
    const headers = {
      host: 'inner.example',
      'x-forwarded-for': '203.0.113.9',
      'x-forwarded-host': 'garden.example',
      'x-forwarded-proto': 'https',
    };
    const body = { user: { email: account.email, password } };
    const { json } = await server.call('POST', '/api/tokens', { body, headers });
    expect(json.token.unencoded).toMatchObject({ mqtt_ws, iss, mqtt: iss.slice(2).split(':')[0] });
    const { token } = account;
    const { json: upload } = await server.call('GET', '/api/storage_auth', { token, headers });
    expect(upload.url).toBe(`${iss}/direct_upload/`);
  });
});
