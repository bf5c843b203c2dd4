import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { fakeServerScope } from '../../test/support/fake-scopes.ts';
import { HttpClient } from '../../test/support/http-client.ts';
import { FigureRecorder } from './figures.ts';

const clock = { time: Date.UTC(2026, 10, 21, 12), now: () => clock.time };
const logged: string[] = [];
const log = (_object: object, message: string) => void logged.push(message);
const logger = { debug: log, info: log, warn: log, error: log };

let http: Server;
let count: () => Promise<number>;
let figures: FigureRecorder;
beforeEach(async () => {
  count = async () => 4;
  logged.length = 0;
  http = createServer((request, response) => {
    response.statusCode = request.url === '/broken' ? 503 : 404;
    response.end();
  });
  const scope = fakeServerScope(clock, logger, { commits: 0, rollbacks: 0, identities: [] });
  figures = new FigureRecorder({
    clock,
    log: logger,
    server: () => ({ ...scope, count: () => count() }),
    broker: () => ({ connections: 7 }),
  });
  await figures.start(http);
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
});
afterEach(() => {
  figures.stop();
  http.closeAllConnections();
  http.close();
});

it('count responses and failures since the last sample', async () => {
  const { port } = http.address() as AddressInfo;
  const client = new HttpClient(`http://127.0.0.1:${port}`, 1);
  for (const path of ['/', '/broken', '/']) await client.get(path);
  clock.time += 60_000;
  await figures.sample();
  await figures.sample();
  const [first, second, third] = figures.samples;
  expect(first).toMatchObject({ requests: 0, errors: 0, broker_connections: 7, jobs_waiting: 4 });
  expect(Date.parse(second?.at ?? '') - Date.parse(first?.at ?? '')).toBe(60_000);
  expect(second).toMatchObject({ requests: 3, errors: 1, http_connections: 1 });
  expect(third).toMatchObject({ requests: 0, errors: 0 });
  client.close();
});

it('measure the time in which the event loop was blocked', async () => {
  const delays = async () => {
    const end = performance.now() + 700;
    while (performance.now() < end);
    // The block counts when the loop runs again.
    await new Promise((resolve) => setTimeout(resolve, 150));
    await figures.sample();
    return figures.samples.at(-1)?.event_loop_delay ?? 0;
  };
  // The first one may begin before the first measurement.
  await expect.poll(delays).toBeGreaterThan(400);
});

it('cover a day', async () => {
  const [oldest] = figures.samples;
  for (let sample = 2; sample <= 1440; sample++) await figures.sample();
  expect(figures.samples).toHaveLength(1440);
  expect(figures.samples[0]).toBe(oldest);
  await figures.sample();
  expect(figures.samples).toHaveLength(1440);
  expect(figures.samples[0]).not.toBe(oldest);
});

it('show that the database does not respond', async () => {
  count = async () => {
    throw new Error('The database is closed.');
  };
  await figures.sample();
  expect(figures.samples.at(-1)?.jobs_waiting).toBeNull();
  expect(logged).toEqual(['failed to count jobs']);
});
