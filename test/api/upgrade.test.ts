import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { migrations } from '../../src/db/migrations/list.ts';
import { migrate } from '../../src/db/migrator.ts';
import { openDatabase } from '../../src/db/open.ts';
import type { Database } from '../../src/db/session.ts';
import { createKey } from '../../src/operating/key-creation.ts';
import { tables } from '../../src/resources.ts';
import { telemetryNumbers } from '../../src/series/series-tables.ts';
import { password, startApp } from '../support/app.ts';
import { dumpSchema } from '../support/database-schema.ts';
import { dropDatabase } from '../support/databases.ts';
import { createReleaseDatabase } from '../support/earlier-release.ts';
import { describeEngines } from '../support/engines.ts';

// Upgrades databases of release 0.1.0 with rows in every table, created by test/fixtures/release-0.1.0/make.mjs.

const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

type Rows = Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;

/** Reads all rows of all tables of the release, as text on PostgreSQL. */
async function readRows({ reader, dialect }: Database): Promise<Rows> {
  const names = await reader.query(
    dialect.name === 'sqlite'
      ? `select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'`
      : `select table_name from information_schema.tables where table_schema = 'public'`,
    [],
  );
  const rows: Record<string, Record<string, unknown>[]> = {};
  for (const [name] of names) {
    const columns =
      dialect.name === 'sqlite'
        ? await reader.query(`select name from pragma_table_info('${name}')`, [])
        : await reader.query(
            `select column_name from information_schema.columns where table_schema = 'public' and table_name = '${name}' order by ordinal_position`,
            [],
          );
    const found = await reader.query(
      `select ${columns.map(([column]) => `"${column}"`).join()} from "${name}" order by 1`,
      [],
    );
    rows[String(name)] = found.map((row) => Object.fromEntries(columns.map(([column], index) => [column, row[index]])));
  }
  return rows;
}

