import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fbosConfig } from '../src/device/fbos-config.ts';
import { firmwareConfig } from '../src/device/firmware-config.ts';
import { webAppConfig } from '../src/device/web-app-config.ts';
import type { Field } from '../src/engine/fields.ts';
import { booleanKind, floatKind, integerKind, textKind, timeKind } from '../src/engine/kinds.ts';
import { resources } from '../src/resources.ts';
import type { Account, TestApp } from './support/app.ts';
import { startApp } from './support/app.ts';
import { describeEngines } from './support/engines.ts';
import { example, presentations, servedByHand } from './support/examples.ts';

// What follows for every resource from its declaration, asked over HTTP on both engines.

const actionsOf = (name: string, routes = ''): Set<string> =>
  new Set(`${routes} ${servedByHand[name] ?? ''}`.trim().split(/\s+/));

const served = resources.filter(({ name, options }) => actionsOf(name, options.routes).has('create'));

const singletons = [fbosConfig, firmwareConfig, webAppConfig];

/** Values that a field of this kind never takes. */
function wrongValues(field: Field): unknown[] {
  if (field.kind === textKind) return [{}, [], ['x']];
  if (field.kind === integerKind) return [1.5, true, {}, [], 'x', '.5'];
  if (field.kind === floatKind) return [true, {}, [], 'x', '-'];
  if (field.kind === booleanKind) return ['x', 2, -1, {}, []];
  if (field.kind === timeKind) return [5, true, 'x', '2026-13-01', '2026-02-30', {}];
  return [];
}

/** A text of this length that the field accepts. */
const longText = (field: string, length: number): string =>
  (field === 'url' ? 'http://farmware.invalid/' : '').padEnd(length, 'x');

interface Limits {
  minimum?: number;
  maximum?: number;
  maxLength?: number;
}

