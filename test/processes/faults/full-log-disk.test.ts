import { closeSync, openSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ServerProcess } from '../../support/servers.ts';
import { prepareMigratedServer } from '../../support/servers.ts';

let server: ServerProcess;

beforeAll(async () => {
  server = await prepareMigratedServer('sqlite', { METRICS: 'on' });
});

afterAll(() => server.remove());

it('serves and stops while the disk of its log is full', async () => {
  const full = openSync('/dev/full', 'a');
  await server.start(full);
  closeSync(full);
  for (let i = 0; i < 3; i++) expect((await server.client.get('/health')).status).toBe(200);
  expect((await server.client.get('/metrics')).text).toContain('potager_log_lines_dropped_total');
  expect(await server.stop()).toBe(0);
});
