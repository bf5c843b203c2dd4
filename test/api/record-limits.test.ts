import { expect, it } from 'vitest';
import type { DeviceScope, Insertable } from '../../src/db/scope.ts';
import type { StandardColumns, Table } from '../../src/db/table.ts';
import type { AnyResource } from '../../src/engine/resource.ts';
import { describeMaximum } from '../../src/engine/resource.ts';
import { folders } from '../../src/garden/folders.ts';
import { plantTemplates } from '../../src/garden/plant-templates.ts';
import { pointGroupItems, pointGroups } from '../../src/garden/point-groups.ts';
import { maxStoredPoints, points } from '../../src/garden/points.ts';
import { savedGardens } from '../../src/garden/saved-gardens.ts';
import { tools } from '../../src/garden/tools.ts';
import type { UploadRow } from '../../src/photos/uploads.ts';
import { uploads } from '../../src/photos/uploads.ts';
import { programReferences } from '../../src/programs/program-references.ts';
import { regimenItems } from '../../src/programs/regimens.ts';
import { resources, tables } from '../../src/resources.ts';
import { runs } from '../../src/runs/run-records.ts';
import { gardenTables } from '../../src/upkeep/garden-deletion.ts';
import { webhooks } from '../../src/webhooks/webhook-resource.ts';
import { exportAccount, sendImport } from '../support/account-transfer.ts';
import type { Account } from '../support/app.ts';
import { password, suiteApp } from '../support/app.ts';
import { describeAnyEngine, describeEngines, itAnyEngine } from '../support/engines.ts';
import { actionsOf, example, hasExample } from '../support/examples.ts';
import { plainTool } from '../support/plain-tool.ts';

/** Tables with rows of a garden or a person that are neither records nor their parts, and the bound of each. */
const boundedOtherwise: Readonly<Record<string, string>> = {
  account_quotas: 'one for each quota',
  ai_usages: 'one',
  broker_sessions: 'the newest 200',
  calendar_feeds: 'one for each person',
  change_cursors: 'one for each reader of the log',
  changes: 'the quota of the history',
  email_changes: 'five an hour, kept for a week',
  feedbacks: '100 that the operator has not removed',
  garden_passwords: 'one',
  home_assistants: 'one',
  invitations: '50 of a garden',
  known_networks: 'the newest 100',
  members: '50 of a garden, 20 gardens of a person',
  notification_rules: 'ten for each person, and that of the pages',
  personal_tokens: 'a quota',
  sequence_publications: 'a quota: each has a version, or had one',
  series: 'one for each pin and figure',
  series_quarters: 'a million rows of all series',
  series_samples: 'a million rows of all series',
  stream_tickets: '100 of a garden, for half a minute',
  token_issuances: 'a quota',
  uploads: 'the quota of photos, and 1,000 unused ones',
  users: 'invitations',
  virtual_robots: 'one',
  webhook_deliveries: '1,100 of a webhook',
};

/** The limits of kinds of which a garden may not have 1,000. */
const otherMaximums: Readonly<Record<string, number | string>> = {
  ai_feedbacks: 5000,
  farm_events: 5000,
  farmware_envs: 300,
  notifications: 300,
  fbos_configs: 1,
  firmware_configs: 1,
  images: 'The quota `photos` limits them.',
  logs: 'The newest are kept, as many as `max_log_count` of the device. A quarter of them is for errors, warnings and assertions.',
  plant_templates: 5000,
  points: 5000,
  runs: 'The newest 20 are kept.',
  sensor_readings: 'The newest 2500 are kept.',
  sequences: 5000,
  telemetries: 'The newest 300 are kept.',
  web_app_configs: 1,
  webhooks: 'The quota `webhooks` limits them.',
};

type Row = Record<string, unknown> & StandardColumns;
type AnyTable = Table<Row, 'device'>;

/** The same table for writing more rows than its maximum, as earlier versions did. */
const unlimited = (table: AnyResource | Table<unknown, 'device'>): AnyTable =>
  ({ ...table, maximum: null }) as unknown as AnyTable;

