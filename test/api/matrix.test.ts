import { describe, expect, it } from 'vitest';
import { fbosConfig } from '../../src/device/fbos-config.ts';
import { firmwareConfig } from '../../src/device/firmware-config.ts';
import { webAppConfig } from '../../src/device/web-app-config.ts';
import type { Field } from '../../src/engine/fields.ts';
import { booleanKind, floatKind, integerKind, textKind, timeKind, timeTextKind } from '../../src/engine/kinds.ts';
import { resources } from '../../src/resources.ts';
import type { TestApp } from '../support/app.ts';
import { suiteAccount, suiteApp } from '../support/app.ts';
import { configLimits } from '../support/config-limits.ts';
import { describeEngines } from '../support/engines.ts';
import { actionsOf, example, presentations } from '../support/examples.ts';
import type { FieldLimit } from '../support/field-limit.ts';
import { limitsOf } from '../support/limits.ts';

// Tests the routes that follow from each declaration. The limits of fields come from test/support/limits.ts, so that a wrong
// declaration fails.

const served = resources.filter((resource) => actionsOf(resource).has('create'));

const singletons = [fbosConfig, firmwareConfig, webAppConfig];

/** Values that a field of this kind rejects. */
function wrongValues(field: Field): unknown[] {
  if (field.kind === textKind) return [{}, [], ['x']];
  if (field.kind === integerKind) return [1.5, true, {}, [], 'x', '.5'];
  if (field.kind === floatKind) return [true, {}, [], 'x', '-'];
  if (field.kind === booleanKind) return ['x', 2, -1, {}, []];
  if (field.kind === timeKind) return [5, true, 'x', '2026-13-01', '2026-02-30', {}];
  return [];
}

const beginnings = new Map([
  ['url', 'http://farmware.invalid/'],
  ['throttled', '0x'],
  ['fbos_version', '1.0.0-'],
]);

/** Returns a text of this length that the field accepts. */
const longText = (field: string, length: number): string => (beginnings.get(field) ?? '').padEnd(length, 'a');

/** Returns values just beyond these limits, with the key under which they are reported. */
function beyond(field: string, { max, range, below, choices, key = field }: FieldLimit): [unknown, string][] {
  return [
    ...(max === undefined ? [] : [[longText(field, max + 1), 'error'] as [unknown, string]]),
    ...(range ? [range[0] - 1, range[1] + 1] : []).map((value): [unknown, string] => [value, key]),
    ...(below === undefined ? [] : [[below, 'error'] as [unknown, string]]),
    ...(choices ? [typeof choices[0] === 'number' ? choices.length : 'none of these'] : []).map(
      (value): [unknown, string] => [value, key],
    ),
  ];
}

/** Returns the extreme values that these limits allow. */
const within = (field: string, { max, range, below, choices = [] }: FieldLimit): unknown[] => [
  ...(max === undefined ? [] : [longText(field, max)]),
  ...(below === undefined ? [] : [below - 0.001]),
  ...(range ?? []),
  ...choices,
];

