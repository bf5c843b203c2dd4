import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import inject from 'light-my-request';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createMigratedDatabase, dropDatabase } from '../../test/support/databases.ts';
import { createEdge, useEdge } from '../../test/support/edge.ts';
import { describeAnyEngine, describeEngines } from '../../test/support/engines.ts';
import { fakeServerScope } from '../../test/support/fake-scopes.ts';
import { schemaProblem } from '../../test/support/schema-validator.ts';
import { noRecords } from '../db/announced-records.ts';
import { ChangeLog } from '../db/change-log.ts';
import { openDatabase } from '../db/open.ts';
import type { ServerScope } from '../db/scope.ts';
import { createScopeFactory } from '../db/scopes.ts';
import type { Database } from '../db/session.ts';
import type { PublicRoute } from '../engine/route.ts';
import { jobs } from '../jobs/job-rows.ts';
import { HealthCheck } from './health-check.ts';
import { healthRoutes } from './health-routes.ts';

useEdge();

const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const clock = { time: Date.UTC(2026, 10, 21, 12), now: () => clock.time };

const probe = (writable: boolean) => ({ isWritable: async () => writable });
const probes = { database: probe(true), photos: probe(true) };
const hasFreeSpace = () => true;
const well = {
  status: 'ok',
  database: { ok: true, message: 'The database responds.' },
  broker: { ok: true, message: 'The message broker is running.' },
  photos: { ok: true, message: 'Photos can be stored.' },
  disk: { ok: true, message: 'There is enough free space.' },
  jobs: { ok: true, message: 'No background job failed permanently.', waiting: 0, failed: 0 },
};

const job = (more: object = {}) => ({
  kind: 'mail',
  payload: {},
  run_at: '2026-11-21T11:00:00.000Z',
  attempts: 0,
  max_attempts: 4,
  ...more,
});

describeEngines('health', (engine) => {
  let folder: string;
  let url: string | null;
  let database: Database;
  let server: () => ServerScope;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'potager-health-'));
    url = await createMigratedDatabase(engine, folder);
    database = await openDatabase(url, folder, () => undefined);
    const source = createScopeFactory({
      database,
      clock,
      changeLog: new ChangeLog(),
      records: noRecords,
    });
    server = () => source(silent);
  });
  afterEach(async () => {
    await database.close();
    if (url) await dropDatabase(url);
    rmSync(folder, { recursive: true, force: true });
  });

  it('queries the database, and reports jobs', async () => {
    const check = new HealthCheck({ server, probes, hasFreeSpace, broker: () => ({ ok: true }), clock });
    expect(await check.check()).toEqual(well);
    await server().insertAll(jobs, [
      job(),
      job({ run_at: '2026-11-21T13:00:00.000Z' }),
      job({ locked_until: '2026-11-21T12:01:00.000Z' }),
      job({ failed_at: '2026-11-21T11:30:00.000Z', last_error: 'secret' }),
      job({ failed_at: '2026-11-21T11:30:00.000Z', last_error: 'secret' }),
    ]);
    // The result is cached for a second.
    clock.time += 999;
    expect(await check.check()).toEqual(well);
    clock.time += 1;
    expect(await check.check()).toEqual({
      ...well,
      jobs: { ok: false, message: '2 background jobs failed permanently.', waiting: 1, failed: 2 },
    });
  });

  it('fails without the database, and discloses nothing about it', async () => {
    await database.close();
    const check = new HealthCheck({ server, probes, hasFreeSpace, broker: () => null, clock });
    expect(await check.check()).toEqual({
      status: 'failing',
      database: { ok: false, message: 'The database does not respond.' },
      broker: { ok: true, message: 'There is no message broker.' },
      photos: { ok: true, message: 'Photos can be stored.' },
      disk: { ok: true, message: 'There is enough free space.' },
      jobs: { ok: false, message: 'The state of background jobs is unknown.', waiting: null, failed: null },
    });
    database = await openDatabase(url, folder, () => undefined);
  });
});

describeAnyEngine('a full disk', () => {
  it('fails, with a sentence that helps', async () => {
    const scope = fakeServerScope(clock, silent, { commits: 0, rollbacks: 0, identities: [] });
    const server = () => ({ ...scope, count: async () => 0 });
    const full = { database: probe(false), photos: probe(false) };
    const check = new HealthCheck({ server, probes: full, hasFreeSpace, broker: () => null, clock });
    expect(await check.check()).toMatchObject({
      status: 'failing',
      database: {
        ok: false,
        message: 'The database cannot be written: its disk is full, or it is read-only. Run "potager doctor".',
      },
      photos: {
        ok: false,
        message: 'Photos cannot be stored: the disk is full, or their folder is read-only. Run "potager doctor".',
      },
    });
  });
});

