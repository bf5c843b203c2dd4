import { expect, it } from 'vitest';
import { startApp } from '../support/app.ts';
import { join } from '../support/members.ts';

it('a removed member has no access through another process moments later (postgres)', async () => {
  const first = await startApp('postgres');
  const url = first.settings.DATABASE_URL;
  // The key is in the database.
  const second = await startApp('postgres', { DATABASE_URL: String(url) });
  const owner = await first.signUp();
  const viewer = await join(first, owner, await first.signUp(), 'viewer');
  const read = async () => (await second.call('GET', '/api/points', { token: viewer.token })).status;
  expect(await read()).toBe(200);
  expect((await first.call('DELETE', `/api/members/${viewer.userId}`, { token: owner.token })).status).toBe(200);
  await expect.poll(read, { timeout: 5000, interval: 1 }).toBe(401);
  await second.close();
  await first.close();
});
