import inject from 'light-my-request';
import { expect, it } from 'vitest';
import { startApp } from '../test/support/app.ts';

it('knows its config and counts requests when the first one arrives', async () => {
  const server = await startApp('sqlite', { HOST: '127.0.0.1', PORT: '0', METRICS: 'on' });
  const { http } = server.app;
  const first = new Promise<inject.Response>((resolve) => {
    http.server.once('listening', () =>
      resolve(inject((request, response) => void http.server.emit('request', request, response), '/api/global_config')),
    );
  });
  await server.app.listen();
  expect((await first).json()).toMatchObject({ NODE_ENV: 'production' });
  expect((await server.call('GET', '/metrics')).text).toContain(
    'potager_http_requests_total{method="GET",status="2xx"} 1\n',
  );
  await server.close();
});
