import { createHmac, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type SignedInAccount, signIn, signUp } from '../support/accounts.ts';
import { describeEngines } from '../support/engines.ts';
import { HttpClient } from '../support/http-client.ts';
import { type Json, type JsonObject, textAt } from '../support/json.ts';
import { suiteServer } from '../support/servers.ts';

const part = (value: JsonObject): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const partsOf = (token: string): [string, string, string] => {
  const [head = '', payload = '', signature = ''] = token.split('.');
  return [head, payload, signature];
};
const claimsOf = (token: string): JsonObject =>
  JSON.parse(Buffer.from(partsOf(token)[1], 'base64url').toString()) as JsonObject;

const refusedToken = { error: { jwt: expect.any(String), strategy: 'jwt' } };

describeEngines('sessions', (engine) => {
  const server = suiteServer(engine, { EMAIL_VERIFICATION: 'off', RATE_LIMITS: 'off' });
  const join = (name: string): Promise<SignedInAccount> => signUp({ client: server.client, outbox: null }, name);
  const again = async ({ name, email, password }: SignedInAccount): Promise<string> =>
    (await signIn(server.client, name, email, password)).token;
  const statusOf = async (token: string): Promise<number> => (await server.client.get('/api/device', token)).status;
  const patch = (path: string, body: Json, token?: string) =>
    server.client.send('PATCH', path, token === undefined ? { body } : { body, token });

  async function expectRefused(token: string): Promise<void> {
    const response = await server.client.get('/api/device', token);
    expect([response.status, response.json], token).toEqual([401, refusedToken]);
    const written = await server.client.post('/api/tools', { name: 'Never' }, token);
    expect(written.status, token).toBe(401);
  }

  it('a new password revokes all other tokens', async () => {
    const account = await join('password');
    const others = [await again(account), await again(account)];
    const otherAccount = await join('stranger');
    const body = { password: account.password, new_password: 'another-one', new_password_confirmation: 'another-one' };

    const wrong = await patch('/api/users', { ...body, password: 'not this' }, account.token);
    expect([wrong.status, Object.keys(wrong.json as JsonObject)]).toEqual([422, ['password']]);
    for (const token of [account.token, ...others]) expect(await statusOf(token)).toBe(200);

    expect((await patch('/api/users', body, account.token)).status).toBe(200);
    expect(await statusOf(account.token)).toBe(200);
    for (const token of others) await expectRefused(token);
    expect(await statusOf(otherAccount.token)).toBe(200);

    const old = await server.client.post('/api/tokens', {
      user: { email: account.email, password: account.password },
    });
    expect([old.status, old.json]).toEqual([422, { auth: 'Bad email or password.' }]);
    expect(await statusOf(await again({ ...account, password: 'another-one' }))).toBe(200);
  });

  it('a new password also revokes concurrent sign-ins with the old one', async () => {
    const account = await join('meanwhile');
    const { email, password } = account;
    const manyConnections = new HttpClient(server.base, 24);
    const opened: string[] = [];
    let isChanged = false;
    // Verifying a password takes time, so that some sign-ins are always waiting.
    const signingIn = Array.from({ length: 20 }, async () => {
      while (!isChanged) {
        const response = await manyConnections.post('/api/tokens', { user: { email, password } });
        if (response.status === 200) opened.push(textAt(response.json, 'token.encoded'));
        else expect([response.status, response.json]).toEqual([422, { auth: 'Bad email or password.' }]);
      }
    });
    await expect.poll(() => opened.length).toBeGreaterThan(0);
    const body = { password, new_password: 'another-one', new_password_confirmation: 'another-one' };
    expect((await patch('/api/users', body, account.token)).status).toBe(200);
    isChanged = true;
    await Promise.all(signingIn);
    manyConnections.close();
    expect(await Promise.all(opened.map(statusOf))).toEqual(opened.map(() => 401));
    expect(await statusOf(account.token)).toBe(200);
  });

  describe('a forgotten password', () => {
    async function resetToken(account: SignedInAccount): Promise<string> {
      const before = (await server.outbox.mailsTo(account.email)).length;
      expect((await server.client.post('/api/password_resets', { email: account.email })).status).toBe(200);
      await expect.poll(async () => (await server.outbox.mailsTo(account.email)).length).toBe(before + 1);
      const mail = (await server.outbox.mailsTo(account.email))[before];
      return /\/password_reset\/([\w.-]+)/.exec(mail?.text ?? '')?.[1] ?? '';
    }
    const change = (id: string, password: string) =>
      patch('/api/password_resets', { id, password, password_confirmation: password });

    it('can be reset once per link, which revokes every token', async () => {
      const account = await join('reset');
      const token = await resetToken(account);
      const [first, second] = await Promise.all([change(token, 'first-one-1'), change(token, 'second-one-2')]);
      const [done, refused, password] =
        first.status === 200 ? [first, second, 'first-one-1'] : [second, first, 'second-one-2'];
      expect([done.status, refused.status, Object.keys(refused.json as JsonObject)]).toEqual([200, 422, ['reset']]);
      const third = await change(token, 'third-one-3');
      expect([third.status, Object.keys(third.json as JsonObject)]).toEqual([422, ['reset']]);

      await expectRefused(account.token);
      expect(await statusOf(textAt(done.json, 'token.encoded'))).toBe(200);
      expect(await statusOf(await again({ ...account, password }))).toBe(200);
    });

    it('cannot be reset with tokens of other kinds or other keys', async () => {
      const account = await join('kinds');
      const token = await resetToken(account);
      await expectRefused(token);
      const session = await change(account.token, 'never-this-1');
      expect([session.status, Object.keys(session.json as JsonObject)]).toEqual([422, ['reset']]);
      const [head, , signature] = partsOf(token);
      const tampered = `${head}.${part({ ...claimsOf(token), sub: 'eve@example.com' })}.${signature}`;
      const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
      const [, payload] = partsOf(token);
      const foreign = `${head}.${payload}.${sign('sha256', Buffer.from(`${head}.${payload}`), privateKey).toString('base64url')}`;
      for (const forged of [tampered, foreign]) {
        const response = await change(forged, 'never-this-2');
        expect([response.status, response.json]).toEqual([401, { error: expect.any(String) }]);
      }
      for (const broken of ['x', `${head}.${payload}`, '..']) {
        const response = await change(broken, 'never-this-3');
        expect([broken, response.status, Object.keys(response.json as JsonObject)]).toEqual([broken, 422, ['reset']]);
      }
      expect(await statusOf(await again(account))).toBe(200);
    });
  });

  it('a sign-out revokes its token, but no other of the account', async () => {
    const account = await join('out');
    const other = await again(account);
    const renewed = textAt((await server.client.get('/api/tokens', account.token)).json, 'token.encoded');
    const out = await server.client.send('DELETE', '/api/tokens', { token: account.token });
    expect([out.status, out.text]).toEqual([204, '']);
    await expectRefused(account.token);
    const twice = await server.client.send('DELETE', '/api/tokens', { token: account.token });
    expect(twice.status).toBe(401);
    expect((await server.client.get('/api/tokens', account.token)).status).toBe(401);
    expect(await statusOf(other)).toBe(200);
    expect(await statusOf(renewed)).toBe(200);
  });

  it('forged tokens are rejected', async () => {
    const victim = await join('victim');
    const attacker = await join('attacker');
    const pem = (await server.client.get('/api/public_key')).text;
    const der = createPublicKey(pem).export({ type: 'spki', format: 'der' });
    const [head, payload, signature] = partsOf(attacker.token);
    const [, claims, otherSignature] = partsOf(victim.token);
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const rs256 = (text: string): string => sign('sha256', Buffer.from(text), privateKey).toString('base64url');
    const none = (alg: string): string => part({ typ: 'JWT', alg });
    const hmac = part({ typ: 'JWT', alg: 'HS256' });
    const hmacs = [pem, pem.trim(), der].map((key) =>
      createHmac('sha256', key).update(`${hmac}.${claims}`).digest('base64url'),
    );
    const later = part({ ...claimsOf(attacker.token), exp: 4_000_000_000 });
    const asVictim = part({ ...claimsOf(attacker.token), sub: victim.userId, bot: victim.bot });
    const withKey = part({
      typ: 'JWT',
      alg: 'RS256',
      jwk: createPublicKey(privateKey).export({ format: 'jwk' }) as JsonObject,
    });
    const forged = [
      ...['none', 'None', 'NONE'].flatMap((alg) => [
        `${none(alg)}.${claims}.`,
        `${none(alg)}.${claims}.${otherSignature}`,
      ]),
      ...hmacs.map((mac) => `${hmac}.${claims}.${mac}`),
      `${head}.${claims}.${rs256(`${head}.${claims}`)}`,
      `${withKey}.${claims}.${rs256(`${withKey}.${claims}`)}`,
      `${head}.${claims}.${signature}`,
      `${head}.${asVictim}.${signature}`,
      `${head}.${later}.${signature}`,
      `${head}.${claims}.`,
      `${head}.${claims}`,
      `${head}..${signature}`,
      `${payload}.${head}.${signature}`,
      'x',
      '..',
      'null',
    ];
    for (const token of forged) await expectRefused(token);
    expect((await server.client.get('/api/tools', victim.token)).json).toEqual([]);
    // An empty header is reported in the same shape, a missing one in another.
    const blank = await server.client.get('/api/device', '');
    expect([blank.status, blank.json]).toEqual([401, { error: { jwt: expect.any(String), strategy: null } }]);
    const bare = await server.client.get('/api/device');
    expect([bare.status, bare.json]).toEqual([401, { error: expect.any(String) }]);
    for (const form of ['Bearer ', 'bearer ', 'Bearer: ']) expect(await statusOf(form + victim.token)).toBe(200);
  });

  it('the tokens of a deleted account are rejected, and its address can be registered again', async () => {
    const account = await join('gone');
    const other = await again(account);
    const remove = (password: string) =>
      server.client.send('DELETE', '/api/users', { token: account.token, body: { password } });
    expect((await remove('not this')).status).toBe(422);
    expect((await remove(account.password)).status).toBe(200);
    await expect.poll(() => statusOf(account.token)).toBe(401);
    await expectRefused(account.token);
    await expectRefused(other);
    const { email, password } = account;
    const late = await server.client.post('/api/tokens', { user: { email, password } });
    expect([late.status, late.json]).toEqual([422, { auth: 'Bad email or password.' }]);

    const body = { name: 'New', email, password, password_confirmation: password, agree_to_terms: true };
    expect((await server.client.post('/api/users', body)).status).toBe(200);
    const next = await signIn(server.client, 'new', email, password);
    expect(next.userId).toBeGreaterThan(account.userId);
    expect(next.deviceId).toBeGreaterThan(account.deviceId);
    await expectRefused(account.token);
  });

  it('survive a restart of the server', async () => {
    const account = await join('restart');
    const signedOut = await again(account);
    await server.client.send('DELETE', '/api/tokens', { token: signedOut });
    await server.restart();
    expect(await statusOf(account.token)).toBe(200);
    await expectRefused(signedOut);
  });
});
