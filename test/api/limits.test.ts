import { beforeAll, expect, it } from 'vitest';
import type { DeviceScope, Insertable } from '../../src/db/scope.ts';
import type { RowOf } from '../../src/db/table.ts';
import { logs } from '../../src/device/logs.ts';
import { telemetries } from '../../src/device/telemetries.ts';
import { farmwareEnvs } from '../../src/garden/farmware-envs.ts';
import { sceneObjects } from '../../src/garden/scene-objects.ts';
import { sensorReadings } from '../../src/garden/sensor-readings.ts';
import { resources } from '../../src/resources.ts';
import { suiteAccount, suiteApp } from '../support/app.ts';
import { describeAnyEngine, describeEngines } from '../support/engines.ts';
import { example } from '../support/examples.ts';
import type { FieldLimit } from '../support/field-limit.ts';
import { declaredLimit, writtenLimits } from '../support/limits.ts';

/** Returns the entry of the table in the form of a declared limit. */
const expected = ({ key: _key, choices, ...limit }: FieldLimit): FieldLimit => ({
  ...limit,
  ...(choices && { choices: choices.toSorted() }),
});

describeAnyEngine('declarations', () => {
  it.each(resources.map((resource) => [resource.name, resource] as const))('%s', (name, resource) => {
    const written = writtenLimits(resource);
    const isCompared = (field: string): boolean => field in written;
    const isKnown = (field: string): boolean =>
      isCompared(field) || resource.options.addition === true || resource.fields[field]?.traits.isAddition === true;
    expect(
      Object.keys(resource.fields).filter((field) => !isKnown(field)),
      `The original service has no such field of ${name}: declare it with \`.addition()\`. If it has one, write its limits into test/support/limits.ts`,
    ).toEqual([]);
    const declared = Object.entries(resource.fields).filter(([field]) => isCompared(field));
    expect(Object.fromEntries(declared.map(([field, declaration]) => [field, declaredLimit(declaration)]))).toEqual(
      Object.fromEntries(Object.entries(written).map(([field, limit]) => [field, expected(limit)])),
    );
  });
});

const keys = (value: unknown, count = 60_000) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`key ${n}`, value]));

/** Bodies of about a megabyte of invalid values, with the keys of the response. */
const hugeBodies: readonly (readonly [what: string, path: string, body: object, keys: readonly string[]])[] = [
  ['ids', '/api/point_groups', { name: 'G', point_ids: Array(45_000).fill('x'.repeat(20)) }, ['point_ids']],
  ['own ids', '/api/point_groups', { name: 'G', point_ids: Array(45_000).fill(1_000_000_000_000_000) }, ['point_ids']],
  ['texts', '/api/point_groups', { name: 'G', point_ids: [], criteria: { string_eq: keys([1]) } }, ['error']],
  ['numbers', '/api/point_groups', { name: 'G', point_ids: [], criteria: { number_lt: keys('x') } }, ['error']],
  ['days', '/api/curves', { name: 'C', type: 'water', data: keys('x') }, ['error']],
  ['meta', '/api/points', { pointer_type: 'Plant', x: 1, y: 1, meta: keys({}) }, ['error']],
  ['an address', '/api/webcam_feeds', { name: 'F', url: 'x'.repeat(1_000_000) }, ['error']],
];

const secondsAgo = (seconds: number): string => new Date(Date.now() - seconds * 1000).toISOString();

