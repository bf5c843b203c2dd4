import { afterEach, beforeEach, expect, it } from 'vitest';
import { gardenLanguage } from '../../../src/accounts/users.ts';
import { Counters } from '../../../src/core/counters.ts';
import { Failure } from '../../../src/core/errors.ts';
import type { Logger } from '../../../src/core/logger.ts';
import type { DeviceScope } from '../../../src/db/scope.ts';
import { devices } from '../../../src/device/devices.ts';
import { LogStore } from '../../../src/device/log-store.ts';
import { logs } from '../../../src/device/logs.ts';
import { logNotices } from '../../../src/device/notices.ts';
import { telemetries } from '../../../src/device/telemetries.ts';
import { telemetryStore } from '../../../src/device/telemetry-store.ts';
import { localTime } from '../../../src/device/time-zones.ts';
import { JobQueue } from '../../../src/jobs/queue.ts';
import type { IngestionOptions } from '../../../src/live/ingestion/ingestion.ts';
import { Ingestion } from '../../../src/live/ingestion/ingestion.ts';
import type { IngestedChannel } from '../../../src/live/topics.ts';
import { Announcements } from '../../exchanges/announcements.ts';
import type { Account, TestApp } from '../../support/app.ts';
import { startApp } from '../../support/app.ts';
import { describeEngines, itAnyEngine } from '../../support/engines.ts';
import { MailServer } from '../../support/mail-server.ts';

const start = Date.UTC(2026, 0, 2, 10, 20, 30);
const minute = 60_000;
const clock = { time: start, now: () => clock.time };

const line = { type: 'info', major_version: 15, channels: [] };

