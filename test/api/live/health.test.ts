import { afterEach, describe, expect, it } from 'vitest';
import type { TestApp } from '../../support/app.ts';
import { startApp } from '../../support/app.ts';
import { freePort } from '../../support/free-port.ts';
import { HttpClient } from '../../support/http-client.ts';

describe('a running server', () => {
  let server: TestApp | null = null;
  afterEach(async () => {
    await server?.close();
    server = null;
  });

  async function started(environment: Record<string, string> = {}): Promise<HttpClient> {
    const MQTT_PORT = String(await freePort());
    server = await startApp('sqlite', { HOST: '127.0.0.1', PORT: '0', MQTT_PORT, ...environment });
    return new HttpClient((await server.app.listen()).address);
  }

  it('is healthy, and does not publish metrics', async () => {
    const http = await started();
    const health = await http.get('/health');
    expect([health.status, health.json]).toEqual([
      200,
      {
        status: 'ok',
        database: { ok: true, message: 'The database responds.' },
        broker: { ok: true, message: 'The message broker is running.' },
        photos: { ok: true, message: 'Photos can be stored.' },
        disk: { ok: true, message: 'There is enough free space.' },
        jobs: { ok: true, message: 'No background job failed permanently.', waiting: 0, failed: 0 },
        proxy: { ok: true, message: 'No request came through a proxy that TRUST_PROXY does not name.', local: true },
      },
    ]);
    expect((await http.get('/metrics')).status).toBe(404);
    http.close();
  });

  it('publishes metrics where they are enabled', async () => {
    const http = await started({ METRICS: 'on' });
    await http.get('/api/public_key');
    const { status, text } = await http.get('/metrics');
    expect(status).toBe(200);
    for (const figure of [
      'potager_broker_up 1',
      'potager_broker_connections 0',
      'potager_announcements_waiting 0',
      'potager_jobs{state="dead"} 0',
      'potager_logs_taken_total 0',
      'potager_http_requests_total{method="GET",status="2xx"} 1',
    ])
      expect(text.split('\n')).toContain(figure);
    http.close();
  });
});