describeEngines('maximum numbers of records', (engine) => {
  const server = suiteApp(engine);
  const account = suiteAccount(server);
  let scope: DeviceScope;
  beforeAll(async () => {
    scope = server.app.server().device(account.deviceId);
  });

  const call = (method: string, path: string, body?: object) =>
    server.call(method, path, { token: account.token, ...(body && { body }) });
  const createOne = async (name: string, changes: object = {}) =>
    call('POST', `/api/${name}`, { ...(await example(server, name, account)), ...changes });
  const many = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n));

  it.each(hugeBodies)('a megabyte of invalid %s has a short reply', async (_what, path, body, keys) => {
    const { status, text, json } = await call('POST', path, body);
    expect([status, Object.keys(json)], text.slice(0, 200)).toEqual([422, keys]);
    expect(text.length).toBeLessThan(10_000);
  });

  it('300 farmware envs', async () => {
    await scope.insertAll(
      farmwareEnvs,
      many(299, (n) => ({ key: `env ${n}`, value: 'x' })),
    );
    const last = await createOne('farmware_envs');
    expect(last.status).toBe(200);
    const refused = await createOne('farmware_envs');
    expect([refused.status, Object.keys(refused.json)]).toEqual([422, ['configs']]);
    expect((await call('PATCH', `/api/farmware_envs/${last.json.id}`, { value: 'y' })).status).toBe(200);
    expect((await call('DELETE', `/api/farmware_envs/${last.json.id}`)).status).toBe(200);
    expect((await createOne('farmware_envs')).status).toBe(200);
    expect((await call('GET', '/api/farmware_envs')).json).toHaveLength(300);
  });

  it('1000 scene objects', async () => {
    const body = await example(server, 'scene_objects', account);
    await scope.insertAll(
      sceneObjects,
      many(999, (n) => ({ show: true, ...body, name: `object ${n}` }) as Insertable<RowOf<typeof sceneObjects>>),
    );
    expect((await createOne('scene_objects')).status).toBe(200);
    const refused = await createOne('scene_objects');
    expect([refused.status, Object.keys(refused.json)]).toEqual([422, ['scene_object_count']]);
    expect((await call('GET', '/api/scene_objects')).json).toHaveLength(1000);
  });

  it('2500 sensor readings, the newest first', async () => {
    await scope.insertAll(
      sensorReadings,
      many(2501, (n) => ({
        mode: 0,
        pin: 1,
        x: null,
        y: null,
        z: null,
        value: n % 1024,
        read_at: secondsAgo(0),
        created_at: secondsAgo(n + 10),
      })) as Insertable<RowOf<typeof sensorReadings>>[],
    );
    const values = async (query = '') =>
      (await call('GET', `/api/sensor_readings${query}`)).json.map(({ value }: { value: number }) => value);
    expect(await values()).toEqual(many(2500, (n) => n % 1024));
    expect(await values('?page=1251&per=2')).toEqual([2500 % 1024]);
    expect((await createOne('sensor_readings', { value: 1023 })).status).toBe(200);
    await expect.poll(() => scope.count(sensorReadings), { timeout: 5000 }).toBe(2500);
    expect((await values()).slice(0, 2)).toEqual([1023, 0]);
  });

  it('300 telemetries, the newest first', async () => {
    await scope.insertAll(
      telemetries,
      many(301, (n) => ({ target: 'rpi3' as const, uptime: n, created_at: secondsAgo(n + 10) })),
    );
    const uptimes = async () =>
      (await call('GET', '/api/telemetries')).json.map(({ uptime }: { uptime: number }) => uptime);
    expect(await uptimes()).toEqual(many(300, (n) => n));
    expect((await createOne('telemetries', { uptime: 7 })).status).toBe(200);
    await expect.poll(() => scope.count(telemetries), { timeout: 5000 }).toBe(300);
    expect((await uptimes()).slice(0, 2)).toEqual([7, 0]);
  });

  it('1000 logs of at most 60 days, the newest first', async () => {
    const day = 86_400;
    const log = (seconds: number): Insertable<RowOf<typeof logs>> => ({
      message: `${seconds} s ago`,
      type: 'info',
      verbosity: 1,
      channels: [],
      created_at: secondsAgo(0),
      updated_at: secondsAgo(seconds),
    });
    await scope.insertAll(logs, [61 * day, 59 * day, ...many(998, (n) => n + 10).reverse()].map(log));
    const messages = async () =>
      (await call('GET', '/api/logs')).json.map(({ message }: { message: string }) => message);
    expect(await messages()).toEqual([...many(998, (n) => `${n + 10} s ago`), `${59 * day} s ago`]);
    await scope.insertAll(logs, [log(5), log(4)]);
    expect(await messages()).toEqual([4, 5, ...many(998, (n) => n + 10)].map((seconds) => `${seconds} s ago`));
  });
});