describeEngines('messages of robots', (engine) => {
  let mailServer: MailServer;
  let server: TestApp;
  let owner: Account;
  let announcements: Announcements;
  let counters: Counters;
  let lines: object[];
  let shown: object[];
  let ingestion: Ingestion;

  function begin(options: Partial<IngestionOptions> = {}): Ingestion {
    counters = new Counters();
    lines = [];
    shown = [];
    const note = (object: object) => void lines.push(object);
    const log: Logger = { debug: note, info: note, warn: note, error: note };
    const store = new LogStore(new JobQueue());
    const notify = logNotices(store, (_device, text) => void shown.push(JSON.parse(text)), gardenLanguage);
    return new Ingestion({
      server: () => server.app.server(),
      logs: store,
      telemetries: telemetryStore,
      notify,
      localTime,
      maxConcurrentDevices: 4,
      limitsRates: true,
      clock,
      counters,
      log,
      ...options,
    });
  }

  beforeEach(async () => {
    clock.time = start;
    mailServer = new MailServer();
    server = await startApp(engine, { SMTP_URL: await mailServer.listen() }, clock);
    announcements = await Announcements.of(server.app);
    owner = await server.signUp();
    await announcements.events([owner.deviceId]);
    ingestion = begin();
  });
  afterEach(async () => {
    await ingestion.stop();
    await server.close();
    await mailServer.close();
  });

  const take = (message: unknown, channel: IngestedChannel = 'logs', deviceId = owner.deviceId) =>
    ingestion.take(channel, deviceId, Buffer.from(typeof message === 'string' ? message : JSON.stringify(message)));
  const say = (message: string, more: object = {}) => take({ ...line, message, ...more });
  const many = (count: number, word: string) =>
    Promise.all(Array.from({ length: count }, (_, index) => say(`${word} ${index + 1}`)));
  const get = async (path: string) => (await server.call('GET', path, { token: owner.token })).json;
  const stored = () => server.app.server().device(owner.deviceId).rows(logs);
  const messages = async () => (await stored()).map(({ message }) => message);
  const dropped = (name: 'logs_dropped' | 'telemetries_dropped' = 'logs_dropped') =>
    Object.fromEntries(counters.values(name));
  const pause = async () => {
    const { throttled_at, throttled_until } = await get('/api/device');
    return [throttled_at, throttled_until];
  };
  const announced = async () =>
    (await announcements.events([owner.deviceId])).map(({ resource, label, origin, body }) => ({
      resource,
      label,
      origin,
      body: body === null ? null : JSON.parse(body),
    }));

  it('that are delivered again are stored once', async () => {
    const deliver = (message: object, repetition?: 'likely' | 'possible') =>
      ingestion.take('logs', owner.deviceId, Buffer.from(JSON.stringify({ ...line, ...message })), () => repetition);
    const timed = { message: 'Moved', created_at: start / 1000 - 5, x: 1.5 };
    await Promise.all([deliver(timed), deliver(timed, 'likely'), deliver(timed, 'possible')]);
    await deliver({ ...timed, x: 2 }, 'likely');
    await deliver({ ...timed, created_at: timed.created_at + 1 }, 'likely');
    await deliver({ message: 'Without a time' });
    await deliver({ message: 'Without a time' }, 'likely');
    await deliver({ message: 'Without a time' }, 'possible');
    expect((await stored()).map(({ message, x }) => [message, x])).toEqual([
      ['Moved', 1.5],
      ['Moved', 2],
      ['Moved', 1.5],
      ['Without a time', null],
      ['Without a time', null],
    ]);
  });

  it('are stored once when the connection was lost while they waited', async () => {
    const message = { ...line, message: 'Moved', created_at: start / 1000 - 5 };
    await take(message);
    let isLost = false;
    const waiting = ingestion.take('logs', owner.deviceId, Buffer.from(JSON.stringify(message)), () =>
      isLost ? 'likely' : undefined,
    );
    isLost = true;
    await waiting;
    expect(await stored()).toHaveLength(1);
  });

  it('are stored as logs, like logs of POST /api/logs', async () => {
    await take({
      id: 5,
      device_id: 99_999,
      message: ' Movement complete\u0000 ',
      type: 'success',
      channels: ['toast'],
      verbosity: '3',
      major_version: 15,
      minor_version: 4,
      patch_version: 6,
      x: '1.5',
      y: -2,
      z: null,
      created_at: 1_700_000_000,
      meta: { assertion_passed: null },
    });
    await take({ message: 'bare', type: 'warn', major_version: 7 });
    expect(await get('/api/logs')).toMatchObject([{ message: 'bare' }, { message: 'Movement complete' }]);
    const [full, bare] = await stored();
    expect(full).toMatchObject({
      device_id: owner.deviceId,
      message: 'Movement complete',
      type: 'success',
      channels: ['toast'],
      verbosity: 3,
      major_version: 15,
      minor_version: 4,
      patch_version: 6,
      x: 1.5,
      y: -2,
      z: null,
      created_at: '2023-11-14T22:13:20.000Z',
    });
    expect(bare).toMatchObject({
      message: 'bare',
      type: 'warn',
      channels: [],
      verbosity: 1,
      minor_version: null,
      x: null,
      created_at: '2026-01-02T10:20:30.000Z',
    });
    expect(await announced()).toEqual([]);
    expect(counters.total('logs_taken')).toBe(2);
    expect(dropped()).toEqual({});
  });

  it('are stored in order, with invalid ones between them', async () => {
    const other = await server.signUp();
    await Promise.all(
      Array.from({ length: 240 }, (_, index) =>
        index % 3 === 0 ? take({ ...line, message: 'foreign' }, 'logs', other.deviceId) : say(`${index}`),
      ),
    );
    expect(await messages()).toEqual(Array.from({ length: 240 }, (_, index) => `${index}`).filter((_, i) => i % 3 > 0));
    expect(await server.app.server().device(other.deviceId).count(logs)).toBe(80);
  });

  it('are dropped when they are not logs, and do not delay others', async () => {
    const bad: [string, unknown][] = [
      ['not_json', ''],
      ['not_json', '{"message":"cut'],
      ['not_json', '['.repeat(60_000)],
      ['not_object', '5'],
      ['not_object', [{ ...line, message: 'in a list' }]],
      ['not_object', `${'['.repeat(30_000)}${']'.repeat(30_000)}`],
      ['too_long', { ...line, message: 'x'.repeat(1_500_000) }],
      ['kind', { type: 'info', message: 'no version' }],
      ['kind', { ...line, major_version: 6, message: 'old' }],
      ['kind', { ...line, type: 'fun', message: 'fun' }],
      ['kind', { ...line, type: 'debug', message: 'debug' }],
      ['kind', { ...line, type: null, message: 'untyped' }],
      ['invalid', { ...line, type: 'nonsense', message: 'a' }],
      ['invalid', { ...line, message: ' ' }],
      ['invalid', { ...line }],
      ['invalid', { ...line, message: null }],
      ['invalid', { ...line, message: 'a', x: 'abc' }],
      ['invalid', { ...line, message: 'a', channels: 5 }],
      ['invalid', { ...line, message: 'a', channels: [null] }],
      ['invalid', { ...line, message: 'a', channels: ['x'.repeat(300)] }],
      ['invalid', { ...line, message: 'a', verbosity: 2 ** 40 }],
      ['invalid', `{"type":"info","major_version":8,"message":${'['.repeat(30_000)}${']'.repeat(30_000)}}`],
      ['invalid', { ...line, message: 'the wpa key' }],
      ['invalid', { ...line, message: 'NERVES' }],
    ];
    const expected: Record<string, number> = { not_utf8: 1 };
    const all = bad.map(([reason, message]) => {
      expected[reason] = (expected[reason] ?? 0) + 1;
      return take(message);
    });
    all.push(ingestion.take('logs', owner.deviceId, Buffer.from([0xff, 0xfe])), say('good'));
    await Promise.all(all);
    expect(await messages()).toEqual(['good']);
    expect(dropped()).toEqual(expected);
    expect(lines).toHaveLength(3);
    expect(JSON.stringify(lines)).not.toMatch(/wpa|cut|xxx/);
    clock.time += 1000;
    await take('');
    expect(lines[3]).toEqual({ device: owner.deviceId, channel: 'logs', reason: 'not_json' });
  });

  it('update the activity of their device, including messages that are not stored', async () => {
    const seen: number[] = [];
    ingestion = begin({ onConnect: (deviceId) => void seen.push(deviceId) });
    await say('Hello');
    await take('no message');
    await take({ telemetry_target: 'rpi' }, 'telemetry');
    expect(seen).toEqual([owner.deviceId, owner.deviceId, owner.deviceId]);
  });

  it('are dropped when the device does not exist', async () => {
    await take({ ...line, message: 'nobody' }, 'logs', 999_999);
    await take({ telemetry_target: 'rpi' }, 'telemetry', 999_999);
    expect([dropped(), dropped('telemetries_dropped')]).toEqual([{ no_device: 1 }, { no_device: 1 }]);
    expect(await server.app.server().count(devices)).toBe(1);
  });

  it('are dropped from the 251st log of a minute on, with a notice, and stored again in the next minute', async () => {
    await server.call('PATCH', '/api/device', { token: owner.token, body: { timezone: 'Asia/Tokyo' } });
    await announced();
    await many(250, 'log');
    expect(await pause()).toEqual([null, null]);
    await many(30, 'more');
    expect(await pause()).toEqual(['2026-01-02T10:20:30.000Z', '2026-01-02T10:21:00.000Z']);
    expect((await stored()).slice(249)).toMatchObject([
      { message: 'log 250' },
      {
        message:
          'More than 250 logs were received within one minute. Until 2026-01-02 07:21 PM, only errors, warnings and assertions are stored.',
        type: 'warn',
        channels: ['toast'],
        major_version: 99,
      },
    ]);
    expect(shown).toMatchObject([{ id: null, type: 'warn', channels: ['toast'] }]);
    expect(await announced()).toMatchObject([
      {
        resource: 'Device',
        label: 'NONE',
        origin: 'server',
        body: { throttled_at: '2026-01-02T10:20:30.000Z', throttled_until: '2026-01-02T10:21:00.000Z' },
      },
    ]);
    expect(dropped()).toEqual({ throttled: 30 });

    clock.time = Date.UTC(2026, 0, 2, 10, 21);
    // Not stored, so they do not end the throttle.
    await say('fun', { type: 'fun' });
    expect((await pause())[1]).toBe('2026-01-02T10:21:00.000Z');
    await say('at last');
    expect(await pause()).toEqual([null, null]);
    expect((await stored()).slice(251)).toMatchObject([
      { message: 'All logs are stored again.', type: 'info', channels: ['toast'] },
      { message: 'at last' },
    ]);
    expect(shown).toHaveLength(2);
    expect(await announced()).toMatchObject([
      { resource: 'Device', label: 'NONE', body: { throttled_at: null, throttled_until: null } },
    ]);
    await say('and on');
    expect(await announced()).toEqual([]);
  });

  it('keep a time that is none in seconds, and are stored without it where it is no time', async () => {
    const times = [
      1_700_000_000.75,
      1_700_000_000_750,
      '2023-11-14T22:13:20.750Z',
      '2023-11-14T22:13:20+00:00',
      '1700000000',
      5,
      0,
      null,
      1e15,
      'yesterday',
      {},
      true,
    ];
    for (const [index, created_at] of times.entries()) await say(`log ${index}`, { created_at });
    const listed: { message: string; created_at: number }[] = await get('/api/logs');
    const now = start / 1000;
    expect(listed.reverse().map(({ message, created_at }) => [message, created_at])).toEqual(
      [...Array(5).fill(1_700_000_000), 5, 0, ...Array(5).fill(now)].map((time, index) => [`log ${index}`, time]),
    );
    expect(dropped()).toEqual({});
  });

  // Messages of a minute are counted in memory.
  itAnyEngine(
    'are stored beyond the limits if they are errors, warnings and assertions, 50 more in a minute',
    async () => {
      const types = ['error', 'warn', 'assertion', ' error '];
      const important = (count: number, word: string) =>
        Promise.all(
          Array.from({ length: count }, (_, index) =>
            say(`${word} ${index + 1}`, { type: types[index % types.length] }),
          ),
        );
      await many(260, 'log');
      await important(30, 'first');
      const until = await pause();
      expect(until[1]).toBe('2026-01-02T10:21:00.000Z');
      await many(5, 'more');
      await important(30, 'second');
      // They do not end the throttle.
      expect(await pause()).toEqual(until);
      expect((await messages()).slice(251)).toEqual([
        ...Array.from({ length: 30 }, (_, index) => `first ${index + 1}`),
        ...Array.from({ length: 20 }, (_, index) => `second ${index + 1}`),
      ]);
      expect(dropped()).toEqual({ throttled: 25 });
      expect(counters.total('logs_taken')).toBe(300);

      clock.time += minute;
      await say('in time', { type: 'error' });
      expect((await messages()).slice(301)).toEqual(['All logs are stored again.', 'in time']);
      expect(await pause()).toEqual([null, null]);
    },
  );

  itAnyEngine('begin a throttle with an error, which is stored after the notice', async () => {
    await many(250, 'log');
    await say('stuck', { type: 'error' });
    expect((await pause())[1]).toBe('2026-01-02T10:21:00.000Z');
    expect((await stored()).slice(250)).toMatchObject([{ type: 'warn', major_version: 99 }, { message: 'stuck' }]);
    await say('an invalid one', { type: 'error', x: 'abc' });
    expect(dropped()).toEqual({ invalid: 1 });
  });

  itAnyEngine('count even if they are not stored, and a long throttle is reported by mail', async () => {
    await Promise.all(Array.from({ length: 4999 }, () => say('quiet', { type: 'debug' })));
    await say('first');
    expect((await stored()).at(-1)).toMatchObject({
      message:
        'More than 250 logs were received within one minute. Until 2026-01-02 10:21 AM UTC, only errors, warnings and assertions are stored.',
    });
    await say('second');
    expect((await pause())[1]).toBe('2026-01-02T11:00:00.000Z');
    await say('third');
    await Promise.all(Array.from({ length: 20_000 }, () => say('quiet', { type: 'debug' })));
    await say('fourth');
    expect(await pause()).toEqual(['2026-01-02T10:20:30.000Z', '2026-01-03T00:00:00.000Z']);
    expect((await stored()).map(({ message, channels }) => [message.split('.')[0], channels])).toEqual([
      ['More than 250 logs were received within one minute', ['toast']],
      ['More than 5000 logs were received within one hour', ['toast']],
      ['More than 25000 logs were received within one day', ['email']],
    ]);
  });

  it('are dropped after a restart until the stored end of the throttle', async () => {
    await many(251, 'log');
    ingestion = begin();
    await say('too early');
    expect(dropped()).toEqual({ throttled: 1 });
    await Promise.all(Array.from({ length: 51 }, (_, index) => say(`error ${index + 1}`, { type: 'error' })));
    expect(dropped()).toEqual({ throttled: 2 });
    expect((await pause())[1]).toBe('2026-01-02T10:21:00.000Z');
    clock.time += minute;
    await say('in time');
    expect((await messages()).slice(300)).toEqual(['error 50', 'All logs are stored again.', 'in time']);
  });

  it('are all stored without rate limits', async () => {
    ingestion = begin({ limitsRates: false });
    await many(400, 'log');
    expect(await messages()).toEqual(Array.from({ length: 400 }, (_, index) => `log ${index + 1}`));
    expect(await pause()).toEqual([null, null]);
  });

  it("are trimmed to the device's limit", async () => {
    // Trims are delayed and combined per device; one of the previous server's first device may still be pending.
    await server.signUp();
    owner = await server.signUp();
    await server.app.server().device(owner.deviceId).update(devices, { max_log_count: 20 }, {});
    await many(200, 'log');
    await expect.poll(() => messages().then(({ length }) => length)).toBe(20);
    expect((await messages()).at(-1)).toBe('log 200');
  });

  it('are mailed: fatal errors immediately, with all that were not mailed yet, the others with the digest', async () => {
    const mails = () => mailServer.received.map(({ mail }) => mail.text ?? '');
    await Promise.all([
      say('pump stuck', { channels: ['fatal_email'] }),
      say('motor stalled', { channels: ['toast', 'fatal_email'] }),
    ]);
    await say('bed is dry', { channels: ['email'] });
    await server.app.runJobs();
    expect(mails()).toHaveLength(1);
    expect(mails()[0]).toMatch(/motor stalled[\s\S]*pump stuck/);
    expect(mails()[0]).not.toContain('bed is dry');
    clock.time += 10 * minute + 5000;
    await server.app.runJobs();
    expect(mails()).toHaveLength(2);
    expect(mails()[1]).toContain('bed is dry');
    expect(mails()[1]).not.toContain('pump stuck');
  });

  it('are stored although the database rejects one of them', async () => {
    const store = new LogStore(new JobQueue());
    ingestion = begin({
      logs: {
        read: (body) => store.read(body),
        isStored: async () => false,
        isImportant: (body) => store.isImportant(body),
        async storeAll(scope, all) {
          const own = all.map((values) => store.read(values));
          await store.storeAll(scope, own);
          if (own.some(({ message }) => message === 'poison')) throw new Error('value too long');
        },
      },
    });
    await Promise.all(['one', 'two', 'poison', 'three'].map((message) => say(message)));
    expect(await messages()).toEqual(['one', 'two', 'three']);
    expect([counters.total('logs_taken'), dropped()]).toEqual([3, { failed: 1 }]);
    expect(lines).toEqual([
      { device: owner.deviceId, channel: 'logs', reason: 'failed', error: 'Error: value too long' },
    ]);
  });

  it('are stored once when they were committed and only the answer to it failed', async () => {
    let failures = 1;
    ingestion = begin({
      server() {
        const scope = server.app.server();
        const device = scope.device.bind(scope);
        const withLostAnswer = (...key: Parameters<typeof device>): DeviceScope => {
          const own = device(...key);
          const transaction = own.transaction.bind(own);
          return Object.assign(own, {
            async transaction<T>(work: (inner: DeviceScope) => Promise<T>): Promise<T> {
              const value = await transaction(work);
              if (failures-- > 0) throw new Error('write after end');
              return value;
            },
          });
        };
        return Object.assign(scope, { device: withLostAnswer });
      },
    });
    const created_at = start / 1000 - 5;
    await Promise.all([say('one', { created_at }), say('two', { created_at })]);
    expect(failures).toBeLessThanOrEqual(0);
    expect(await messages()).toEqual(['one', 'two']);
  });

  it('are sent again while the database is unavailable, and count once', async () => {
    const store = new LogStore(new JobQueue());
    let isAway = true;
    ingestion = begin({
      logs: {
        read: (body) => store.read(body),
        isStored: async () => false,
        isImportant: (body) => store.isImportant(body),
        async storeAll(scope, all) {
          if (isAway) throw new Failure('unavailable');
          await store.storeAll(
            scope,
            all.map((values) => store.read(values)),
          );
        },
      },
    });
    for (let round = 0; round < 3; round++) {
      const outcomes = await Promise.allSettled(Array.from({ length: 200 }, (_, index) => say(`log ${index}`)));
      expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true);
    }
    isAway = false;
    await many(250, 'log');
    expect(await messages()).toHaveLength(250);
    expect([dropped(), await pause()]).toEqual([{}, [null, null]]);
  });

  it('are stored before a stop, and rejected after it', async () => {
    const all = many(120, 'log');
    await ingestion.stop();
    await all;
    expect(await messages()).toHaveLength(120);
    await expect(say('late')).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('are stored as telemetry, with the stored data of the robot', async () => {
    await take({ telemetry_target: 'rpi', telemetry_uptime: 1 }, 'telemetry');
    const device = server.app.server().device(owner.deviceId);
    await device.update(devices, { fbos_version: '15.4.6' }, {});
    await server.call('PATCH', '/api/fbos_config', {
      token: owner.token,
      body: { firmware_hardware: 'farmduino_k16' },
    });
    await announced();
    await take(
      {
        telemetry_captured_at: '2026-01-02T10:00:00Z',
        telemetry_soc_temp: 41,
        telemetry_throttled: '0x0',
        telemetry_wifi_level: -60,
        telemetry_wifi_level_percent: 70,
        telemetry_uptime: 1234,
        telemetry_memory_usage: 55,
        telemetry_disk_usage: 3,
        telemetry_scheduler_usage: 2,
        telemetry_cpu_usage: 9,
        telemetry_target: 'rpi3',
        telemetry_fbos_version: '1.1.1',
        firmware_hardware: 'arduino',
        device: { id: 1 },
      },
      'telemetry',
    );
    const [newest, first] = await get('/api/telemetries');
    expect(first).toMatchObject({ target: 'rpi', uptime: 1, fbos_version: '0.0.0', firmware_hardware: null });
    expect(newest).toEqual({
      id: expect.any(Number),
      created_at: start / 1000,
      updated_at: '2026-01-02T10:20:30.000Z',
      soc_temp: 41,
      throttled: '0x0',
      wifi_level_percent: 70,
      uptime: 1234,
      memory_usage: 55,
      disk_usage: 3,
      cpu_usage: 9,
      target: 'rpi3',
      fbos_version: '15.4.6',
      firmware_hardware: 'farmduino_k16',
    });
    expect(await announced()).toEqual([{ resource: 'Telemetry', label: 'NONE', origin: 'server', body: newest }]);
  });

  it('are stored with values of newer boards that HTTP rejects', async () => {
    const body = { target: 'host', wifi_level_percent: 104, disk_usage: -1 };
    await take(
      { telemetry_target: 'host', telemetry_wifi_level_percent: 104, telemetry_disk_usage: -1, telemetry_uptime: 7 },
      'telemetry',
    );
    expect(await get('/api/telemetries')).toMatchObject([{ ...body, uptime: 7 }]);
    const refused = await server.call('POST', '/api/telemetries', { token: owner.token, body });
    expect([refused.status, Object.keys(refused.json).sort()]).toEqual([
      422,
      ['disk_usage', 'target', 'wifi_level_percent'],
    ]);
  });

  itAnyEngine(
    'are not stored as telemetry without a target, with wrong values, or from the 26th of a minute on',
    async () => {
      for (const message of [{ 'telemetry.uptime': 1 }, { telemetry_target: null }, '[]', 'x'])
        await take(message, 'telemetry');
      await take({ telemetry_target: 'rpi', telemetry_uptime: 1.5 }, 'telemetry');
      for (let i = 0; i < 25; i++) await take({ telemetry_target: 'rpi', telemetry_uptime: i }, 'telemetry');
      expect(dropped('telemetries_dropped')).toEqual({ kind: 2, not_object: 1, not_json: 1, invalid: 1, throttled: 5 });
      expect(counters.total('telemetries_taken')).toBe(20);
      expect([await get('/api/telemetries'), await pause()]).toMatchObject([{ length: 20 }, [null, null]]);
      expect(shown).toEqual([]);
    },
  );

  it('are trimmed to the newest 300 telemetry records', async () => {
    ingestion = begin({ limitsRates: false });
    owner = await server.signUp();
    await Promise.all(
      Array.from({ length: 320 }, (_, uptime) =>
        take({ telemetry_target: 'rpi4', telemetry_uptime: uptime }, 'telemetry'),
      ),
    );
    const device = server.app.server().device(owner.deviceId);
    await expect.poll(() => device.count(telemetries)).toBe(300);
    expect((await get('/api/telemetries')).at(-1)).toMatchObject({ uptime: 20 });
  });
});
