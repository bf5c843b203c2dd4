import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';
import { describeEngines } from '../../support/engines.ts';
import { HttpClient } from '../../support/http-client.ts';

const minute = 60_000;

describeEngines('figures over time', (engine) => {
  let app: TestApp;
  let http: HttpClient;
  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    app = await startApp(engine, { HOST: '127.0.0.1', PORT: '0' });
    http = new HttpClient((await app.app.listen()).address);
  });
  afterEach(async () => {
    http.close();
    await app.close();
    vi.useRealTimers();
  });

  const read = async (token: string) => (await app.call('GET', '/api/admin/figures', { token })).json;
  const afterMinute = async (token: string, count: number) => {
    await vi.advanceTimersByTimeAsync(minute);
    await expect.poll(async () => (await read(token)).samples.length).toBe(count);
    return (await read(token)).samples.at(-1);
  };

  it('are sampled each minute, for administrators', async () => {
    const [admin, other] = [await app.signUp(), await app.signUp()];
    const refusal = await app.call('GET', '/api/admin/figures', { token: other.token });
    expect([refusal.status, refusal.json]).toEqual([403, { error: expect.stringContaining('administrators') }]);
    const first = await read(admin.token);
    expect(first).toEqual({
      process: expect.stringContaining(String(process.pid)),
      interval: 60,
      samples: [
        {
          at: expect.stringMatching(/^20.*Z$/),
          requests: 0,
          errors: 0,
          memory: expect.any(Number),
          event_loop_delay: 0,
          jobs_waiting: 0,
          http_connections: 0,
          broker_connections: null,
        },
      ],
    });
    expect(first.samples[0].memory).toBeGreaterThan(10_000_000);
    for (const path of ['/api/public_key', '/api/none', '/api/tools']) await http.get(path);
    const stream = await fetch(`${http.base}/api/events`, { headers: { authorization: admin.token } });
    // The stream has not ended, and is a connection.
    expect(await afterMinute(admin.token, 2)).toMatchObject({ requests: 3, errors: 0, http_connections: 2 });
    await stream.body?.cancel();
    expect(await afterMinute(admin.token, 3)).toMatchObject({ requests: 1 });
  });
});