/** Records with parts in a table of their own: the records that parts refer to, the parts in a request, and the differences of the n-th part of others. */
const partsOfRecords = [
  {
    name: 'regimens',
    table: regimenItems,
    target: 'sequences',
    targetBody: { body: [] },
    sent: (ids: number[]) => ({ regimen_items: ids.map((sequence_id) => ({ sequence_id, time_offset: 1 })) }),
    distinct: () => ({}),
  },
  {
    name: 'point_groups',
    table: pointGroupItems,
    target: 'points',
    targetBody: { pointer_type: 'Weed', x: 1, y: 1 },
    sent: (point_ids: number[]) => ({ point_ids }),
    distinct: (n: number, groupIds: readonly number[], pointIds: readonly number[]) => ({
      point_group_id: groupIds[Math.floor(n / pointIds.length)],
      point_id: pointIds[n % pointIds.length],
    }),
  },
  {
    name: 'sequences',
    table: programReferences,
    target: 'sequences',
    targetBody: { body: [] },
    sent: (ids: number[]) => ({ body: ids.map((sequence_id) => ({ kind: 'execute', args: { sequence_id } })) }),
    distinct: (n: number) => ({ owner_id: 1_000_000, target_id: n }),
  },
];

const idsOf = async (scope: DeviceScope, resource: AnyResource): Promise<number[]> =>
  (await scope.rows(unlimited(resource))).map(({ id }) => id);

let copied = 0;

/** Adds copies of a row until there are so many. */
async function fill(scope: DeviceScope, resource: AnyResource, count: number): Promise<void> {
  const table = unlimited(resource);
  const rows = await scope.rows(table, { order: [['id', 'desc']], limit: 1 });
  const { id: _, created_at: __, updated_at: ___, ...values }: Partial<Row> = rows[0] ?? {};
  const unique = Object.entries(resource.fields).flatMap(([name, { traits }]) => (traits.isUnique ? [name] : []));
  const added = count - (await scope.count(table));
  const copies = Array.from({ length: added }, () => {
    const n = ++copied;
    const own = unique.map((name) => [name, typeof values[name] === 'number' ? 100_000 + n : `${name} ${n}`]);
    return { ...values, ...Object.fromEntries(own) } as Insertable<Row>;
  });
  await scope.insertAll(table, copies);
}

const limited = resources.filter(({ maximum, options }) => maximum !== null && options.max !== 1);

describeAnyEngine('every kind of record', () => {
  it.each([...resources, webhooks, runs].map((resource) => [resource.name, resource] as const))(
    'has a maximum: %s',
    (name, resource) => expect(resource.maximum?.rows ?? describeMaximum(resource)).toBe(otherMaximums[name] ?? 1000),
  );

  it('has a maximum in its table, like the parts of records, or is bounded otherwise', () => {
    const records = new Set([...resources, webhooks, runs].map(({ name }) => name));
    const owned = tables.filter(
      ({ name, owner, columns }) => !records.has(name) && (owner === 'device_id' || 'user_id' in columns),
    );
    const unbounded = owned.filter(({ maximum }) => maximum === null).map(({ name }) => name);
    expect(unbounded.sort()).toEqual(Object.keys(boundedOtherwise).sort());
    expect(
      gardenTables
        .filter(({ maximum }) => maximum === null)
        .map(({ name }) => name)
        .sort(),
    ).toEqual(['images', 'logs', 'runs', 'sensor_readings', 'telemetries']);
  });
});

