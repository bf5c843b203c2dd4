import { Farmbot } from 'farmbot';
import { beforeAll, expect, it } from 'vitest';
import { type SignedInAccount, signUp } from '../support/accounts.ts';
import { suiteServer } from '../support/servers.ts';

const server = suiteServer('sqlite', { RATE_LIMITS: 'off' });
let account: SignedInAccount;

beforeAll(async () => {
  account = await signUp(server, 'farmbot');
});

it('signs in the way the JavaScript client documents it, and the client reads the token', async () => {
  const response = await fetch(`${server.base}/api/tokens`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ user: { email: account.email, password: account.password } }),
  });
  expect(response.status).toBe(200);
  const { token } = (await response.json()) as { token: { encoded: string } };

  const bot = new Farmbot({ token: token.encoded });
  expect(bot.getConfig('token')).toBe(token.encoded);
  expect(bot.getConfig('mqttServer')).toBe('mqtt://127.0.0.1:1883');
  expect(bot.getConfig('mqttUsername')).toBe(account.bot);
  expect(bot.getConfig('speed')).toBe(100);
  expect(bot.getConfig('secure')).toBe(true);
});

it('creates tokens of each kind that standard Base64 decoders can read', async () => {
  const renewed = await server.client.get('/api/tokens', account.token);
  expect(renewed.status).toBe(200);
  const { token } = renewed.json as { token: { encoded: string } };
  const payload = token.encoded.split('.')[1] ?? '';
  // Neither atob nor older decoders know the URL alphabet.
  expect(payload).toMatch(/^[A-Za-z0-9]+$/);
  expect(new Farmbot({ token: token.encoded }).getConfig('mqttUsername')).toBe(account.bot);
});
