import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import type { Account } from '../support/app.ts';
import { password, suiteApp } from '../support/app.ts';
import { describeEngines } from '../support/engines.ts';
import { example } from '../support/examples.ts';
import type { Operation } from '../support/operations.ts';
import { publishedOperations } from '../support/operations.ts';

// Concurrent requests on the same records, also while the device itself is replaced or deleted.

const rounds = 6;
const requests = 120;
const filled = [
  'tools',
  'curves',
  'points',
  'point_groups',
  'saved_gardens',
  'plant_templates',
  'folders',
  'peripherals',
];

describeEngines('concurrent requests', (engine) => {
  const server = suiteApp(engine);
  let operations: readonly Operation[];
  beforeAll(async () => {
    await server.app.attach(() => undefined);
    operations = publishedOperations(server.app).filter(
      ({ isPrivate, method, path }) => isPrivate && !(method === 'DELETE' && /(users|tokens)$/.test(path)),
    );
  });

  /** Returns a valid body, or one that conflicts with the existing record. */
  async function bodyFor(family: string, account: Account, existing: Record<string, unknown>, collides: boolean) {
    const body = filled.includes(family) ? await example(server, family, account) : { name: 'Another name' };
    if (!collides) return body;
    const { name, pin, label } = existing;
    return { ...body, name, pin, label, ...(family === 'points' && { pointer_type: 'ToolSlot', tool_id: 1 }) };
  }

  it('never fail with 5xx and leave the account usable', async () => {
    const statuses = new Set<number>();
    for (let round = 0; round < rounds; round++) {
      const account = await server.signUp();
      const { token } = account;
      for (const name of filled)
        await server.call('POST', `/api/${name}`, { token, body: await example(server, name, account) });
      const first = new Map<string, Record<string, unknown>>();
      for (const name of filled) first.set(name, (await server.call('GET', `/api/${name}`, { token })).json[0]);
      // The second half of the rounds also replaces and deletes the device.
      const replacesDevice = ({ method, path }: Operation) => path === '/api/device' && /POST|DELETE/.test(method);
      const chosen = operations.filter((each) => round >= rounds / 2 || !replacesDevice(each));
      const actions = fc.sample(fc.constantFrom(...chosen), { seed: round + 1, numRuns: requests });
      const responses = await Promise.all(
        actions.map(async ({ method, path, fields }, index) => {
          const family = path.split('/')[2] ?? '';
          const existing = first.get(family) ?? { id: 1 };
          const body = fields === null ? undefined : await bodyFor(family, account, existing, index % 2 === 0);
          const url = path.replace(/\{\w+\}/, String(existing.id));
          const { status, text } = await server.call(method, url, { token, ...(body && { body }) });
          return { request: `${method} ${url} ${JSON.stringify(body)}`, status, text };
        }),
      );
      expect(responses.filter(({ status }) => status >= 500)).toEqual([]);
      for (const { status } of responses) statuses.add(status);
      const session = await server.call('POST', '/api/tokens', { body: { user: { email: account.email, password } } });
      expect(session.status, session.text).toBe(200);
      const fresh = { token: session.json.token.encoded };
      for (const path of ['device', 'device/sync', ...filled]) {
        const response = await server.call('GET', `/api/${path}`, fresh);
        expect(response.status, `${path} ${response.text}`).toBe(200);
      }
    }
    for (const status of statuses) expect([200, 401, 403, 404, 409, 422]).toContain(status);
    for (const status of [200, 404, 422]) expect(statuses).toContain(status);
  });
});
