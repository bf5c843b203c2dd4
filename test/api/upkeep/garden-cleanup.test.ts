import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { emailChanges } from '../../../src/accounts/email-changes.ts';
import { globalConfig } from '../../../src/accounts/global-config.ts';
import { tokenIssuances } from '../../../src/accounts/token-issuances.ts';
import { timestamp } from '../../../src/core/clock.ts';
import type { Event } from '../../../src/core/events.ts';
import type { DeviceScope } from '../../../src/db/scope.ts';
import { createDevice } from '../../../src/device/device-creation.ts';
import { devices } from '../../../src/device/devices.ts';
import { logs } from '../../../src/device/logs.ts';
import { releases } from '../../../src/device/releases.ts';
import { telemetries } from '../../../src/device/telemetries.ts';
import { points } from '../../../src/garden/points.ts';
import { sensorReadings } from '../../../src/garden/sensor-readings.ts';
import { jobs } from '../../../src/jobs/job-rows.ts';
import { jobSchedules } from '../../../src/jobs/schedules.ts';
import { farmEvents } from '../../../src/programs/farm-events.ts';
import { forEachDevice } from '../../../src/upkeep/device-iteration.ts';
import { deleteOldest } from '../../../src/upkeep/garden-cleanup.ts';
import type { Account, TestApp } from '../../support/app.ts';
import { startApp } from '../../support/app.ts';
import { describeEngines } from '../../support/engines.ts';
import { example } from '../../support/examples.ts';
import { createSequence } from '../../support/programs.ts';

const day = 86_400_000;
const start = Date.UTC(2026, 10, 21, 12);
const twoMonths = Date.UTC(2026, 8, 21, 12);

