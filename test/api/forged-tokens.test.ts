import { createHmac, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { serverKeys } from '../../src/accounts/key-pair.ts';
import type { TestResponse } from '../support/app.ts';
import { describeEngines } from '../support/engines.ts';
import { Outbox } from '../support/outbox.ts';
import { suiteAccounts, victimMarker } from '../support/two-accounts.ts';

describeEngines('forged and stale tokens', (engine) => {
  const both = suiteAccounts(engine);

  it('are rejected by every operation', async () => {
    const { server, attacker, victim, ids, operations, folder } = both;
    const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const [head = '', payload = '', signature = ''] = victim.token.split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
    const signed = (key: KeyObject, changes: object = {}, header: object = { alg: 'RS256', typ: 'JWT' }) => {
      const text = `${encoded(header)}.${encoded({ ...claims, ...changes })}`;
      return `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`;
    };
    const stored = (await server.app.server().first(serverKeys))?.pem;
    const real = createPrivateKey(stored ?? readFileSync(join(folder, 'keys', 'tokens.pem')));
    const { privateKey: other, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const publicPem = createPublicKey(real).export({ type: 'spki', format: 'pem' });
    const symmetric = `${encoded({ alg: 'HS256', typ: 'JWT' })}.${payload}`;
    const { json: stale } = await both.call(undefined, 'POST', '/api/tokens', {
      user: { email: victim.email, password: 'password123' },
    });
    expect((await both.call(stale.token.encoded, 'DELETE', '/api/tokens')).status).toBe(204);
    await both.call(undefined, 'POST', '/api/password_resets', { email: victim.email });
    await server.app.runJobs();
    const reset = (await new Outbox(join(folder, 'outbox')).linkTo(victim.email, 'password_reset')).pathname
      .split('/')
      .at(-1);
    const tokens: Readonly<Record<string, string | undefined>> = {
      none: undefined,
      nonsense: 'nonsense',
      'no algorithm': `${encoded({ alg: 'none', typ: 'JWT' })}.${payload}.`,
      'no algorithm, with a signature': `${encoded({ alg: 'none' })}.${payload}.${signature}`,
      'the public key as a secret': `${symmetric}.${createHmac('sha256', publicPem).update(symmetric).digest('base64url')}`,
      'another key': signed(other),
      'another key that it brings along': signed(
        other,
        {},
        { alg: 'RS256', jwk: publicKey.export({ format: 'jwk' }), kid: '../../dev/null' },
      ),
      'no signature': `${head}.${payload}.`,
      'a changed payload': `${head}.${encoded({ ...claims, jti: 'x' })}.${signature}`,
      expired: signed(real, { exp: Math.floor(Date.now() / 1000) - 1 }),
      'a session that never was': signed(real, { jti: 'made up' }),
      'a session of another device': signed(real, { bot: `device_${attacker.deviceId}` }),
      'a device that is none': signed(real, { bot: 'device_1 or 1=1' }),
      'signed out': stale.token.encoded,
      'for a new password': reset,
    };
    // All operations read tokens in the same way, which is all that the engine takes part in.
    const asked = engine === 'sqlite' ? operations : operations.filter(({ path }) => path === '/api/device');
    // A token that this test signs with the real key is accepted, so the others are rejected for their content only.
    expect((await both.call(signed(real), 'GET', '/api/device')).json.name).toBe(victimMarker);
    await both.expectUnchanged(async () => {
      const responses: TestResponse[] = [];
      for (const [name, token] of Object.entries(tokens))
        for (const { method, path, fields } of asked) {
          const id = String(ids[path.split('/')[2] ?? ''] ?? 1);
          const response = await both.call(
            token,
            method,
            path.replace(/\{\w+\}/, id),
            fields === null ? undefined : {},
          );
          expect([response.status, Object.keys(response.json)], `${name}: ${method} ${path} ${response.text}`).toEqual([
            401,
            ['error'],
          ]);
          responses.push(response);
        }
      const change = { password: 'password124', password_confirmation: 'password124' };
      const resets = Object.values(tokens).filter((token) => token !== reset && token !== undefined);
      for (const id of resets) {
        const response = await both.call(undefined, 'PUT', '/api/password_resets', { ...change, id });
        expect([401, 422], response.text).toContain(response.status);
        responses.push(response);
      }
      return responses;
    });
    expect((await both.call(victim.token, 'GET', '/api/device')).status).toBe(200);
  });
});
