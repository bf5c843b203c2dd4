import { networkInterfaces } from 'node:os';
import { beforeAll, describe, expect, it } from 'vitest';
import { register, type SignedInAccount, signUp, uniqueEmail } from '../support/accounts.ts';
import { HttpClient } from '../support/http-client.ts';
import { textAt } from '../support/json.ts';
import { MqttTestClient } from '../support/mqtt-test-client.ts';
import { anyPort, suiteServer } from '../support/servers.ts';

const lanAddresses = Object.values(networkInterfaces()).flatMap((addresses) =>
  (addresses ?? []).filter((each) => each.family === 'IPv4' && !each.internal).map((each) => each.address),
);

const server = suiteServer('sqlite', { HOST: '0.0.0.0', RATE_LIMITS: 'off', MQTT_PORT: anyPort });
let account: SignedInAccount;

beforeAll(async () => {
  account = await signUp(server, 'addresses');
});

describe('the address in a token', () => {
  // On Linux all of 127.0.0.0/8 is local, which provides a second address without a network.
  for (const host of ['127.0.0.1', lanAddresses[0] ?? '127.0.0.2']) {
    it(`is ${host} if the client signed in there, and works`, async () => {
      const { email, password } = account;
      const here = new HttpClient(`http://${host}:${server.port}`);
      const response = await here.post('/api/tokens', { user: { email, password } });
      here.close();
      expect(response.status).toBe(200);
      const claims = 'token.unencoded';
      expect(textAt(response.json, `${claims}.iss`)).toBe(`//${host}:${server.port}`);
      expect(textAt(response.json, `${claims}.mqtt`)).toBe(host);

      const named = new HttpClient(`http:${textAt(response.json, `${claims}.iss`)}`);
      const device = await named.get('/api/device', textAt(response.json, 'token.encoded'));
      named.close();
      expect(device.status).toBe(200);
      expect(device.json).toMatchObject({ id: account.deviceId });

      const signIn = { username: account.bot, password: textAt(response.json, 'token.encoded') };
      const webSocket = textAt(response.json, `${claims}.mqtt_ws`);
      expect(webSocket).toBe(`ws://${host}:${server.port}/ws`);
      for (const url of [`mqtt://${host}:${server.env.MQTT_PORT}`, webSocket]) {
        const robot = await MqttTestClient.connect(url, signIn);
        await robot.subscribe(`bot/${account.bot}/from_clients`);
        await robot.publish(`bot/${account.bot}/from_clients`, '{}', { qos: 1 });
        await robot.waitUntil((received) => received.length === 1, `its own message over ${url}`);
        await robot.end();
      }
    });
  }
});

describe('a forged Host', () => {
  const forged = {
    host: 'evil.example',
    'x-forwarded-host': 'evil.example',
    forwarded: 'host=evil.example',
    origin: 'http://evil.example',
    referer: 'http://evil.example/',
  };

  async function mailsAfter(path: string, email: string, body: Record<string, string | boolean>): Promise<void> {
    const before = (await server.outbox.mailsTo(email)).length;
    const response = await server.client.send('POST', path, { body, headers: forged });
    expect(response.status).toBe(200);
    await expect.poll(async () => (await server.outbox.mailsTo(email)).length).toBe(before + 1);
    const mail = (await server.outbox.mailsTo(email))[before];
    expect(`${mail?.subject} ${mail?.text} ${mail?.html} ${mail?.source}`).not.toContain('evil');
    expect(mail?.text).toMatch(/http:\/\/[\w.:-]+\/(verify|password_reset)\//);
  }

  it('is not in the mail of a sign-up', async () => {
    const email = uniqueEmail('forged');
    const password = 'password123';
    const body = { name: 'F', email, password, password_confirmation: password, agree_to_terms: true };
    await mailsAfter('/api/users', email, body);
  });

  it('is not in a verification mail that is sent again', async () => {
    const { email } = await register(server.client, 'again');
    await server.outbox.linkTo(email, 'verify');
    await mailsAfter('/api/users/resend_verification', email, { email });
  });

  it('is not in the mail of a password reset', async () => {
    await mailsAfter('/api/password_resets', account.email, { email: account.email });
  });
});

describe('the log at start', () => {
  it('contains the address for robots', () => {
    const hosts = lanAddresses.length > 0 ? lanAddresses : ['127.0.0.1', 'localhost'];
    const logged = hosts.filter((host) => server.logs().includes(`http://${host}:${server.port}`));
    expect(logged).not.toEqual([]);
  });
});