describeEngines('the daily cleanup', (engine) => {
  const clock = { time: start, now: () => clock.time };
  let server: TestApp;
  let account: Account;
  let scope: DeviceScope;
  beforeEach(async () => {
    clock.time = start - day;
    server = await startApp(engine, {}, clock);
    account = await server.signUp();
    scope = server.app.server().device(account.deviceId);
  });
  afterEach(() => server.close());

  /** Runs the jobs of the next day. */
  async function nextDay(): Promise<void> {
    clock.time = start;
    await server.app.runJobs();
    // No job failed or is pending.
    expect(await server.app.server().rows(jobs, { where: { kind: 'tidy_gardens' } })).toEqual([]);
  }
  const ids = async (rows: Promise<readonly { id: number }[]>) => (await rows).map(({ id }) => id);

  it('is scheduled once, when the server is created', async () => {
    const rows = await server.app.server().rows(jobSchedules);
    const names = [
      ...['delete_expired_tokens', 'delete_unverified_accounts', 'find_inactive_accounts'],
      ...['raise_end_of_life_version', 'tidy_gardens'],
    ];
    for (const name of names)
      expect(rows.filter((row) => row.name === name)).toMatchObject([{ next_at: timestamp(start) }]);
  });

  it('deletes points that were archived more than two months ago', async () => {
    const plant = { pointer_type: 'Plant', name: 'Kale', x: 1, y: 2, z: 3 };
    const make = async (discarded_at: string | null): Promise<number> => {
      const { json } = await server.call('POST', '/api/points', { token: account.token, body: plant });
      await scope.update(points, { discarded_at }, { where: { id: json.id } });
      return json.id;
    };
    await make(timestamp(twoMonths - 1));
    const left = [await make(timestamp(twoMonths)), await make(timestamp(start - day)), await make(null)];
    await nextDay();
    expect(await ids(scope.rows(points))).toEqual(left);
  });

  it('deletes logs that are too old, or too many', async () => {
    const log = (time: number) => ({
      message: 'x',
      type: 'info' as const,
      verbosity: 1,
      channels: [],
      // The time that the robot sent does not matter.
      created_at: timestamp(0),
      updated_at: timestamp(time),
    });
    const border = start - 60 * day;
    await scope.insertAll(logs, [border - 1, border, start - 2 * day].map(log));
    const few = server.app.server().device((await server.signUp()).deviceId);
    await few.update(devices, { max_log_count: 3 }, {});
    const created = await few.insertAll(
      logs,
      [1, 2, 3, 4, 5].map((days) => log(start - 10 * day + days * day)),
    );
    const brief = server.app.server().device((await server.signUp()).deviceId);
    await brief.update(devices, { max_log_age_in_days: 5 }, {});
    await brief.insertAll(logs, [start - 5 * day - 1, start - 5 * day].map(log));
    await nextDay();
    const times = async (one: DeviceScope) => (await one.rows(logs)).map(({ updated_at }) => updated_at);
    expect(await times(scope)).toEqual([timestamp(border), timestamp(start - 2 * day)]);
    expect(await ids(few.rows(logs))).toEqual(created.slice(2).map(({ id }) => id));
    expect(await times(brief)).toEqual([timestamp(start - 5 * day)]);
  });

  it('keeps the newest 300 telemetries and 2500 sensor readings', async () => {
    const telemetry = { target: 'rpi3' };
    const reading = { mode: 0 as const, pin: 1, value: 1, x: 1, y: 2, z: 3, read_at: timestamp(start) };
    const at = (index: number) => ({ created_at: timestamp(start - 10 * day + Math.floor(index / 2)) });
    const sent = await scope.insertAll(
      telemetries,
      Array.from({ length: 303 }, (_, index) => ({ ...telemetry, ...at(index) })),
    );
    const read = await scope.insertAll(
      sensorReadings,
      Array.from({ length: 3107 }, (_, index) => ({ ...reading, ...at(index) })),
    );
    await nextDay();
    expect(await ids(scope.rows(telemetries))).toEqual(sent.slice(3).map(({ id }) => id));
    expect(await ids(scope.rows(sensorReadings))).toEqual(read.slice(607).map(({ id }) => id));
  });

  it('deletes farm events that have ended, and announces it', async () => {
    const events: Event[] = [];
    // The announcement of the sequence may come late.
    await server.app.attach((event) => {
      if (event.resource === 'FarmEvent') events.push(event);
    });
    const event = {
      executable_type: 'Sequence' as const,
      executable_id: await createSequence(server, account),
      repeat: 1,
      time_unit: 'daily' as const,
      start_time: timestamp(start - 30 * day),
      body: [],
    };
    const expired = [start - 1, start, start + day];
    const created = await scope.insertAll(
      farmEvents,
      expired.map((time) => ({ ...event, end_time: timestamp(time) })),
    );
    await nextDay();
    // Without a time zone, no event has ended.
    expect(await scope.count(farmEvents)).toBe(3);
    await scope.update(devices, { timezone: 'Europe/Berlin' }, {});
    clock.time = start + day;
    await scope.update(farmEvents, { end_time: timestamp(start + day - 1) }, { where: { id: created[1]?.id ?? 0 } });
    await server.app.runJobs();
    expect(await ids(scope.rows(farmEvents))).toEqual([created[2]?.id]);
    await expect.poll(() => events.length).toBe(2);
    expect(events).toMatchObject(
      created.slice(0, 2).map(({ id }) => ({ resource: 'FarmEvent', recordId: id, label: 'NONE', body: null })),
    );
  });

  it('deletes expired tokens, however many, and changes of addresses after a week', async () => {
    const now = Math.floor(start / 1000);
    await scope.delete(tokenIssuances, {});
    const token = (exp: number) => ({ user_id: account.userId, jti: randomUUID(), aud: 'bot', exp });
    await scope.insertAll(
      tokenIssuances,
      Array.from({ length: 1201 }, () => token(now - 1)),
    );
    const [expired, valid] = await scope.insertAll(tokenIssuances, [token(now), token(now + 1)]);
    const all = server.app.server();
    const change = {
      user_id: account.userId,
      old_email: 'a@example.com',
      new_email: 'b@example.com',
      is_pending: true,
    };
    const week = 7 * 86_400_000;
    const [, recent] = await all.insertAll(emailChanges, [
      { ...change, created_at: timestamp(start - week) },
      { ...change, created_at: timestamp(start - week + 86_400_001) },
    ]);
    await nextDay();
    expect(expired).toBeDefined();
    expect(await ids(scope.rows(tokenIssuances))).toEqual([valid?.id]);
    expect(await ids(all.rows(emailChanges))).toEqual([recent?.id]);
  });

  it('keeps everything else', async () => {
    for (const name of ['tools', 'sequences', 'points', 'logs', 'telemetries', 'sensor_readings'])
      await server.call('POST', `/api/${name}`, { token: account.token, body: await example(server, name, account) });
    const shown = async () => {
      const paths = ['tools', 'sequences', 'points', 'logs', 'telemetries', 'sensor_readings', 'alerts'];
      const responses = await Promise.all(
        paths.map((name) => server.call('GET', `/api/${name}`, { token: account.token })),
      );
      return responses.map(({ text }) => text);
    };
    const before = await shown();
    await nextDay();
    clock.time = start + day;
    await server.app.runJobs();
    expect(await shown()).toEqual(before);
  });

  it('raises the end-of-life version by releases older than 60 days', async () => {
    const all = server.app.server();
    const key = 'FBOS_END_OF_LIFE_VERSION';
    const version = async () => (await all.first(globalConfig, { where: { key } }))?.value;
    const release = (name: string, age: number, channel = 'stable', platform = 'rpi3') => ({
      version: name,
      channel,
      platform,
      image_url: `http://releases.example/${name}`,
      created_at: timestamp(start - age),
    });
    await all.insertAll(releases, [
      release('15.0.0', 90 * day),
      release('15.1.0', 60 * day),
      release('15.1.0', 60 * day + 1, 'stable', 'rpi4'),
      release('15.10.0', 60 * day),
      release('16.0.0-rc1', 90 * day),
      release('16.1.0', 90 * day, 'beta'),
      release('14.5.9', 90 * day),
    ]);
    await nextDay();
    // Of 15.0.0 and 15.1.0.
    expect(await version()).toBe('15.0.0');
    clock.time = start + day;
    await server.app.runJobs();
    expect(await version()).toBe('15.1.0');
    // Never lowered, and an operator's value is kept.
    for (const own of ['15.10.1', 'none']) {
      await all.update(globalConfig, { value: own }, { where: { key } });
      clock.time += day;
      await server.app.runJobs();
      expect(await version()).toBe(own);
    }
  });

  it('continues with the next device after an error', async () => {
    const all = server.app.server();
    for (let index = 0; index < 120; index++) await all.transaction((inner) => createDevice(inner));
    const known = await ids(all.rows(devices));
    const seen: number[] = [];
    const work = forEachDevice(all, async (one, device) => {
      expect(one.deviceId).toBe(device.id);
      seen.push(device.id);
      if (seen.length === 60) throw new Error('this device fails');
    });
    await expect(work).rejects.toThrow('cleaning up 1 devices failed');
    expect(seen).toEqual(known);
  });

  it('lets requests in while it cleans up many devices', async () => {
    const all = server.app.server();
    let isOver = false;
    let longest = 0;
    let tasks = 0;
    const watch = (): void => {
      longest = Math.max(longest, tasks);
      tasks = 0;
      if (!isOver) setImmediate(watch);
    };
    setImmediate(watch);
    await forEachDevice(all, async () => {
      const began = performance.now();
      while (performance.now() - began < 2);
      tasks++;
    });
    isOver = true;
    // Two of them take longer than the limit.
    expect(longest).toBeLessThanOrEqual(2);
  });

  it('only deletes surplus rows', async () => {
    const [one] = await scope.insertAll(telemetries, [{ target: 'rpi3' }]);
    await deleteOldest(scope, telemetries, 1);
    expect(await ids(scope.rows(telemetries))).toEqual([one?.id]);
    await deleteOldest(scope, telemetries, 0);
    expect(await scope.count(telemetries)).toBe(0);
  });
});