describeEngines('the upgrade of release 0.1.0', (engine) => {
  let folder: string;
  let url: string | null;
  let before: Rows;
  let after: Rows;
  let schema: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'potager-upgrade-'));
    url = await createReleaseDatabase(engine, folder);
    const database = await openDatabase(url, folder, () => undefined);
    before = await readRows(database);
    await migrate(database, migrations, { clock: systemClock, log: silent, copies: join(folder, 'copies') });
    after = await readRows(database);
    schema = await dumpSchema(database);
    await database.close();
  });
  afterAll(async () => {
    if (url) await dropDatabase(url);
    rmSync(folder, { recursive: true });
  });

  it('starts with rows in every table', () => {
    expect(Object.keys(before)).toHaveLength(47);
    for (const [name, rows] of Object.entries(before)) expect(rows.length, name).toBeGreaterThan(0);
  });

  it('ends with the schema of a new database', () => {
    expect(schema).toBe(readFileSync(join(import.meta.dirname, `../../docs/reference/schema/${engine}.sql`), 'utf8'));
  });

  // A migration that drops a table or a column, or that changes values, lists them here.
  it('keeps every row and value', () => {
    const {
      schema_migrations: _then,
      used_reset_tokens: _dropped,
      users: people = [],
      events: _moved,
      tools = [],
      peripherals = [],
      sensors = [],
      points = [],
      ...kept
    } = before;
    // Their time moves: robots read their types.
    const typed = Object.entries({ tools, peripherals, sensors, points }).map(([name, list]) => [
      name,
      list.map(({ updated_at, ...row }) =>
        name === 'points' && row.pointer_type !== 'ToolSlot' ? { ...row, updated_at } : row,
      ),
    ]);
    const { schema_migrations: _now, jobs: enqueued = [], ...others } = after;
    const rows = { ...others, jobs: enqueued.filter(({ kind }) => kind !== 'photo_size_count') };
    const users = people.map(({ unconfirmed_email: _pending, ...user }) => user);
    expect(rows).toMatchObject({ ...kept, ...Object.fromEntries(typed), users });
    expect(Object.keys(after).sort()).toEqual([...tables.map(({ name }) => name), 'schema_migrations'].sort());
  });

  it('makes no user an administrator, now or with the next account, and says whose the sessions are', () => {
    expect(after.users?.map(({ admin }) => Boolean(Number(admin)) || admin === 'true')).toEqual([false]);
    expect(after.server_settings?.map(({ key, value }) => [key, value])).toEqual([
      ['first_account', 'made'],
      ['sign_up', 'default'],
    ]);
    const [user] = after.users ?? [];
    expect(after.token_issuances?.map(({ user_id }) => user_id)).toEqual(before.token_issuances?.map(() => user?.id));
  });

  it('moves announcements that were not delivered to the change log, where they are pending', () => {
    const [event] = before.events ?? [];
    const { device_id, created_at, resource, record_id, label, origin, body } = event ?? {};
    const own = { device_id, created_at, resource, record_id, label, origin, after: body };
    expect(before.events).toHaveLength(1);
    expect(after.changes).toMatchObject([{ ...own, action: 'updated', before: null }]);
    expect(after.change_cursors).toEqual([]);
  });

  it('adds the records of the lists to series', () => {
    const [reading] = before.sensor_readings ?? [];
    const at = Date.parse(String(reading?.read_at).replace(/\+00$/, 'Z'));
    const { id } = after.series?.find(({ number }) => Number(number) === 59) ?? {};
    const ofReading = (rows: Rows[string] | undefined) => rows?.filter(({ series_id }) => series_id === id) ?? [];
    const numbers = ({ at, value, x, record_id }: Rows[string][number]) => [at, value, x, record_id].map(Number);
    expect(ofReading(after.series_samples).map(numbers)).toEqual([[at, 512, 1.5, Number(reading?.id)]]);
    const quarters = ofReading(after.series_quarters).map((row) => [
      Number(row.at),
      Number(row.total),
      Number(row.readings),
    ]);
    expect(quarters).toEqual([[at - (at % 900_000), 512, 1]]);
    const [telemetry] = before.telemetries ?? [];
    const counted = Object.keys(telemetryNumbers).filter((field) => telemetry?.[field] !== null).length;
    expect(after.series_samples).toHaveLength(1 + counted);
    expect(after.series?.map(({ row_count }) => Number(row_count))).toEqual(after.series?.map(() => 2));
  });

  it('enqueues the counting of photos that have no size', () => {
    const enqueued = after.jobs?.filter(({ kind }) => kind === 'photo_size_count') ?? [];
    expect(enqueued).toMatchObject([{ attempts: expect.anything(), failed_at: null, device_id: null }]);
  });

  it('counts the bytes of published versions', () => {
    expect(after.sequence_versions?.map(({ byte_size }) => Number(byte_size))).toEqual([1087]);
  });

  it('infers types, offsets and mounts of equipment from names and pins', async () => {
    const other = mkdtempSync(join(tmpdir(), 'potager-upgrade-'));
    const otherUrl = await createReleaseDatabase(engine, other);
    const database = await openDatabase(otherUrl, other, () => undefined);
    const time = `'2026-11-21T12:00:00.000Z'`;
    const names = [
      'WEEDER 2',
      'My Seeder',
      'Désherbeur',
      'Auge à graines 1',
      'Seed Bin',
      'Rotary',
      'Hoe',
      'Capteur de sol',
    ];
    const insert = (table: string, columns: string, values: readonly string[]) =>
      `insert into ${table} (created_at, updated_at, device_id, ${columns}) values ${values.map((each) => `(${time}, ${time}, 1, ${each})`).join()}`;
    await database.transaction(null, async (session) => {
      for (const statement of [
        insert(
          'tools',
          'name, flow_rate_ml_per_s, seeder_tip_z_offset',
          names.map((name) => `'${name}', 0, 60`),
        ),
        insert(
          'peripherals',
          'pin, label, mode',
          [2, 7, 8, 9, 11].map((pin) => `${pin}, 'P${pin}', 0`),
        ),
        insert(
          'sensors',
          'pin, label, mode',
          [54, 60, 61, 63].map((pin) => `${pin}, 'S${pin}', 0`),
        ),
        `update points set gantry_mounted = true where pointer_type = 'ToolSlot'`,
        `update fbos_configs set firmware_hardware = 'farmduino_k17'`,
      ])
        await session.query(statement, [], false);
      return async () => undefined;
    });
    await migrate(database, migrations, { clock: systemClock, log: silent, copies: join(other, 'copies') });
    const rows = await readRows(database);
    const isTrue = (value: unknown) => ['1', 'true'].includes(String(value));
    const numbers = (row: Rows[string][number], field: string) =>
      ['x', 'y', 'z'].map((axis) => Number(row[`${field}_${axis}`]));
    expect(
      rows.tools?.map((row) => [row.name, row.type, isTrue(row.utm_mountable), ...numbers(row, 'effector_offset')]),
    ).toEqual([
      ['Watering nozzle', 'watering_nozzle', true, 0, 0, 0],
      ['WEEDER 2', 'weeder', true, 0, 0, 0],
      ['My Seeder', 'seeder', true, 17.5, 0, -60],
      ['Désherbeur', 'weeder', true, 0, 0, 0],
      ['Auge à graines 1', 'seed_trough', false, 0, 0, 0],
      ['Seed Bin', 'seed_bin', false, 0, 0, 0],
      ['Rotary', 'rotary_tool', true, 0, 0, -80],
      ['Hoe', 'none', true, 0, 0, 0],
      ['Capteur de sol', 'soil_sensor', true, 0, 0, -60],
    ]);
    const byPin = (list: Rows[string] = []) => list.map(({ pin, type }) => [Number(pin), type]);
    expect(byPin(rows.peripherals)).toEqual([
      [10, 'none'],
      [2, 'rotary_tool'],
      [7, 'lighting'],
      [8, 'water'],
      [9, 'vacuum'],
      [11, 'none'],
    ]);
    expect(byPin(rows.sensors)).toEqual([
      [59, 'soil_moisture'],
      [54, 'current'],
      [60, 'current'],
      [61, 'none'],
      [63, 'tool_verification'],
    ]);
    expect(rows.points?.map((row) => [Number(row.mount_stage), ...numbers(row, 'mount_offset')])).toEqual([
      [0, 0, 0, 0],
      [1, 0, 0, 0],
    ]);
    const day = new Date().toISOString().slice(0, 10);
    const moved = [...(rows.tools ?? []), ...(rows.peripherals ?? []), ...(rows.sensors ?? []), rows.points?.[1]];
    for (const row of moved) expect(String(row?.updated_at)).toContain(day);
    await database.close();
    if (otherUrl) await dropDatabase(otherUrl);
    rmSync(other, { recursive: true });
  });

  it('applies the migrations of the release first, then those added since', () => {
    const released = before.schema_migrations?.map(({ number, name }) => [Number(number), name]) ?? [];
    expect(migrations.slice(0, released.length).map(({ number, name }) => [number, name])).toEqual(released);
  });

  it('ends the link of a change of address that was not confirmed', async () => {
    const other = mkdtempSync(join(tmpdir(), 'potager-upgrade-'));
    const otherUrl = await createReleaseDatabase(engine, other);
    const database = await openDatabase(otherUrl, other, () => undefined);
    await database.transaction(null, async (session) => {
      await session.query(`update users set unconfirmed_email = 'attacker@example.com'`, [], false);
      return async () => undefined;
    });
    await migrate(database, migrations, { clock: systemClock, log: silent, copies: join(other, 'copies') });
    const [user] = (await readRows(database)).users ?? [];
    expect(user?.email).toBe('ada@example.com');
    expect(String(user?.confirmation_token)).toMatch(/^[0-9a-f-]{32,36}$/);
    expect(user?.confirmation_token).not.toBe(before.users?.[0]?.confirmation_token);
    await database.close();
    if (otherUrl) await dropDatabase(otherUrl);
    rmSync(other, { recursive: true });
  });

  it('gives settings that were stored as null their defaults, and moves the time of those records only', async () => {
    const other = mkdtempSync(join(tmpdir(), 'potager-upgrade-'));
    const otherUrl = await createReleaseDatabase(engine, other);
    const database = await openDatabase(otherUrl, other, () => undefined);
    await database.transaction(null, async (session) => {
      await session.query(
        "update web_app_configs set success_log = null, landing_page = null, dark_mode = null, photo_filter_begin = 'tomorrow', photo_filter_end = '2026-11-22T09:00:00.000Z'",
        [],
        false,
      );
      await session.query(
        'update firmware_configs set movement_step_per_mm_z = null, pin_guard_5_time_out = null',
        [],
        false,
      );
      return async () => undefined;
    });
    const earlier = await readRows(database);
    await migrate(database, migrations, { clock: systemClock, log: silent, copies: join(other, 'copies') });
    const { web_app_configs: [page] = [], firmware_configs: [firmware] = [], fbos_configs } = await readRows(database);
    const now = new Date().toISOString().slice(0, 10);
    const text = (row: Readonly<Record<string, unknown>> | undefined, ...names: string[]) =>
      names.map((name) => (row?.[name] === null ? null : String(row?.[name])));
    const isOn = engine === 'sqlite' ? '1' : 'true';
    expect(text(page, 'success_log', 'landing_page', 'dark_mode', 'photo_filter_begin', 'photo_filter_end')).toEqual([
      '1',
      'plants',
      isOn,
      null,
      '2026-11-22T09:00:00.000Z',
    ]);
    expect(text(firmware, 'movement_step_per_mm_z', 'pin_guard_5_time_out')).toEqual(['25', '60']);
    for (const row of [page, firmware]) expect(String(row?.updated_at)).toContain(now);
    expect(fbos_configs).toEqual(earlier.fbos_configs);
    await database.close();
    if (otherUrl) await dropDatabase(otherUrl);
    rmSync(other, { recursive: true });
  });

  it('keeps the account, which can sign in and read its records', async () => {
    const environment = { DATA_DIR: folder, ...(url && { DATABASE_URL: url }) };
    // The release created its key with the database.
    await createKey(folder);
    const server = await startApp(engine, environment);
    const user = { email: 'ada@example.com', password };
    const session = await server.call('POST', '/api/tokens', { body: { user } });
    expect(session.status, session.text).toBe(200);
    const token: string = session.json.token.encoded;
    const get = async (path: string) => (await server.call('GET', path, { token })).json;
    expect(await get('/api/tools')).toMatchObject([{ name: 'Watering nozzle', status: 'active' }]);
    expect(await get('/api/points')).toMatchObject([{ name: 'Möhre', openfarm_slug: 'carrot' }, { name: 'Slot' }]);
    const [sequence] = await get('/api/sequences');
    expect(sequence.body[1]).toEqual({ kind: 'lua', args: { lua: 'toast("Grüße")' } });
    expect((await get('/api/device/sync')).sequences).toHaveLength(1);
    const created = await server.call('POST', '/api/tools', { token, body: { name: 'Rake' } });
    expect([created.status, created.json.id]).toEqual([200, 2]);
    await server.close();
  });
});
