import { beforeEach, describe, expect, it } from 'vitest';
import type { DeviceScope } from '../../src/db/scope.ts';
import { telemetries } from '../../src/device/telemetries.ts';
import { sensorReadings } from '../../src/garden/sensor-readings.ts';
import { JobQueue } from '../../src/jobs/queue.ts';
import { series, seriesQuarters, seriesSamples } from '../../src/series/series-tables.ts';
import type { Account } from '../support/app.ts';
import { password, suiteApp } from '../support/app.ts';
import { describeEngines } from '../support/engines.ts';

const clock = { now: () => Date.parse('2026-11-01T12:00:00Z') };

describeEngines('series', (engine) => {
  const server = suiteApp(engine, {}, clock);
  let account: Account;
  let scope: DeviceScope;

  beforeEach(async () => {
    account = await server.signUp();
    scope = server.app.server().device(account.deviceId);
    await send('PATCH', '/api/device', { timezone: 'Europe/Berlin' });
  });

  const send = (method: string, path: string, body?: object, headers: Record<string, string> = {}) =>
    server.call(method, path, { token: account.token, headers, ...(body && { body }) });
  const read = async (value: number, read_at: string, pin = 59): Promise<number> => {
    const body = { pin, mode: 1, value, x: 1, y: 2.5, z: null, read_at };
    const { status, json } = await send('POST', '/api/sensor_readings', body);
    expect([status, json.read_at]).toEqual([200, new Date(read_at).toISOString()]);
    return json.id;
  };
  const get = async (query: Record<string, string>) => {
    const sent = new URLSearchParams({ source: 'sensor_reading', pin: '59', ...query }).toString();
    const { status, json, text } = await send('GET', `/api/series?${sent}`);
    expect([status, text.slice(0, 200)]).toEqual([200, expect.stringContaining('"buckets"')]);
    return json;
  };
  const csv = async (query: Record<string, string>): Promise<string[]> => {
    const sent = new URLSearchParams({ source: 'sensor_reading', pin: '59', ...query }).toString();
    const { status, text, headers } = await send('GET', `/api/series?${sent}`, undefined, { accept: 'text/csv' });
    expect([status, headers['content-type']]).toEqual([200, 'text/csv']);
    return text.split('\n');
  };
  const span = { from: '2026-10-01', to: '2026-11-01T12:00:00Z' };
  /** Runs the sweep as if a day had passed. */
  const compact = async (): Promise<void> => {
    await scope.update(series, { swept_at: 0 }, {});
    await new JobQueue().enqueue(server.app.server(), 'compact_series', {});
    await server.app.runJobs();
  };
  const rowCounts = async () => ({
    samples: await scope.count(seriesSamples),
    quarters: await scope.count(seriesQuarters),
    counted: await scope.sum(series, 'row_count'),
  });

  it('show readings in days of the device, also in days with a change of clocks', async () => {
    await read(10, '2026-10-24T21:59:59Z');
    await read(20, '2026-10-24T22:00:00Z');
    await read(25, '2026-10-25T00:30:00Z');
    await read(40, '2026-10-25T22:59:59Z');
    await read(7, '2026-10-25T23:00:00Z');
    await read(1000, '2026-10-25T12:00:00Z', 60);
    const { bucket, timezone, buckets } = await get({ ...span, bucket: '1d' });
    expect([bucket, timezone]).toEqual(['1d', 'Europe/Berlin']);
    expect(buckets).toEqual([
      { at: '2026-10-23T22:00:00.000Z', local: '2026-10-24T00:00:00+02:00', avg: 10, min: 10, max: 10, count: 1 },
      { at: '2026-10-24T22:00:00.000Z', local: '2026-10-25T00:00:00+02:00', avg: 85 / 3, min: 20, max: 40, count: 3 },
      { at: '2026-10-25T23:00:00.000Z', local: '2026-10-26T00:00:00+01:00', avg: 7, min: 7, max: 7, count: 1 },
    ]);
    // The hour from 2 to 3 is there twice, and minutes are exact.
    const hours = await get({
      from: '2026-10-25T00:10:00Z',
      to: '2026-10-25T00:40:00Z',
      bucket: '1h',
      fn: 'count,sum',
    });
    expect(hours.buckets).toEqual([
      { at: '2026-10-25T00:00:00.000Z', local: '2026-10-25T02:00:00+02:00', count: 1, sum: 25 },
    ]);
    const minutes = await get({ from: '2026-10-25T22:00:00Z', to: '2026-10-25T23:30:00Z', fn: 'max' });
    expect([minutes.bucket, minutes.buckets]).toEqual([
      '1m',
      [
        { at: '2026-10-25T22:59:00.000Z', local: '2026-10-25T23:59:00+01:00', max: 40 },
        { at: '2026-10-25T23:00:00.000Z', local: '2026-10-26T00:00:00+01:00', max: 7 },
      ],
    ]);
  });

  it('show each reading in the hour that it is in where clocks change by half an hour', async () => {
    await send('PATCH', '/api/device', { timezone: 'Australia/Lord_Howe' });
    // At 15:00 UTC clocks are set from 2:00 back to 1:30, and at 15:30 UTC in October from 2:00 to 2:30.
    for (const [value, time] of [
      [1, '2026-04-04T14:50:00Z'],
      [2, '2026-04-04T15:10:00Z'],
      [3, '2026-04-04T15:40:00Z'],
      [4, '2026-10-03T15:20:00Z'],
      [5, '2026-10-03T15:40:00Z'],
      [6, '2026-10-03T16:10:00Z'],
    ] as const)
      await read(value, time);
    const hours = async (from: string, to: string) =>
      (await get({ from, to, bucket: '1h', fn: 'sum' })).buckets.map(
        (each: { at: string; local: string; sum: number }) =>
          [each.at.slice(11, 16), each.local.slice(11), each.sum].join(' '),
      );
    expect(await hours('2026-04-04T14:00:00Z', '2026-04-04T17:00:00Z')).toEqual([
      '14:00 01:00:00+11:00 1',
      '15:00 01:30:00+10:30 2',
      '15:30 02:00:00+10:30 3',
    ]);
    expect(await hours('2026-04-04T15:10:00Z', '2026-04-04T15:20:00Z')).toEqual(['15:00 01:30:00+10:30 2']);
    expect(await hours('2026-10-03T15:00:00Z', '2026-10-03T17:00:00Z')).toEqual([
      '14:30 01:00:00+10:30 4',
      '15:30 02:30:00+11:00 5',
      '16:00 03:00:00+11:00 6',
    ]);
  });

  it('show telemetry by field', async () => {
    await send('POST', '/api/telemetries', { target: 'rpi3', soc_temp: 48, cpu_usage: 0 });
    await send('POST', '/api/telemetries', { target: 'rpi3', soc_temp: 52 });
    const show = async (field: string) => {
      const query = new URLSearchParams({
        source: 'telemetry',
        field,
        from: '2026-11-01T11:00:00Z',
        to: '2026-11-01T13:00:00Z',
      });
      return (await send('GET', `/api/series?${query}`)).json.buckets;
    };
    const at = { at: '2026-11-01T12:00:00.000Z', local: '2026-11-01T13:00:00+01:00' };
    expect(await show('soc_temp')).toEqual([{ ...at, avg: 50, min: 48, max: 52, count: 2 }]);
    expect(await show('cpu_usage')).toEqual([{ ...at, avg: 0, min: 0, max: 0, count: 1 }]);
    expect(await show('uptime')).toEqual([]);
    expect((await send('DELETE', '/api/telemetries/all')).status).toBe(200);
    expect(await show('soc_temp')).toEqual([]);
    expect(await rowCounts()).toEqual({ samples: 0, quarters: 0, counted: 0 });
  });

  it('choose the shortest bucket of which there are at most 2,000', async () => {
    const bucketOf = async (from: string): Promise<string> => (await get({ from, to: span.to })).bucket;
    expect(await bucketOf('2026-10-31T12:00:00Z')).toBe('1m');
    expect(await bucketOf('2026-10-30')).toBe('15m');
    expect(await bucketOf('2026-10-01')).toBe('1h');
    expect(await bucketOf('2026-01-01')).toBe('1d');
    // The first and the last bucket count, too.
    const minutes = { from: '2026-11-01T00:00:30Z', bucket: '1m' };
    expect((await get({ ...minutes, to: '2026-11-02T09:19:30Z' })).bucket).toBe('1m');
    expect((await get({ from: '2026-11-01', to: '2026-11-02T09:20:00Z', bucket: '1m' })).bucket).toBe('1m');
    const more = new URLSearchParams({ ...minutes, to: '2026-11-02T09:20:30Z', source: 'sensor_reading', pin: '59' });
    expect((await send('GET', `/api/series?${more}`)).json).toEqual({
      bucket: expect.stringContaining('2000 buckets'),
    });
    // Without a span: the last day.
    expect((await get({})).bucket).toBe('1m');
  });

  it.each([
    ['', { source: 'Source is required.' }],
    ['source=weather', { source: 'Source must be one of sensor_reading, telemetry.' }],
    ['source=sensor_reading', { pin: 'Pin is required for sensor_reading.' }],
    ['source=telemetry', { field: 'Field is required for telemetry.' }],
    ['source=sensor_reading&pin=70', { pin: 'Pin is too big (at most 69).' }],
    ['source=sensor_reading&pin=5.5', { pin: 'Pin must be a whole number.' }],
    ['source=sensor_reading&pin=5x', { pin: 'Pin must be a whole number.' }],
    ['source=sensor_reading&pin=9999999999', { pin: 'Pin is too big (at most 69).' }],
    ['source=sensor_reading&pin=5&pin=6', { pin: 'Pin must be sent once.' }],
    ['source=sensor_reading&pin=5&fn=avg&fn=min&pin=5', { pin: 'Pin must be sent once.', fn: 'Fn must be sent once.' }],
    ['source=telemetry&field=target', { field: expect.stringContaining('Field must be one of soc_temp, ') }],
    ['source=sensor_reading&pin=1&from=2026-01-02&to=2026-01-02', { to: 'To must be after From.' }],
    ['source=sensor_reading&pin=1&from=soon', { from: 'From must be a time such as 2026-05-01T12:00:00Z.' }],
    ['source=sensor_reading&pin=1&bucket=1y', { bucket: expect.stringContaining('Bucket must be one of auto, 1m, ') }],
    ['source=sensor_reading&pin=1&from=2020-01-01', { to: 'The span may have at most 2000 days.' }],
    [
      'source=sensor_reading&pin=1&from=2026-01-01&bucket=1h',
      { bucket: 'There would be more than 2000 buckets: choose a longer one or `auto`.' },
    ],
    [
      'source=sensor_reading&pin=1&fn=avg,avg',
      { fn: 'Fn must be a list of different functions of avg, min, max, sum, count.' },
    ],
    [
      'source=sensor_reading&pin=70&bucket=2h&fn=median',
      { pin: expect.any(String), bucket: expect.any(String), fn: expect.any(String) },
    ],
    ['source=sensor_reading&pin=1&fn=constructor', { fn: expect.stringContaining('Fn must be a list') }],
  ])('are refused for %s', async (query, failures) => {
    const { status, json } = await send('GET', `/api/series?${query}`);
    expect([status, json]).toEqual([422, failures]);
  });

  it('follow the lists of readings', async () => {
    const first = await read(10, '2026-10-31T10:01:00Z');
    const second = await read(30, '2026-10-31T10:02:00Z');
    await read(20, '2026-10-31T10:20:00Z');
    expect(await rowCounts()).toEqual({ samples: 3, quarters: 2, counted: 5 });
    const hour = async () =>
      (await get({ from: '2026-10-31T10:00:00Z', to: '2026-10-31T11:00:00Z', bucket: '1h' })).buckets[0];
    expect(await hour()).toMatchObject({ avg: 20, min: 10, max: 30, count: 3 });
    expect((await send('DELETE', `/api/sensor_readings/${second}`)).status).toBe(200);
    expect(await hour()).toMatchObject({ avg: 15, min: 10, max: 20, count: 2 });
    await send('DELETE', `/api/sensor_readings/${first}`);
    expect(await hour()).toMatchObject({ avg: 20, min: 20, max: 20, count: 1 });
    expect(await rowCounts()).toEqual({ samples: 1, quarters: 1, counted: 2 });
    const { json } = await send('GET', '/api/sensor_readings');
    expect(json).toHaveLength(1);
  });

  it('stream all values as CSV', async () => {
    expect(await csv(span)).toEqual(['at,local,resolution,value,min,max,sum,count,x,y,z', '']);
    for (let index = 0; index < 3; index++) await read(index, '2026-10-31T10:00:00Z');
    await read(5, '2026-10-30T10:00:00.250Z');
    await read(9, '2026-11-01T12:00:00Z');
    expect((await csv(span)).slice(1)).toEqual([
      '2026-10-30T10:00:00.250Z,2026-10-30T11:00:00+01:00,whole,5,5,5,5,1,1,2.5,',
      '2026-10-31T10:00:00.000Z,2026-10-31T11:00:00+01:00,whole,0,0,0,0,1,1,2.5,',
      '2026-10-31T10:00:00.000Z,2026-10-31T11:00:00+01:00,whole,1,1,1,1,1,1,2.5,',
      '2026-10-31T10:00:00.000Z,2026-10-31T11:00:00+01:00,whole,2,2,2,2,1,1,2.5,',
      '',
    ]);
    // More than a page, many of one time.
    const values = { mode: 1 as const, pin: 59, value: 1, x: 0, y: 0, z: 0, read_at: '2026-10-20T00:00:00.000Z' };
    const { id: series_id } = (await scope.first(series)) ?? { id: 0 };
    const sample = { series_id, at: Date.parse(values.read_at), value: 1, record_id: 0 };
    await scope.insertAll(
      seriesSamples,
      Array.from({ length: 4500 }, () => sample),
    );
    expect(await csv({ ...span, to: '2026-10-21' })).toHaveLength(4502);
    const minutes = await get({ from: '2026-10-20', to: '2026-10-20T01:00:00Z', bucket: '1m', fn: 'count,sum' });
    expect(minutes.buckets).toEqual([
      { at: '2026-10-20T00:00:00.000Z', local: '2026-10-20T02:00:00+02:00', count: 4500, sum: 4500 },
    ]);
  });

  describe('by place', () => {
    /** Stores a reading at a place on the last day. */
    const readAt = async (x: number | null, y: number | null, value: number, time = '10:00:00') => {
      const body = { pin: 59, mode: 1, value, x, y, z: 0, read_at: `2026-10-31T${time}Z` };
      expect((await send('POST', '/api/sensor_readings', body)).status).toBe(200);
    };
    const day = { from: '2026-10-31', to: '2026-10-31T22:00:00Z', bucket: '1d', by: 'place', fn: 'avg,count' };
    const refusal = async (query: Record<string, string>) => {
      const sent = new URLSearchParams({ source: 'sensor_reading', pin: '59', ...query }).toString();
      const { status, json } = await send('GET', `/api/series?${sent}`);
      return [status, json];
    };
    const bucket = (
      avg: number,
      count: number,
      at = '2026-10-30T23:00:00.000Z',
      local = '2026-10-31T00:00:00+01:00',
    ) => ({
      ...{ at, local, avg, count },
    });

    it('are the values within a radius, beside all of them', async () => {
      expect((await get(day)).places).toEqual([]);
      await readAt(500, 100, 300);
      await readAt(100, 100, 600);
      await readAt(560, 180, 400, '11:00:00');
      await readAt(561, 180, 700, '11:00:00');
      await readAt(100, 900, 100);
      await readAt(null, 100, 50);
      const { buckets, places } = await get(day);
      expect(buckets).toMatchObject([{ count: 6 }]);
      expect(places).toEqual([
        { x: 100, y: 100, buckets: [bucket(600, 1)] },
        { x: 100, y: 900, buckets: [bucket(100, 1)] },
        { x: 500, y: 100, buckets: [bucket(350, 2)] },
        { x: 561, y: 180, buckets: [bucket(700, 1)] },
        { x: null, y: null, buckets: [bucket(50, 1)] },
      ]);
      expect((await get({ ...day, radius: '101' })).places).toHaveLength(4);
      expect((await get({ ...day, radius: '0' })).places).toHaveLength(6);
      expect((await get({ ...day, radius: '5000' })).places).toEqual([
        { x: 500, y: 100, buckets: [bucket(420, 5)] },
        { x: null, y: null, buckets: [bucket(50, 1)] },
      ]);
      // A value belongs to the nearest of two places.
      await readAt(535, 150, 10, '12:00:00');
      expect((await get({ ...day, radius: '70' })).places.slice(2, 4)).toMatchObject([
        { x: 500, buckets: [{ count: 1 }] },
        { x: 560, buckets: [{ avg: 370, count: 3 }] },
      ]);
    });

    it('have buckets of any duration, in days with a change of clocks, too', async () => {
      await readAt(100, 100, 10, '10:00:10');
      await readAt(100, 100, 30, '10:00:50');
      await readAt(100, 100, 50, '10:01:00');
      const minutes = await get({ ...day, from: '2026-10-31T09:30:00Z', to: '2026-10-31T10:30:00Z', bucket: '1m' });
      expect(minutes.places).toEqual([
        {
          ...{ x: 100, y: 100 },
          buckets: [
            bucket(20, 2, '2026-10-31T10:00:00.000Z', '2026-10-31T11:00:00+01:00'),
            bucket(50, 1, '2026-10-31T10:01:00.000Z', '2026-10-31T11:01:00+01:00'),
          ],
        },
      ]);
      await read(20, '2026-10-24T22:00:00Z');
      await read(40, '2026-10-25T22:59:59Z');
      const { places } = await get({ ...span, by: 'place', bucket: '1d', fn: 'sum' });
      expect(places).toEqual([
        { x: 1, y: 2.5, buckets: [{ at: '2026-10-24T22:00:00.000Z', local: '2026-10-25T00:00:00+02:00', sum: 60 }] },
        { x: 100, y: 100, buckets: [{ at: '2026-10-30T23:00:00.000Z', local: '2026-10-31T00:00:00+01:00', sum: 90 }] },
      ]);
    });

    it('are not known of sums', async () => {
      await readAt(100, 100, 10);
      const { compacted_until } = (await scope.first(series)) ?? { compacted_until: 0 };
      expect(compacted_until).toBeLessThan(Date.parse('2026-10-31'));
      await readAt(100, 100, 30, '10:20:00');
      await scope.update(series, { compacted_until: Date.parse('2026-10-31T10:15:00Z') }, {});
      expect((await get(day)).places).toEqual([
        { x: 100, y: 100, buckets: [bucket(30, 1)] },
        { x: null, y: null, buckets: [bucket(10, 1)] },
      ]);
    });

    it('are limited, and only of sensor readings', async () => {
      for (const [query, failures] of [
        [{ source: 'telemetry', field: 'soc_temp', by: 'place' }, { by: 'By is only for sensor_reading.' }],
        [{ radius: '50' }, { radius: 'Radius is only for by=place.' }],
        [{ by: 'pin' }, { by: 'By must be one of place.' }],
        [{ by: 'place', radius: '-1' }, { radius: 'Radius is too small (at least 0).' }],
        [{ by: 'place', radius: '1,5' }, { radius: 'Radius must be a number.' }],
        [{ by: 'place', radius: '5 mm' }, { radius: 'Radius must be a number.' }],
      ] as const)
        expect(await refusal(query)).toEqual([422, failures]);
      await readAt(0, 0, 1);
      const { id: series_id } = (await scope.first(series)) ?? { id: 0 };
      const sample = { series_id, at: Date.parse('2026-10-31T10:00:00Z'), value: 1, y: 0, z: 0, record_id: 0 };
      await scope.insertAll(
        seriesSamples,
        Array.from({ length: 199 }, (_, index) => ({ ...sample, x: 200 * (index + 1) })),
      );
      expect((await get(day)).places).toHaveLength(200);
      await scope.insert(seriesSamples, { ...sample, x: -200 });
      expect(await refusal(day)).toEqual([
        422,
        { radius: 'There would be more than 200 places: choose a larger radius or a shorter span.' },
      ]);
      expect((await get({ ...day, radius: '300' })).places.length).toBeLessThan(110);
      // Each minute of 14 hours at 25 places.
      const minutes = Array.from({ length: 840 }, (_, index) => Date.parse('2026-10-31') + index * 60_000);
      await scope.delete(seriesSamples, {});
      for (let x = 0; x < 25; x++)
        await scope.insertAll(
          seriesSamples,
          minutes.map((at) => ({ ...sample, at, x: 200 * x })),
        );
      expect(await refusal({ ...day, bucket: 'auto' })).toEqual([
        422,
        {
          bucket:
            'There would be more than 20000 buckets of places: choose longer ones, a larger radius or a shorter span.',
        },
      ]);
      expect((await get({ ...day, bucket: '15m' })).places).toHaveLength(25);
    });
  });

  describe('older than 30 days', () => {
    const old = { from: '2026-09-01', to: '2026-09-03' };

    it('are sums of quarters of an hour, unless they are in the list', async () => {
      await read(10, '2026-09-01T10:01:00Z');
      await read(30, '2026-09-01T10:14:59Z');
      await read(99, '2026-09-01T10:15:00Z');
      await read(5, '2026-10-15T10:15:00Z');
      await compact();
      expect(await rowCounts()).toEqual({ samples: 4, quarters: 3, counted: 7 });

      // The list has other records now, as after 2,500 newer ones.
      await scope.delete(sensorReadings, { where: { read_at: { lt: '2026-10-01T00:00:00.000Z' } } });
      const before = await get({ ...old, bucket: '1h', fn: 'avg,min,max,sum,count' });
      await compact();
      expect(await rowCounts()).toEqual({ samples: 1, quarters: 3, counted: 4 });
      expect(await get({ ...old, bucket: '1h', fn: 'avg,min,max,sum,count' })).toEqual(before);
      expect((await csv({ ...old, to: span.to })).slice(1)).toEqual([
        '2026-09-01T10:00:00.000Z,2026-09-01T12:00:00+02:00,quarter_hour,20,10,30,40,2,,,',
        '2026-09-01T10:15:00.000Z,2026-09-01T12:15:00+02:00,quarter_hour,99,99,99,99,1,,,',
        '2026-10-15T10:15:00.000Z,2026-10-15T12:15:00+02:00,whole,5,5,5,5,1,1,2.5,',
        '',
      ]);
      const minutes = await get({
        from: '2026-09-01T10:00:00Z',
        to: '2026-09-01T11:00:00Z',
        bucket: '1m',
        fn: 'count',
      });
      expect(minutes.buckets.map(({ at, count }: { at: string; count: number }) => `${at} ${count}`)).toEqual([
        '2026-09-01T10:00:00.000Z 2',
        '2026-09-01T10:15:00.000Z 1',
      ]);
      // A late reading changes only the sums, also when it is deleted.
      const late = await read(70, '2026-09-01T10:05:00Z');
      expect((await csv(old))[1]).toContain('quarter_hour,36.666666666666664,10,70,110,3');
      await send('DELETE', `/api/sensor_readings/${late}`);
      expect((await csv(old))[1]).toContain('quarter_hour,20,10,70,40,2');
      // The sums of a quarter are deleted with its last reading.
      const alone = await read(70, '2026-09-01T11:05:00Z');
      expect(await csv(old)).toHaveLength(5);
      await send('DELETE', `/api/sensor_readings/${alone}`);
      expect(await csv(old)).toHaveLength(4);
      // The first time that is not compacted.
      const { compacted_until } = (await scope.first(series)) ?? { compacted_until: 0 };
      const edge = new Date(compacted_until).toISOString();
      await read(8, edge);
      expect((await csv({ from: edge, to: span.to }))[1]).toContain(`${edge},`);
    });

    it('of telemetry are sums, unless they are in the list', async () => {
      await send('POST', '/api/telemetries', { target: 'rpi3', soc_temp: 48 });
      const [row] = await scope.rows(series);
      const at = Date.parse('2026-09-01T10:00:00Z');
      await scope.update(seriesSamples, { at }, {});
      await scope.update(seriesQuarters, { at }, {});
      await scope.update(telemetries, { created_at: '2026-09-01T10:00:00.000Z' }, {});
      await compact();
      expect(await rowCounts()).toEqual({ samples: 1, quarters: 1, counted: 2 });
      await scope.delete(telemetries, {});
      await compact();
      expect(await rowCounts()).toEqual({ samples: 0, quarters: 1, counted: 1 });
      expect((await scope.first(series))?.id).toBe(row?.id);
    });

    it('are deleted after SERIES_DAYS', async () => {
      await read(10, '2025-10-31T10:01:00Z');
      await read(20, '2025-11-02T10:01:00Z');
      await compact();
      expect((await csv({ from: '2025-01-01', to: span.to })).slice(1)).toEqual([
        '2025-11-02T10:01:00.000Z,2025-11-02T11:01:00+01:00,whole,20,20,20,20,1,1,2.5,',
        '',
      ]);
      expect(await rowCounts()).toEqual({ samples: 1, quarters: 1, counted: 2 });
    });
  });

  it('lose a span that is deleted, in steps', async () => {
    for (const [value, time] of [
      [1, '2026-10-31T09:59:59.999Z'],
      [2, '2026-10-31T10:00:00Z'],
      [3, '2026-10-31T11:14:59.999Z'],
      [4, '2026-10-31T11:15:00Z'],
    ] as const)
      await read(value, time);
    await read(5, '2026-10-31T10:30:00Z', 60);
    const remove = (query: string) => send('DELETE', `/api/series?source=sensor_reading&pin=59&${query}`);
    expect((await remove('from=2026-10-31T10:01:00Z&to=2026-10-31T11:01:00Z')).json).toEqual({
      from: 'From must be a full quarter of an hour.',
      to: 'To must be a full quarter of an hour.',
    });
    expect((await remove('from=2026-10-31T10:00:00Z&to=2026-10-31T10:00:00Z')).json).toEqual({
      to: 'To must be after From.',
    });
    expect((await remove('')).json).toEqual({ from: 'From is required.', to: 'To is required.' });
    const { status, json } = await remove('from=2026-10-31T10:00:00Z&to=2026-10-31T11:15:00Z');
    expect([status, json]).toEqual([200, { deleted: 2 }]);
    expect((await csv(span)).slice(1, -1).map((line) => line.split(',')[3])).toEqual(['1', '4']);
    expect((await csv({ ...span, pin: '60' })).slice(1, -1)).toHaveLength(1);
    expect(await rowCounts()).toEqual({ samples: 3, quarters: 3, counted: 6 });
    expect((await send('GET', '/api/sensor_readings')).json).toHaveLength(5);
    // A reading of the list that the series has lost.
    const [{ id }] = (await send('GET', '/api/sensor_readings')).json.filter(
      ({ value }: { value: number }) => value === 2,
    );
    expect((await send('DELETE', `/api/sensor_readings/${id}`)).status).toBe(200);
    expect(await rowCounts()).toEqual({ samples: 3, quarters: 3, counted: 6 });
  });

  it('drop their oldest values at a million rows', async () => {
    await read(1, '2026-10-01T10:00:00Z', 60);
    await read(2, '2026-10-02T10:00:00Z');
    await read(3, '2026-10-03T10:00:00Z');
    await scope.update(series, { row_count: 999_997 }, { where: { number: 59 } });
    await read(4, '2026-10-04T10:00:00Z');
    const values = async (pin: string) => (await csv({ ...span, pin })).slice(1, -1).map((line) => line.split(',')[3]);
    expect([await values('60'), await values('59')]).toEqual([[], ['2', '3', '4']]);
    await read(5, '2026-10-05T10:00:00Z');
    expect(await values('59')).toEqual(['3', '4', '5']);
  });

  it('drop values first that a wrong clock wrote ahead', async () => {
    await read(1, '2027-10-01T10:00:00Z', 60);
    await read(2, '2026-10-02T10:00:00Z');
    await read(3, '2026-11-02T10:00:00Z');
    await scope.update(series, { row_count: 999_997 }, { where: { number: 59 } });
    await read(4, '2026-10-04T10:00:00Z');
    const values = async (pin: string) =>
      (await csv({ ...span, to: '2028-01-01', pin })).slice(1, -1).map((line) => line.split(',')[3]);
    expect([await values('60'), await values('59')]).toEqual([[], ['2', '4', '3']]);
    await read(5, '2026-10-05T10:00:00Z');
    expect(await values('59')).toEqual(['4', '5', '3']);
  });

  it('belong to the account’s garden', async () => {
    await read(1, '2026-10-31T10:00:00Z');
    const other = await server.signUp();
    const query = '/api/series?source=sensor_reading&pin=59&from=2026-10-01&to=2026-11-01';
    const { json } = await server.call('GET', query, { token: other.token });
    expect(json.buckets).toEqual([]);
    await server.call('DELETE', query, { token: other.token });
    expect(await rowCounts()).toEqual({ samples: 1, quarters: 1, counted: 2 });
  });

  it('end with a reset, and are imported with the lists', async () => {
    await read(1, '2026-10-31T10:00:00Z');
    await send('POST', '/api/telemetries', { target: 'rpi3', soc_temp: 48 });
    const exported = await send('POST', '/api/export_data', {});
    expect(await rowCounts()).toEqual({ samples: 2, quarters: 2, counted: 4 });
    await send('POST', '/api/device/reset', { password });
    await server.app.runJobs();
    expect((await csv(span)).slice(1)).toEqual(['']);
    await compact();
    expect(await rowCounts()).toEqual({ samples: 0, quarters: 0, counted: 0 });
    expect(await scope.count(series)).toBe(0);
    const imported = await server.call('POST', '/api/import', { token: account.token, body: exported.json });
    expect([imported.status, imported.text.slice(0, 200)]).toEqual([200, expect.anything()]);
    expect((await csv(span)).slice(1, -1)).toHaveLength(1);
    expect(await rowCounts()).toEqual({ samples: 2, quarters: 2, counted: 4 });
  });
});