describeEngines('every resource', (engine) => {
  let server: TestApp;
  let mine: Account;
  let theirs: Account;

  beforeAll(async () => {
    server = await startApp(engine);
    mine = await server.account();
    theirs = await server.account();
  });
  afterAll(() => server.close());

  describe.each(served.map((resource) => [resource.name, resource] as const))('%s', (name, { fields, options }) => {
    const path = `/api/${name}`;
    const actions = actionsOf(name, options.routes);
    const written = (mode: string) =>
      Object.entries(fields).filter(([, { traits }]) => traits.written === 'always' || traits.written === mode);
    const call: TestApp['call'] = (method, target, request) =>
      server.call(method, target, { token: mine.token, ...request });
    const list = async () => (await call('GET', path)).text;
    const make = async (account = mine, changes: Record<string, unknown> = {}) => {
      const body = { ...(await example(server, name, account)), ...changes };
      const answer = await server.call('POST', path, { token: account.token, body });
      expect(answer.status, answer.text).toBe(200);
      return answer.json;
    };

    it('is created, listed, shown, left alone by an empty change, and deleted', async () => {
      const made = await make();
      const all = (await call('GET', path)).json;
      expect(all).toContainEqual(made);
      if (actions.has('show')) expect((await call('GET', `${path}/${made.id}`)).json).toEqual(made);
      if (actions.has('update')) {
        const changed = (await call('PATCH', `${path}/${made.id}`, { body: {} })).json;
        expect(options.announcesEveryUpdate ? { ...changed, updated_at: made.updated_at } : changed).toEqual(made);
        expect((await call('PUT', `${path}/${made.id}`, { body: { ...made, nonsense: 1 } })).status).toBe(200);
      }
      if (!actions.has('destroy')) return;
      const gone = await call('DELETE', `${path}/${made.id}`);
      expect(gone.status, gone.text).toBe(200);
      if (options.destroyed === 'object') expect(gone.json.id).toBe(made.id);
      else expect(gone.text).toBe('');
      expect((await call('DELETE', `${path}/${made.id}`)).status).toBe(404);
    });

    it('wants its required fields, tells all that are missing at once, and stores nothing', async () => {
      const before = await list();
      const required = Object.entries(fields)
        .filter(([, { traits }]) => traits.isRequired)
        .map(([field]) => field);
      const empty = await call('POST', path, { body: {} });
      if (required.length === 0) return;
      expect(empty.status).toBe(422);
      for (const field of required) expect(Object.keys(empty.json)).toContain(field);
      for (const field of required) {
        const { [field]: _left, ...body } = await example(server, name, mine);
        const missing = await call('POST', path, { body });
        expect([missing.status, Object.keys(missing.json)], `${field} missing`).toEqual([422, [field]]);
        if (fields[field]?.traits.isNullable) continue;
        const none = await call('POST', path, { body: { ...body, [field]: null } });
        expect([none.status, Object.keys(none.json)], `${field} null`).toEqual([422, [field]]);
      }
      expect(await list()).toBe(before);
    });

    it('refuses wrong types and blanks under the field and stores nothing', async () => {
      const good = await example(server, name, mine);
      const before = await list();
      for (const [field, declared] of written('on create')) {
        if (options.reading === 'cast') break;
        const blank = declared.traits.empty === 'refused' ? [''] : [];
        for (const value of [...wrongValues(declared), ...blank]) {
          const answer = await call('POST', path, { body: { ...good, [field]: value } });
          expect(
            [answer.status, Object.keys(answer.json ?? {})],
            `${field} ${JSON.stringify(value)}: ${answer.text}`,
          ).toEqual([422, [field]]);
        }
      }
      expect(await list()).toBe(before);
    });

    it('holds the limits of its fields', async () => {
      const before = await list();
      const good = await example(server, name, mine);
      for (const [field, { kind, traits }] of written('on create')) {
        const { minimum, maximum, maxLength } = traits.limits as Limits;
        const beyond: unknown[] = [];
        if (minimum !== undefined) beyond.push(minimum - 1);
        if (maximum !== undefined) beyond.push(maximum + 1);
        if (maxLength !== undefined) beyond.push('x'.repeat(maxLength + 1));
        if (kind === integerKind) beyond.push(2 ** 31, -(2 ** 31) - 1, 2 ** 53, 1e300);
        for (const value of beyond) {
          const answer = await call('POST', path, { body: { ...good, [field]: value } });
          expect(
            [answer.status, Object.keys(answer.json).length],
            `${field} ${String(value).slice(0, 20)}: ${answer.text}`,
          ).toEqual([422, 1]);
          expect([field, 'error']).toContain(Object.keys(answer.json)[0]);
        }
      }
      expect(await list()).toBe(before);
      for (const [field, { traits }] of written('on create')) {
        const { minimum, maximum, maxLength } = traits.limits as Limits;
        const within = [minimum, maximum, maxLength && longText(field, maxLength)].filter(
          (value) => value !== undefined,
        );
        for (const value of within) await make(mine, { [field]: value });
      }
    });

    it('takes null as not sent, or stores it', async () => {
      for (const [field, { traits }] of written('on create')) {
        if (traits.isRequired || presentations.has(`${name}.${field}`)) continue;
        const made = await make(mine, { [field]: null });
        if (!(field in made)) continue;
        const expected = traits.isNullable ? null : (traits.default ?? null);
        expect(made[field], field).toEqual(expected);
      }
    });

    it('keeps what belongs to another account out of reach', async () => {
      const foreign = await make(theirs);
      const hers = async () => (await server.call('GET', path, { token: theirs.token })).text;
      const before = await hers();
      expect((await call('GET', path)).json).not.toContainEqual(foreign);
      const attempts: [string, string][] = [];
      if (actions.has('show')) attempts.push(['GET', '']);
      if (actions.has('update')) attempts.push(['PATCH', ''], ['PUT', '']);
      if (actions.has('destroy')) attempts.push(['DELETE', '']);
      for (const [method] of attempts) {
        const answer = await call(method, `${path}/${foreign.id}`, method === 'GET' ? {} : { body: {} });
        expect([answer.status, Object.keys(answer.json)], method).toEqual([404, ['error']]);
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
      expect(await hers()).toBe(before);
    });

    it('takes no ids of another account in its fields', async () => {
      const before = await list();
      for (const [field, { traits }] of written('on create')) {
        const { foreignKey, ownership } = traits;
        if (!foreignKey || !ownership || foreignKey.table === 'sequences') continue;
        const other = await example(server, foreignKey.table, theirs);
        const { json } = await server.call('POST', `/api/${foreignKey.table}`, { token: theirs.token, body: other });
        for (const id of [json.id, 999_999_999, 0, -1]) {
          const answer = await call('POST', path, { body: { ...(await example(server, name, mine)), [field]: id } });
          if (ownership === 'null') {
            expect([answer.status, answer.json[field]], `${field} ${id}`).toEqual([200, null]);
            await call('DELETE', `${path}/${answer.json.id}`);
          } else expect([answer.status === 404 ? 422 : answer.status], `${field} ${id}: ${answer.text}`).toEqual([422]);
        }
      }
      expect(await list()).toBe(before);
    });

    it('wants a token', async () => {
      const ask = (method: string, target: string) =>
        server.call(method, target, method === 'GET' || method === 'DELETE' ? {} : { body: {} });
      expect((await ask('GET', path)).status).toBe(401);
      expect((await ask('POST', path)).status).toBe(401);
      for (const method of ['PATCH', 'DELETE'])
        if (actions.has(method === 'PATCH' ? 'update' : 'destroy'))
          expect((await ask(method, `${path}/1`)).status).toBe(401);
    });

    it('is paged when it says so', async () => {
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
  });

  describe.each(singletons.map((one) => [one.path, one] as const))('%s', (path, { fields }) => {
    const call: TestApp['call'] = (method, target, request) =>
      server.call(method, target, { token: mine.token, ...request });
    const written = Object.entries(fields).filter(([, { traits }]) => traits.written !== 'never');

    it('shows what it was given, whole, for each field', async () => {
      for (const [field, { kind, traits }] of written) {
        if (traits.shownAs !== null || traits.foreignKey) continue;
        const { minimum, maximum } = traits.limits as Limits;
        const value =
          minimum ??
          maximum ??
          (kind === booleanKind
            ? true
            : kind === textKind
              ? 'text'
              : kind === integerKind
                ? 7
                : kind === floatKind
                  ? 1.5
                  : undefined);
        if (value === undefined) continue;
        const { status, json, text } = await call('PATCH', path, { body: { [field]: value } });
        expect([status, json[field]], `${field}: ${text}`).toEqual([200, value]);
      }
    });

    it('refuses what is beyond a limit or of no use under the field, and stores nothing of the body', async () => {
      const [, second] = written;
      for (const [field, { kind, traits }] of written) {
        const { minimum, maximum, maxLength } = traits.limits as Limits;
        const beyond: unknown[] = [{}];
        if (kind === booleanKind) beyond.pop();
        if (minimum !== undefined) beyond.push(minimum - 1);
        if (maximum !== undefined) beyond.push(maximum + 1);
        if (maxLength !== undefined) beyond.push('x'.repeat(maxLength + 1));
        if (kind === integerKind) beyond.push(2 ** 31);
        const before = (await call('GET', path)).text;
        for (const value of beyond) {
          const answer = await call('PATCH', path, { body: { [second?.[0] ?? '']: null, [field]: value } });
          expect(
            [answer.status, Object.keys(answer.json).length],
            `${field} ${JSON.stringify(value)}: ${answer.text}`,
          ).toEqual([422, 1]);
          expect([field, 'error']).toContain(Object.keys(answer.json)[0]);
        }
        expect((await call('GET', path)).text, field).toBe(before);
      }
    });

    it('stores null where it may be empty, and ignores it elsewhere', async () => {
      for (const [field, { traits }] of written) {
        if (traits.shownAs !== null) continue;
        const before = (await call('GET', path)).json;
        const { status, json } = await call('PUT', path, { body: { [field]: null } });
        expect([status, json[field]], field).toEqual([200, traits.isNullable ? null : before[field]]);
      }
    });

    it('starts anew with its defaults after a delete, under another id', async () => {
      const before = (await call('GET', path)).json;
      expect((await call('DELETE', path)).text).toBe('');
      const after = (await call('GET', `${path}/${before.id}`)).json;
      expect(after.id).not.toBe(before.id);
      for (const [field, { traits }] of written) expect(after[field], field).toEqual(traits.default ?? null);
    });

    it('wants a token, and leaves other accounts alone', async () => {
      for (const [method, body] of [
        ['GET', undefined],
        ['DELETE', undefined],
        ['PATCH', {}],
        ['PUT', {}],
      ] as const)
        expect((await server.call(method, path, { body })).status).toBe(401);
      const hers = async () => (await server.call('GET', path, { token: theirs.token })).text;
      const before = await hers();
      await call('DELETE', path);
      await call('GET', path);
      expect(await hers()).toBe(before);
    });
  });
});
