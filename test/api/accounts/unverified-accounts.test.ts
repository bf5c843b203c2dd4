import { expect, it } from 'vitest';
import { tokenIssuances } from '../../../src/accounts/token-issuances.ts';
import { users } from '../../../src/accounts/users.ts';
import { devices } from '../../../src/device/devices.ts';
import type { TestApp } from '../../support/app.ts';
import { password, suiteApp } from '../../support/app.ts';
import { describeEngines } from '../../support/engines.ts';

const day = 86_400_000;

async function signUp(server: TestApp, email: string): Promise<{ id: number; device_id: number }> {
  const body = { name: 'Ada', email, password, password_confirmation: password };
  // From the internet: the account does not become an administrator.
  expect((await server.call('POST', '/api/users', { body, from: '203.0.113.7' })).status).toBe(200);
  const user = await server.app.server().first(users, { where: { email } });
  if (!user) throw new Error('no user');
  return user;
}

describeEngines('an account whose address is not confirmed', (engine) => {
  const clock = { time: Date.UTC(2026, 3, 1), now: () => clock.time };
  const server = suiteApp(engine, { EMAIL_VERIFICATION: 'required' }, { now: clock.now });
  const nextDay = async (): Promise<readonly string[]> => {
    clock.time += day;
    await server.app.runJobs();
    return (await server.app.server().rows(users)).map(({ email }) => email).sort();
  };

  it('is deleted with its device after a week, unless it was confirmed or used', async () => {
    const scope = server.app.server();
    const { device_id } = await signUp(server, 'forgotten@example.com');
    const confirmed = await signUp(server, 'confirmed@example.com');
    // Signed in while verification was off.
    const used = await signUp(server, 'used@example.com');
    await scope.update(users, { confirmed_at: '2026-04-01T00:00:00.000Z' }, { where: { id: confirmed.id } });
    const token = { user_id: used.id, jti: 'x', aud: 'human', exp: clock.time };
    await scope.device(used.device_id).insert(tokenIssuances, token);
    for (let i = 0; i < 6; i++)
      expect(await nextDay()).toEqual(['confirmed@example.com', 'forgotten@example.com', 'used@example.com']);
    // Its token has expired, but the requests count.
    await scope.update(users, { sign_in_count: 1 }, { where: { id: used.id } });
    await signUp(server, 'young@example.com');
    await nextDay();
    expect(await nextDay()).toEqual(['confirmed@example.com', 'used@example.com', 'young@example.com']);
    expect(await scope.count(devices, { where: { id: device_id } })).toBe(0);
    expect((await signUp(server, 'forgotten@example.com')).id).toBeGreaterThan(confirmed.id);
  });
});

describeEngines('an account of a server without verification', (engine) => {
  const clock = { time: Date.UTC(2026, 3, 1), now: () => clock.time };
  const server = suiteApp(engine, {}, { now: clock.now });

  it('is kept, even if its address was not confirmed before', async () => {
    const { id } = await signUp(server, 'ada@example.com');
    await server.app.server().update(users, { confirmed_at: null }, { where: { id } });
    clock.time += 30 * day;
    await server.app.runJobs();
    expect(await server.app.server().count(users)).toBe(1);
  });
});
