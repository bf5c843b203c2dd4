import { afterAll, beforeAll, expect, it } from 'vitest';
import { uniqueEmail } from './support/accounts.ts';
import { freePort } from './support/free-port.ts';
import { HttpClient } from './support/http-client.ts';
import { numberAt, textAt } from './support/json.ts';
import { createTempFolder, ServerProcess } from './support/servers.ts';

let server: ServerProcess;

beforeAll(async () => {
  // Only the port is set, because 3000 may be in use.
  server = new ServerProcess(await createTempFolder(), await freePort(), {});
  await server.start();
}, 30_000);

afterAll(async () => {
  await server.remove();
});

it('works in an empty folder without settings, and persists data', { timeout: 60_000 }, async () => {
  const { client } = server;
  const email = uniqueEmail('ada');
  const password = 'password123';
  const registration = { name: 'Ada', email, password, password_confirmation: password, agree_to_terms: true };
  expect((await client.post('/api/users', registration)).status).toBe(200);
  // Without a mail server, the account needs no confirmation.
  const session = await client.post('/api/tokens', { user: { email, password } });
  expect(session.status).toBe(200);
  const token = textAt(session.json, 'token.encoded');

  // The link contains the address of the machine.
  expect((await client.post('/api/password_resets', { email })).status).toBe(200);
  const link = await server.outbox.linkTo(email, 'password_reset');
  await expect.poll(() => server.logs()).toContain(link.href);
  const mailed = new HttpClient(link.origin);
  expect((await mailed.get(link.pathname)).status).toBe(200);
  mailed.close();

  const created = await client.post('/api/tools', { name: 'Trowel' }, token);
  expect(created.status).toBe(200);
  const id = numberAt(created.json, 'id');
  const tools = await client.get('/api/tools', token);
  expect(tools.json).toEqual([created.json]);

  expect(await server.stop()).toBe(0);
  await server.start();

  const again = await client.get('/api/tools', token);
  expect(again.status).toBe(200);
  expect(again.json).toEqual([created.json]);
  const next = await client.post('/api/tools', { name: 'Rake' }, token);
  expect(numberAt(next.json, 'id')).toBeGreaterThan(id);
  expect((await client.post('/api/tokens', { user: { email, password } })).status).toBe(200);
});

it('refuses a second server on the same folder, and continues', { timeout: 30_000 }, async () => {
  const second = await server.run(['serve'], { PORT: String(await freePort()) });
  expect(second.code).not.toBe(0);
  expect(second.output).toContain(server.dataDir);
  expect((await server.client.get('/api/public_key')).status).toBe(200);
});
