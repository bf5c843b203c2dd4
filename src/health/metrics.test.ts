import { EventEmitter, once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import inject from 'light-my-request';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createEdge, useEdge } from '../../test/support/edge.ts';
import { checkReply } from '../../test/support/reply-check.ts';
import { Counters, counterDescriptions } from '../core/counters.ts';
import { noRecords } from '../db/announced-records.ts';
import { ChangeLog } from '../db/change-log.ts';
import { migrations } from '../db/migrations/list.ts';
import { migrate } from '../db/migrator.ts';
import { openDatabase } from '../db/open.ts';
import type { ServerScope } from '../db/scope.ts';
import { createScopeFactory } from '../db/scopes.ts';
import type { Database } from '../db/session.ts';
import { jobs } from '../jobs/job-rows.ts';
import { HealthCheck } from './health-check.ts';
import { healthRoutes } from './health-routes.ts';
import type { Metrics } from './metrics.ts';
import { createMetrics } from './metrics.ts';

useEdge();

const logged: string[] = [];
const log = (_object: object, message: string) => void logged.push(message);
const logger = { debug: log, info: log, warn: log, error: log };
const probe = { isWritable: async () => true };
const clock = { now: () => Date.UTC(2026, 10, 21, 12) };

let folder: string;
let database: Database;
let server: () => ServerScope;
let counters: Counters;
let broker: { ok: boolean; connections: number | null } | null;
let metrics: Metrics;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'potager-metrics-'));
  database = await openDatabase(null, folder, () => undefined);
  await migrate(database, migrations, { clock, log: logger, copies: folder });
  const source = createScopeFactory({
    database,
    clock,
    changeLog: new ChangeLog(),
    records: noRecords,
  });
  server = () => source(logger);
  counters = new Counters();
  broker = { ok: true, connections: 3 };
  logged.length = 0;
  metrics = await createMetrics({ counters, broker: () => broker, server, log: logger });
});
afterEach(async () => {
  await database.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Returns the lines of metrics with this prefix. */
const lines = async (name: string): Promise<string[]> =>
  (await metrics.text()).split('\n').filter((line) => line.startsWith(name));

describe('metrics', () => {
  it('contain every counter with its reasons, and never decrease', async () => {
    for (const name of Object.keys(counterDescriptions)) expect(await lines(`potager_${name}_total`)).toHaveLength(1);
    counters.add('broker_refusals', 'bad_token');
    counters.add('broker_refusals', 'bad_token');
    counters.add('broker_refusals', 'topic');
    counters.add('broker_logins', '', 5);
    for (let i = 0; i < 2; i++) {
      expect(await lines('potager_broker_refusals_total')).toEqual([
        'potager_broker_refusals_total{reason="bad_token"} 2',
        'potager_broker_refusals_total{reason="topic"} 1',
      ]);
      expect(await lines('potager_broker_logins_total')).toEqual(['potager_broker_logins_total 5']);
    }
  });

  it('report the broker, or omit it if unknown', async () => {
    expect(await lines('potager_broker_connections')).toEqual(['potager_broker_connections 3']);
    broker = { ok: false, connections: null };
    expect(await lines('potager_broker_connections')).toEqual([]);
    expect(await lines('potager_broker_up')).toEqual(['potager_broker_up 0']);
    broker = null;
    expect(await lines('potager_broker_up')).toEqual([]);
  });

  it('report jobs and announcements, and survive a failure of the database', async () => {
    const job = { kind: 'mail', payload: {}, run_at: '2026-11-21T11:00:00.000Z', attempts: 0, max_attempts: 4 };
    await server().insertAll(jobs, [job, job, { ...job, failed_at: '2026-11-21T11:30:00.000Z' }]);
    expect(await lines('potager_jobs')).toEqual([
      'potager_jobs{state="waiting"} 2',
      'potager_jobs{state="later"} 0',
      'potager_jobs{state="running"} 0',
      'potager_jobs{state="dead"} 1',
    ]);
    expect(await lines('potager_announcements_waiting')).toEqual(['potager_announcements_waiting 0']);
    await database.close();
    expect(await lines('potager_jobs')).toEqual([]);
    expect(await lines('potager_announcements_waiting')).toEqual([]);
    expect(await lines('process_cpu_seconds_total')).toHaveLength(1);
    expect(new Set(logged)).toEqual(new Set(['failed to count jobs', 'failed to count announcements']));
    database = await openDatabase(null, folder, () => undefined);
  });

  it('count HTTP responses and aborted requests', async () => {
    const requested = new EventEmitter();
    const http = createServer((request, response) => {
      if (request.url === '/never') return requested.emit('never');
      response.writeHead(request.url === '/' ? 204 : 404).end();
    });
    metrics.instrument(http);
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    const { port } = http.address() as AddressInfo;
    for (const [method, path] of [
      ['GET', '/'],
      ['GET', '/'],
      ['PATCH', '/x'],
      ['PROPFIND', '/'],
    ])
      await fetch(`http://127.0.0.1:${port}${path}`, { method: method ?? '' });
    const socket = connect(port, '127.0.0.1', () => socket.write('GET /never HTTP/1.1\r\nHost: x\r\n\r\n'));
    await once(requested, 'never');
    socket.destroy();
    await expect
      .poll(async () => (await lines('potager_http_requests_total')).sort())
      .toEqual([
        'potager_http_requests_total{method="GET",status="2xx"} 2',
        'potager_http_requests_total{method="GET",status="aborted"} 1',
        'potager_http_requests_total{method="PATCH",status="4xx"} 1',
        'potager_http_requests_total{method="other",status="2xx"} 1',
      ]);
    expect(await lines('potager_http_request_duration_seconds_count')).toContain(
      'potager_http_request_duration_seconds_count{method="GET"} 3',
    );
    http.closeAllConnections();
    await new Promise((resolve) => http.close(resolve));
  });
});

describe('/metrics', () => {
  const token = 'a-long-token';
  const forged = [
    { 'x-forwarded-for': '127.0.0.1' },
    { 'X-Forwarded-Proto': 'https' },
    { forwarded: 'for=127.0.0.1' },
    { via: '1.1 proxy' },
    { 'x-real-ip': '127.0.0.1' },
    { 'cf-connecting-ip': '127.0.0.1' },
    { 'true-client-ip': '127.0.0.1' },
    { 'x-original-host': 'garden.example' },
  ];
  async function statuses(
    isOn: boolean,
    metricsToken: string | null,
    requests: readonly (readonly [string, Record<string, string>])[],
    trustProxy = false,
  ): Promise<number[]> {
    const health = new HealthCheck({
      server,
      probes: { database: probe, photos: probe },
      hasFreeSpace: () => true,
      broker: () => null,
      clock,
    });
    const app = createEdge({
      routes: healthRoutes({
        health,
        metrics: isOn ? metrics : null,
        metricsToken,
        proxyProblem: () => null,
        trustsLocal: !trustProxy,
      }),
      onReply: checkReply,
      trustProxy,
    });
    const found = [];
    for (const [remoteAddress, headers] of requests) {
      const { statusCode, body } = await inject(app.handler, { url: '/metrics', remoteAddress, headers });
      if (statusCode !== 200) expect(body).not.toContain('potager_');
      found.push(statusCode);
    }
    await app.close();
    return found;
  }
  const bearer = (text: string) => ({ authorization: `Bearer ${text}` });

  it('is 404 if disabled', async () => {
    expect(
      await statuses(false, token, [
        ['127.0.0.1', {}],
        ['127.0.0.1', bearer(token)],
      ]),
    ).toEqual([404, 404]);
  });

  it('responds to this machine, but not to forwarded requests', async () => {
    expect(
      await statuses(true, null, [
        ['127.0.0.1', {}],
        ['::1', {}],
        ['::ffff:127.0.0.1', {}],
      ]),
    ).toEqual([200, 200, 200]);
    expect(
      await statuses(true, null, [
        ['10.0.0.9', {}],
        ['10.0.0.9', bearer('')],
      ]),
    ).toEqual([401, 403]);
    for (const trustProxy of [false, true])
      for (const headers of forged)
        expect(
          await statuses(
            true,
            null,
            [
              ['10.0.0.9', headers],
              ['127.0.0.1', headers],
            ],
            trustProxy,
          ),
        ).toEqual([401, 401]);
  });

  it('does not trust this machine behind a proxy', async () => {
    expect(await statuses(true, null, [['127.0.0.1', {}]], true)).toEqual([401]);
    expect(await statuses(true, token, [['127.0.0.1', bearer(token)]], true)).toEqual([200]);
  });

  it('responds to any host with the token, and to none without it', async () => {
    expect(
      await statuses(true, token, [
        ['10.0.0.9', bearer(token)],
        ['127.0.0.1', { ...bearer(token), 'x-forwarded-for': '203.0.113.9' }],
        ['127.0.0.1', {}],
        ['10.0.0.9', {}],
        ['10.0.0.9', bearer('a-long-tokem')],
        ['10.0.0.9', bearer(`${token}x`)],
        ['127.0.0.1', bearer('wrong')],
      ]),
    ).toEqual([200, 200, 401, 401, 403, 403, 403]);
    expect(await statuses(true, null, [['10.0.0.9', bearer('null')]])).toEqual([403]);
  });
});
