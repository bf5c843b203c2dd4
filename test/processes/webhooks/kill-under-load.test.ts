import { afterEach, expect, it } from 'vitest';
import { signUp } from '../../support/accounts.ts';
import { describeEngines } from '../../support/engines.ts';
import { HttpClient } from '../../support/http-client.ts';
import { numberAt } from '../../support/json.ts';
import { type ServerProcess, startServer } from '../../support/servers.ts';
import { suiteReceiver } from '../../support/webhook-receiver.ts';

describeEngines('webhooks of a killed server', (engine) => {
  const receiver = suiteReceiver();
  let server: ServerProcess | null = null;
  afterEach(async () => server?.remove());

  it('lose no acknowledged change and keep the order', async () => {
    const running = await startServer(engine, { RATE_LIMITS: 'off', FETCH_ALLOW: '127.0.0.1' });
    server = running;
    const { token, email } = await signUp(running, 'hooks');
    expect((await running.run(['user', 'admin', email, 'on'])).code).toBe(0);
    const hook = await running.client.post('/api/webhooks', { url: receiver.url('/'), resources: ['Tool'] }, token);
    expect(hook.status, hook.text).toBe(200);

    const acknowledged: number[] = [];
    const write = async () => {
      const client = new HttpClient(running.base, 1);
      for (let i = 0; ; i++) {
        const response = await client
          .post('/api/tools', { name: `${acknowledged.length} ${i}` }, token)
          .catch(() => null);
        if (!response) break;
        acknowledged.push(numberAt(response.json, 'id'));
      }
      client.close();
    };
    // With PostgreSQL a killed process keeps its delivery for 20 seconds.
    for (const round of engine === 'sqlite' ? [1, 2] : [1]) {
      const writing = write();
      await expect.poll(() => receiver.all.length).toBeGreaterThan(round * 30);
      await running.kill();
      await writing;
      await running.restart();
    }
    const first = new Map<string, number>();
    const seen = () => {
      for (const { headers, json } of receiver.all) first.set(String(headers['webhook-id']), json.data.id);
      return acknowledged.filter((id) => ![...first.values()].includes(id)).length;
    };
    await expect.poll(seen, { timeout: 60_000, interval: 500 }).toBe(0);
    // A repetition has the id of the first attempt.
    expect(new Set(first.values()).size).toBe(first.size);
    const order = [...first.values()];
    expect(order).toEqual([...order].sort((a, b) => a - b));
  });
});