describeAnyEngine('a database that hangs', () => {
  it('is queried once, with a timeout', async () => {
    let checks = 0;
    let release = (_count: number): void => undefined;
    const count = (): Promise<number> => {
      checks++;
      return new Promise((resolve) => {
        release = resolve;
      });
    };
    const server = () => ({ ...fakeServerScope(clock, silent, { commits: 0, rollbacks: 0, identities: [] }), count });
    const check = new HealthCheck({ server, probes, hasFreeSpace, broker: () => ({ ok: true }), clock, timeout: 20 });
    for (let i = 0; i < 3; i++) {
      expect(await check.check()).toMatchObject({
        status: 'failing',
        database: { ok: false, message: 'The database does not respond in time.' },
      });
      clock.time += 1000;
    }
    expect(checks).toBe(1);
    release(0);
  });
});

describeAnyEngine('/health', () => {
  const proxyProblem = () => null;

  const responses = async (database: boolean, broker: boolean | null) => {
    const count = async () => {
      if (!database) throw new Error('10.0.0.7 refused the password hunter2');
      return 0;
    };
    const server = () => ({ ...fakeServerScope(clock, silent, { commits: 0, rollbacks: 0, identities: [] }), count });
    const check = new HealthCheck({
      server,
      probes,
      hasFreeSpace,
      broker: () => (broker === null ? null : { ok: broker }),
      clock,
    });
    const routes = healthRoutes({ health: check, metrics: null, proxyProblem, metricsToken: null, trustsLocal: true });
    const app = createEdge({ routes, onReply: () => undefined });
    const [health] = routes as PublicRoute[];
    const found = [];
    // Not limited.
    for (const method of ['GET', 'HEAD', 'GET'] as const) {
      const { statusCode, body, headers } = await inject(app.handler, {
        method,
        url: '/health',
        remoteAddress: '10.0.0.9',
      });
      expect(headers['cache-control']).toBe('no-store');
      expect(body).not.toMatch(/hunter2|10\.0/);
      if (method === 'GET') expect(schemaProblem(health?.replies[statusCode] as object, JSON.parse(body))).toBeNull();
      else expect(body).toBe('');
      found.push(statusCode);
    }
    await app.close();
    return found;
  };

  it('is 200 if everything works, and 503 without database or broker', async () => {
    expect(await responses(true, true)).toEqual([200, 200, 200]);
    expect(await responses(true, null)).toEqual([200, 200, 200]);
    expect(await responses(false, true)).toEqual([503, 503, 503]);
    expect(await responses(true, false)).toEqual([503, 503, 503]);
  });

  it('says to programs on this machine only that a proxy is not named', async () => {
    const server = () => ({
      ...fakeServerScope(clock, silent, { commits: 0, rollbacks: 0, identities: [] }),
      count: async () => 0,
    });
    const check = new HealthCheck({ server, probes, hasFreeSpace, broker: () => null, clock });
    const routes = healthRoutes({
      health: check,
      metrics: null,
      metricsToken: null,
      trustsLocal: true,
      proxyProblem: () => 'Set TRUST_PROXY=127.0.0.1',
    });
    const app = createEdge({ routes, onReply: () => undefined });
    const shown = async (remoteAddress: string, headers = {}) => {
      const { statusCode, body } = await inject(app.handler, { url: '/health', remoteAddress, headers });
      expect(statusCode).toBe(200);
      return JSON.parse(body).proxy;
    };
    expect(await shown('127.0.0.1')).toEqual({ ok: false, message: 'Set TRUST_PROXY=127.0.0.1', local: true });
    expect(await shown('127.0.0.1', { 'x-forwarded-for': '127.0.0.1' })).toBeUndefined();
    expect(await shown('10.0.0.9')).toBeUndefined();
    await app.close();
  });

  it('is never limited, and not under /api', async () => {
    const server = () => ({
      ...fakeServerScope(clock, silent, { commits: 0, rollbacks: 0, identities: [] }),
      count: async () => 0,
    });
    const check = new HealthCheck({ server, probes, hasFreeSpace, broker: () => null, clock });
    const app = createEdge({
      routes: healthRoutes({ health: check, metrics: null, proxyProblem, metricsToken: null, trustsLocal: true }),
    });
    const statuses = new Set<number>();
    for (let i = 0; i < 1100; i++)
      statuses.add((await inject(app.handler, { url: '/health', remoteAddress: '10.0.0.9' })).statusCode);
    expect([...statuses]).toEqual([200]);
    expect((await inject(app.handler, { url: '/api/health' })).statusCode).toBe(404);
    await app.close();
  });
});