describeEngines('every resource', (engine) => {
  const server = suiteApp(engine);
  const own = suiteAccount(server);
  const stranger = suiteAccount(server);

  describe.each(served.map((resource) => [resource.name, resource] as const))('%s', (name, resource) => {
    const { fields, options } = resource;
    const limits = limitsOf(resource);
    const path = `/api/${name}`;
    const table = Object.entries(limits);
    const sent = table.filter(([, limit]) => !limit.readOnly && !limit.updateOnly);
    const actions = actionsOf(resource);
    const written = (mode: string) =>
      Object.entries(fields).filter(([, { traits }]) => traits.writability === 'always' || traits.writability === mode);
    const call: TestApp['call'] = (method, target, request) =>
      server.call(method, target, { token: own.token, ...request });
    const list = async () => (await call('GET', path)).text;
    const make = async (account = own, changes: Record<string, unknown> = {}) => {
      const body = { ...(await example(server, name, account)), ...changes };
      const response = await server.call('POST', path, { token: account.token, body });
      expect(response.status, response.text).toBe(200);
      return response.json;
    };

    it('is created, listed, shown, not changed by an empty update, and deleted', async () => {
      const created = await make();
      const all = (await call('GET', path)).json;
      expect(all).toContainEqual(created);
      if (actions.has('show')) expect((await call('GET', `${path}/${created.id}`)).json).toEqual(created);
      if (actions.has('update')) {
        const changed = (await call('PATCH', `${path}/${created.id}`, { body: {} })).json;
        expect(options.announcesEveryUpdate ? { ...changed, updated_at: created.updated_at } : changed).toEqual(
          created,
        );
        expect((await call('PUT', `${path}/${created.id}`, { body: { ...created, nonsense: 1 } })).status).toBe(200);
      }
      if (!actions.has('destroy')) return;
      const deleted = await call('DELETE', `${path}/${created.id}`);
      expect(deleted.status, deleted.text).toBe(200);
      if (options.destroyReply === 'object') expect(deleted.json.id).toBe(created.id);
      else expect(deleted.text).toBe('');
      expect((await call('DELETE', `${path}/${created.id}`)).status).toBe(404);
    });

    it('requires its required fields, reports all that are missing, and stores nothing', async () => {
      const before = await list();
      const required = table.filter(([, limit]) => limit.required).map(([field]) => field);
      const empty = await call('POST', path, { body: {} });
      if (required.length === 0) return;
      expect(empty.status).toBe(422);
      for (const field of required) expect(Object.keys(empty.json)).toContain(field);
      for (const field of required) {
        const { [field]: _left, ...body } = await example(server, name, own);
        const missing = await call('POST', path, { body });
        expect([missing.status, Object.keys(missing.json)], `${field} missing`).toEqual([422, [field]]);
        if (limits[field]?.nullable) continue;
        const none = await call('POST', path, { body: { ...body, [field]: null } });
        expect([none.status, Object.keys(none.json)], `${field} null`).toEqual([422, [field]]);
      }
      expect(await list()).toBe(before);
    });

    it('rejects wrong types and blanks under the field and stores nothing', async () => {
      const good = await example(server, name, own);
      const before = await list();
      for (const [field, declared] of written('on create')) {
        if (options.coercion === 'cast') break;
        const blank = declared.traits.empty === 'refused' ? [''] : [];
        for (const value of [...wrongValues(declared), ...blank]) {
          const response = await call('POST', path, { body: { ...good, [field]: value } });
          expect(
            [response.status, Object.keys(response.json ?? {})],
            `${field} ${JSON.stringify(value)}: ${response.text}`,
          ).toEqual([422, [field]]);
        }
      }
      expect(await list()).toBe(before);
    });

    it('enforces the limits of its fields', async () => {
      const before = await list();
      const good = await example(server, name, own);
      const refused = async (field: string, value: unknown, key: string) => {
        const response = await call('POST', path, { body: { ...good, [field]: value } });
        const what = `${field} ${String(value).slice(0, 20)}: ${response.text}`;
        expect([response.status, Object.keys(response.json)], what).toEqual([422, [key]]);
      };
      for (const [field, limit] of sent) {
        for (const [value, key] of beyond(field, limit)) await refused(field, value, key);
        if (fields[field]?.kind === integerKind)
          for (const value of [2 ** 31, -(2 ** 31) - 1, 2 ** 53, 1e300]) await refused(field, value, 'error');
      }
      expect(await list()).toBe(before);
      for (const [field, limit] of sent)
        for (const value of within(field, limit)) {
          const { id, [field]: stored } = await make(own, { [field]: value });
          if (stored !== undefined && !presentations.has(`${name}.${field}`)) expect(stored, field).toBe(value);
          if (actions.has('destroy')) await call('DELETE', `${path}/${id}`);
        }
    });

    it('treats null as not sent, or stores it', async () => {
      for (const [field, limit] of sent) {
        if (limit.required || presentations.has(`${name}.${field}`)) continue;
        const created = await make(own, { [field]: null });
        if (!(field in created)) continue;
        expect(created[field], field).toEqual(limit.nullable ? null : (limit.default ?? null));
      }
    });

    it('protects records of another account', async () => {
      const foreign = await make(stranger);
      const strangerList = async () => (await server.call('GET', path, { token: stranger.token })).text;
      const before = await strangerList();
      expect((await call('GET', path)).json).not.toContainEqual(foreign);
      const attempts: [string, string][] = [];
      if (actions.has('show')) attempts.push(['GET', '']);
      if (actions.has('update')) attempts.push(['PATCH', ''], ['PUT', '']);
      if (actions.has('destroy')) attempts.push(['DELETE', '']);
      for (const [method] of attempts) {
        const response = await call(method, `${path}/${foreign.id}`, method === 'GET' ? {} : { body: {} });
        expect([response.status, Object.keys(response.json)], method).toEqual([404, ['error']]);
        for (const id of [
          '0',
          '-1',
          'abc',
          '%20',
          '999999999',
          '99999999999999999999',
          '9223372036854775808',
          'null',
          '1e3',
        ]) {
          const unknown = await call(method, `${path}/${id}`, method === 'GET' ? {} : { body: {} });
          expect(unknown.status, `${method} ${id}`).toBe(404);
        }
      }
      expect(await strangerList()).toBe(before);
    });

    it('rejects ids of another account in its fields', async () => {
      const before = await list();
      for (const [field, { traits }] of written('on create')) {
        const { foreignKey, ownership } = traits;
        if (!foreignKey || !ownership || foreignKey.table === 'sequences') continue;
        const other = await example(server, foreignKey.table, stranger);
        const { json } = await server.call('POST', `/api/${foreignKey.table}`, { token: stranger.token, body: other });
        for (const id of [json.id, 999_999_999, 0, -1]) {
          const response = await call('POST', path, { body: { ...(await example(server, name, own)), [field]: id } });
          if (ownership === 'null') {
            expect([response.status, response.json[field]], `${field} ${id}`).toEqual([200, null]);
            await call('DELETE', `${path}/${response.json.id}`);
          } else
            expect(response.status, `${field} ${id}: ${response.text}`).toBe(
              name === 'plant_templates' && field === 'saved_garden_id' ? 404 : 422,
            );
        }
      }
      expect(await list()).toBe(before);
    });

    it('requires a token', async () => {
      const send = (method: string, target: string) =>
        server.call(method, target, method === 'GET' || method === 'DELETE' ? {} : { body: {} });
      expect((await send('GET', path)).status).toBe(401);
      expect((await send('POST', path)).status).toBe(401);
      for (const method of ['PATCH', 'DELETE'])
        if (actions.has(method === 'PATCH' ? 'update' : 'destroy'))
          expect((await send(method, `${path}/1`)).status).toBe(401);
    });

    it('is paginated if it is declared so', async () => {
      const all = (await call('GET', path)).json;
      const page = (await call('GET', `${path}?page=1&per=1`)).json;
      expect(page).toEqual(options.paginated ? all.slice(0, 1) : all);
      if (!options.paginated) return;
      expect((await call('GET', `${path}?page=2&per=1`)).json).toEqual(all.slice(1, 2));
      expect((await call('GET', `${path}?page=99999999999999999999&per=99999999999999`)).json).toEqual([]);
      expect((await call('GET', `${path}?page=1&per=0`)).json).toEqual([]);
      expect((await call('GET', `${path}?page=x&per=x`)).json).toEqual(all.slice(0, 25));
      expect((await call('GET', `${path}?per=1`)).json).toEqual(all);
    });

    it('has the number of all records and links to other pages in the headers of a page only', async () => {
      for (const query of ['', '?page=1', '?per=1', ...(options.paginated ? [] : ['?page=1&per=1'])]) {
        const { headers } = await call('GET', `${path}${query}`);
        expect([headers['x-total-count'], headers.link], query).toEqual([undefined, undefined]);
      }
      if (!options.paginated) return;
      for (let count = 0; count < 3; count++) await make();
      const all: { id: number }[] = (await call('GET', path)).json;
      const collected: { id: number }[] = [];
      for (let next: string | undefined = `${path}?page=1&per=2`; next; ) {
        const { json, headers } = await call('GET', next);
        expect(headers['x-total-count']).toBe(String(all.length));
        collected.push(...json);
        next = /<([^>]+)>; rel="next"/.exec(String(headers.link))?.[1];
      }
      expect(collected.map(({ id }) => id)).toEqual(all.map(({ id }) => id));
    });
  });

  describe.each(singletons.map((one) => [one.path, one] as const))('%s', (path, { fields }) => {
    const call: TestApp['call'] = (method, target, request) =>
      server.call(method, target, { token: own.token, ...request });
    const table = Object.entries(configLimits[path.replace('/api/', '')] ?? {});
    const written = Object.entries(fields);

    it('returns each field as it was sent', async () => {
      const plain = new Map<object, unknown>([
        [booleanKind, true],
        [textKind, 'text'],
        [integerKind, 7],
        [floatKind, 1.5],
        [timeTextKind, '2026-11-22T09:00:00.000Z'],
      ]);
      for (const [field, limit] of table) {
        const { kind, traits } = fields[field as keyof typeof fields] as Field;
        if (traits.shownAs !== null || traits.foreignKey) continue;
        const [allowed = plain.get(kind), ...more] = within(field, limit);
        for (const value of [allowed, ...more]) {
          const { status, json, text } = await call('PATCH', path, { body: { [field]: value } });
          expect([status, json[field]], `${field}: ${text}`).toEqual([200, value]);
        }
      }
    });

    it('rejects invalid values under the field, and stores nothing of the body', async () => {
      const [, second] = written;
      for (const [field, { kind }] of written) {
        const limit = configLimits[path.replace('/api/', '')]?.[field] ?? {};
        const wrong = beyond(field, limit);
        if (kind !== booleanKind) wrong.push([{}, field]);
        if (kind === timeTextKind) wrong.push(['tomorrow', field], ['2026-02-30', field], [5, field]);
        if (kind === integerKind) wrong.push([2 ** 31, 'error']);
        const before = (await call('GET', path)).text;
        for (const [value, key] of wrong) {
          const response = await call('PATCH', path, { body: { [second?.[0] ?? '']: null, [field]: value } });
          expect([response.status, Object.keys(response.json)], `${field}: ${response.text}`).toEqual([422, [key]]);
        }
        expect((await call('GET', path)).text, field).toBe(before);
      }
    });

    it('stores null in nullable fields, and ignores it in others', async () => {
      for (const [field, { nullable }] of table) {
        if (field === 'disable_factory_reset') continue;
        const before = (await call('GET', path)).json;
        const { status, json } = await call('PUT', path, { body: { [field]: null } });
        expect([status, json[field]], field).toEqual([200, nullable ? null : before[field]]);
      }
    });

    it('has its defaults after a delete, under another id', async () => {
      const before = (await call('GET', path)).json;
      expect((await call('DELETE', path)).text).toBe('');
      const after = (await call('GET', `${path}/${before.id}`)).json;
      expect(after.id).not.toBe(before.id);
      for (const [field, limit] of table) expect(after[field], field).toEqual(limit.default ?? null);
    });

    it('requires a token, and does not affect other accounts', async () => {
      for (const [method, body] of [
        ['GET', undefined],
        ['DELETE', undefined],
        ['PATCH', {}],
        ['PUT', {}],
      ] as const)
        expect((await server.call(method, path, { body })).status).toBe(401);
      const strangerList = async () => (await server.call('GET', path, { token: stranger.token })).text;
      const before = await strangerList();
      await call('DELETE', path);
      await call('GET', path);
      expect(await strangerList()).toBe(before);
    });
  });
});