describeEngines('a garden with as many records as it may have', (engine) => {
  const server = suiteApp(engine);
  const scopeOf = ({ deviceId }: Account): DeviceScope => server.app.server().device(deviceId);
  const call = ({ token }: Account, method: string, path: string, body?: unknown) =>
    server.call(method, path, { token, ...(body !== undefined && { body }) });
  const create = async (account: Account, name: string) =>
    call(account, 'POST', `/api/${name}`, await example(server, name, account));
  const refused = (resource: Table<unknown>) => ({
    status: 422,
    json: {
      [resource.maximum?.key ?? '']:
        `There may be at most ${resource.maximum?.rows} ${resource.name.replaceAll('_', ' ')}.`,
    },
  });

  // Requests stop at fewer sequences and points; bindings have no more pins than that.
  const filled = limited.filter(
    (resource) => hasExample(resource) && !['points', 'sequences', 'pin_bindings'].includes(resource.name),
  );
  // The table counts its rows, not the resource.
  const counted = engine === 'sqlite' ? filled : filled.filter(({ name }) => name === 'folders');
  it.each(counted.map((resource) => [resource.name, resource] as const))(
    'gets no more %s, and keeps its records beyond that',
    async (name, resource) => {
      const account = await server.signUp();
      const { json } = await create(account, name);
      const actions = actionsOf(resource);
      await fill(scopeOf(account), resource, resource.maximum?.rows ?? 0);
      expect(await create(account, name)).toMatchObject(refused(resource));
      await fill(scopeOf(account), resource, (resource.maximum?.rows ?? 0) + 2);
      expect(await create(account, name)).toMatchObject(refused(resource));
      expect(await scopeOf(account).count(unlimited(resource))).toBe((resource.maximum?.rows ?? 0) + 2);
      const path = `/api/${name}/${json.id}`;
      if (actions.has('list')) expect((await call(account, 'GET', `/api/${name}`)).status).toBe(200);
      if (actions.has('update'))
        expect((await call(account, 'PATCH', path, await example(server, name, account))).status).toBe(200);
      if (actions.has('destroy')) expect((await call(account, 'DELETE', path)).status).toBe(200);
      if (actions.has('destroy')) expect((await create(account, name)).status).toBe(422);
      await scopeOf(account).delete(unlimited(resource), {});
      expect((await create(account, name)).status).toBe(200);
    },
  );

  it('takes exactly as many of concurrent requests as there is room for', async () => {
    const account = await server.signUp();
    await create(account, 'tools');
    await fill(scopeOf(account), tools, 996);
    const { app } = server;
    // Of the server, whose transactions lock no garden by themselves, and of requests.
    const byServer = (n: number) =>
      app
        .server()
        .transaction((inner) => inner.device(account.deviceId).insert(tools, plainTool(`Server ${n}`)))
        .then(
          () => 200,
          (error: { status?: number }) => error.status,
        );
    const byRequest = async () => (await create(account, 'tools')).status;
    const statuses = await Promise.all(Array.from({ length: 12 }, (_, n) => (n % 2 === 0 ? byServer(n) : byRequest())));
    expect(statuses.filter((status) => status === 200)).toHaveLength(4);
    expect(statuses.filter((status) => status === 422)).toHaveLength(8);
    expect(await scopeOf(account).count(tools)).toBe(1000);
  });

  it('takes none by a batch, a snapshot, or the history', async () => {
    const account = await server.signUp();
    const { json: tool } = await create(account, 'tools');
    const { json: garden } = await create(account, 'saved_gardens');
    await fill(scopeOf(account), tools, 999);
    await fill(scopeOf(account), savedGardens, 1000);
    const part = (name: string) => ({ method: 'POST', path: '/api/tools', body: { name } });
    const batch = await call(account, 'POST', '/api/batch', [part('First'), part('Second')]);
    expect(batch).toMatchObject({ status: 422, json: { 2: { tool_count: 'There may be at most 1000 tools.' } } });
    expect(await scopeOf(account).count(tools)).toBe(999);
    expect(await call(account, 'POST', '/api/saved_gardens/snapshot')).toMatchObject(refused(savedGardens));
    await call(account, 'DELETE', `/api/saved_gardens/${garden.id}`);
    await call(account, 'POST', '/api/points', { pointer_type: 'Plant', x: 1, y: 1, name: 'Leek' });
    const [kept] = await scopeOf(account).rows(savedGardens, { limit: 1 });
    await scopeOf(account).insertAll(
      plantTemplates,
      Array.from({ length: 5000 }, () => ({
        name: 'x',
        openfarm_slug: 'x',
        x: 0,
        y: 0,
        z: 0,
        radius: 1,
        depth: 0,
        saved_garden_id: kept?.id ?? 0,
      })),
    );
    expect(await call(account, 'POST', '/api/saved_gardens/snapshot')).toMatchObject(refused(plantTemplates));
    expect(await scopeOf(account).count(savedGardens)).toBe(999);

    await call(account, 'DELETE', `/api/tools/${tool.id}`);
    const [deletion] = (await call(account, 'GET', '/api/history?resource=Tool')).json;
    await fill(scopeOf(account), tools, 1000);
    const reverted = await call(account, 'POST', `/api/history/${deletion.id}/revert`);
    expect([reverted.status, reverted.text]).toEqual([
      422,
      expect.stringContaining('There may be at most 1000 tools.'),
    ]);
    expect(await scopeOf(account).count(tools)).toBe(1000);
  });

  it('gets no plants of a saved garden beyond the maximum of points, after archived ones were deleted', async () => {
    const account = await server.signUp();
    await call(account, 'POST', '/api/points', { pointer_type: 'Weed', x: 1, y: 1, name: 'Nettle' });
    const { json: garden } = await create(account, 'saved_gardens');
    const template = { saved_garden_id: garden.id, name: 'Leek', x: 1, y: 1 };
    for (let n = 0; n < 2; n++) await call(account, 'POST', '/api/plant_templates', template);
    await fill(scopeOf(account), points, maxStoredPoints - 1);
    const apply = () => call(account, 'PATCH', `/api/saved_gardens/${garden.id}/apply`);
    expect(await apply()).toMatchObject(refused(points));
    expect(await scopeOf(account).count(points)).toBe(maxStoredPoints - 1);
    const [{ id = 0 } = {}] = await scopeOf(account).rows(points, { limit: 1 });
    await scopeOf(account).update(points, { discarded_at: new Date().toISOString() }, { where: { id } });
    expect((await apply()).status).toBe(200);
    expect(await scopeOf(account).count(points)).toBe(maxStoredPoints);
  });

  const parts = engine === 'sqlite' ? partsOfRecords : partsOfRecords.filter(({ name }) => name === 'regimens');
  it.each(parts)('changes $name with more parts than the maximum to as many or fewer', async (one) => {
    const account = await server.signUp();
    const scope = scopeOf(account);
    const created = async (name: string, body: object) => (await call(account, 'POST', `/api/${name}`, body)).json.id;
    const targets: number[] = [];
    for (let n = 0; n < 4; n++) targets.push(await created(one.target, { ...one.targetBody, name: `Target ${n}` }));
    const record = { name: 'Changed', color: 'red', ...one.sent(targets.slice(0, 3)) };
    const id = await created(one.name, record);
    const others = await created(one.name, { ...record, name: 'Other', ...one.sent(targets.slice(0, 1)) });
    const table = one.table as unknown as AnyTable;
    const most = table.maximum?.rows ?? 0;
    const [{ id: last = 0, created_at: _, updated_at: __, ...part } = {} as Row] = await scope.rows(table, {
      order: [['id', 'desc']],
      limit: 1,
    });
    if (table.name === pointGroupItems.name)
      for (const resource of [points, pointGroups]) await fill(scope, resource, 230);
    const [pointIds, groupIds] = [await idsOf(scope, points), await idsOf(scope, pointGroups)];
    const free = groupIds.filter((group) => group !== id && group !== others);
    const copies = Array.from({ length: most + 1 - (await scope.count(table)) }, (_unused, n) => ({
      ...part,
      ...one.distinct(n, free, pointIds),
    }));
    await scope.insertAll(unlimited(one.table), copies as Insertable<Row>[]);

    const change = (of: number[]) => call(account, 'PATCH', `/api/${one.name}/${id}`, one.sent(of));
    expect(await change(targets)).toMatchObject(refused(table));
    expect(await change(targets.slice(1))).toMatchObject({ status: 200 });
    expect(await scope.count(table)).toBe(most + 1);
    // A rolled-back insert leaves no room.
    await scope.transaction(async (outer) => {
      const deletion = outer.transaction(async (inner) => {
        expect(await inner.delete(table, { where: { id: last } })).toHaveLength(1);
        throw new Error('rolled back');
      });
      await expect(deletion).rejects.toThrow('rolled back');
      await expect(outer.insert(table, part as Insertable<Row>)).rejects.toMatchObject({ status: 422 });
    });
    expect(await change(targets.slice(0, 1))).toMatchObject({ status: 200 });
    expect(await scope.count(table)).toBe(most - 1);
    expect(await change(targets.slice(0, 3))).toMatchObject(refused(table));
    expect(await change(targets.slice(2))).toMatchObject({ status: 200 });
  });

  it('is imported, and nothing of a larger one is', async () => {
    const [account, other] = [await server.signUp(), await server.signUp()];
    await create(account, 'tools');
    await create(account, 'folders');
    await fill(scopeOf(account), tools, 1000);
    const most = await exportAccount(server, account);
    await fill(scopeOf(account), tools, 1001);
    const tooMany = await exportAccount(server, account);
    const message = { '/tools': 'There may be at most 1000 tools, not 1001.' };
    expect(await sendImport(server, other, tooMany)).toMatchObject({ status: 422, json: message });
    expect([await scopeOf(other).count(tools), await scopeOf(other).count(folders)]).toEqual([0, 0]);
    expect((await sendImport(server, other, most)).status).toBe(200);
    expect(await scopeOf(other).count(tools)).toBe(1000);
    const more = { ...most, tools: [{ ...most.tools[0], name: 'One more' }] };
    expect(await sendImport(server, other, more, '?mode=merge')).toMatchObject({ status: 422, json: message });
    const headers = { 'x-account-password': password };
    expect((await sendImport(server, other, most, '?mode=replace', headers)).status).toBe(200);
  });

  itAnyEngine('is not imported with more parts of records, which a check reports', async () => {
    const [account, other] = [await server.signUp(), await server.signUp()];
    const { json: sequence } = await create(account, 'sequences');
    const body = { name: 'Spring', color: 'red', regimen_items: [{ sequence_id: sequence.id, time_offset: 1 }] };
    await call(account, 'POST', '/api/regimens', body);
    const { json: point } = await call(account, 'POST', '/api/points', { pointer_type: 'Weed', x: 1, y: 1 });
    await call(account, 'POST', '/api/point_groups', { name: 'Weeds', point_ids: [point.id] });
    const document = await exportAccount(server, account);
    const [[regimen], [group]] = [document.regimens, document.point_groups];
    const regimen_items = Array.from({ length: 500 }, () => regimen.regimen_items[0]);
    const regimens = Array.from({ length: 100 }, (_, n) => ({ ...regimen, id: n + 1, name: `${n}`, regimen_items }));
    const most = { ...document, regimens };
    const tooMany = { ...document, regimens: [...regimens, { ...regimen, id: 101 }] };
    const [path, message] = ['/regimens', 'There may be at most 50000 regimen items, not 50001.'];
    const check = await sendImport(server, other, tooMany, '?check=true');
    expect(check.json).toMatchObject({ ok: false, problems: [{ path, message }] });
    const refusal = { status: 422, json: { [path]: message } };
    expect(await sendImport(server, other, tooMany)).toMatchObject(refusal);
    expect(await scopeOf(other).count(regimenItems)).toBe(0);
    expect((await sendImport(server, other, most)).status).toBe(200);
    expect(await scopeOf(other).count(pointGroupItems)).toBe(1);
    const more = { ...document, regimens: [], point_groups: [{ ...group, name: 'More' }] };
    expect(await sendImport(server, other, document, '?mode=merge')).toMatchObject(refusal);
    expect((await sendImport(server, other, more, '?mode=merge')).status).toBe(200);
  });

  it('keeps the unused upload keys that were issued last', async () => {
    const account = await server.signUp();
    const issue = async () => (await call(account, 'GET', '/api/storage_auth')).json.form_data.key as string;
    const first = await issue();
    const scope = scopeOf(account);
    const [{ id: _, created_at: __, updated_at: ___, ...row }] = (await scope.rows(uploads)) as [UploadRow];
    const used = { ...row, key: 'used', uploaded_at: new Date().toISOString() };
    await scope.insert(uploads, used);
    await scope.insertAll(
      uploads,
      Array.from({ length: 998 }, (_unused, n) => ({ ...row, key: `key ${n}` })),
    );
    const last = await issue();
    expect(await scope.count(uploads)).toBe(1001);
    const next = await issue();
    expect(await scope.count(uploads)).toBe(1001);
    const keys = (await scope.rows(uploads)).map(({ key }) => key);
    expect(keys).toEqual(expect.arrayContaining(['used', ...[last, next].map((key) => key.slice(5, -4))]));
    expect(keys).not.toContain(first.slice(5, -4));
  });
});
