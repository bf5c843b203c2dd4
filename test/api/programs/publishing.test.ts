import { beforeAll, describe, expect, it } from 'vitest';
import { newGuestAddress } from '../../../src/accounts/guests.ts';
import { users } from '../../../src/accounts/users.ts';
import type { DeviceScope } from '../../../src/db/scope.ts';
import { devices } from '../../../src/device/devices.ts';
import type { Gardens } from '../../../src/device/gardens.ts';
import { sequencePublications } from '../../../src/programs/publications.ts';
import { publishSequence } from '../../../src/programs/publishing.ts';
import { setOwnLimit } from '../../../src/quotas/account-quotas.ts';
import type { Quotas } from '../../../src/quotas/quotas.ts';
import { gardenCleanup } from '../../../src/upkeep/garden-cleanup.ts';
import type { Account, TestResponse } from '../../support/app.ts';
import { suiteApp } from '../../support/app.ts';
import { describeEngines } from '../../support/engines.ts';
import type { RecordedResponse } from '../../support/event-recording-client.ts';
import { eventSummaries, suiteEventClient } from '../../support/event-recording-client.ts';
import { jobRun } from '../../support/job-run.ts';
import { suiteFixture } from '../../support/suite-fixture.ts';

const wait = (milliseconds: number) => ({ kind: 'wait', args: { milliseconds } });
const home = { kind: 'home', args: { speed: 100, axis: 'all' } };
const noVariables = { version: 20180209, locals: { kind: 'scope_declaration', args: {} } };

let createdSequences = 0;
const newName = () => `Shared ${++createdSequences}`;

describeEngines('shared sequences', (engine) => {
  const client = suiteEventClient(engine);
  const author = suiteFixture(() => client.server.signUp());
  const as = async (method: string, path: string, body?: unknown): Promise<TestResponse> =>
    client.server.call(method, path, { token: author.token, ...(body !== undefined && { body }) });
  const requestOk = async (method: string, path: string, body?: unknown): Promise<TestResponse> => {
    const response = await as(method, path, body);
    expect(response.status, `${method} ${path} ${response.text}`).toBe(200);
    return response;
  };
  const write = async (body: object[], more: object = {}): Promise<number> =>
    (await requestOk('POST', '/api/sequences', { name: newName(), body, ...more })).json.id;
  const publish = (id: number, copyright = 'Ada 2026') =>
    requestOk('POST', `/api/sequences/${id}/publish`, { copyright });
  /** Publishes a sequence and returns the id of the new version. */
  const share = async (id: number, copyright?: string): Promise<number> => {
    await publish(id, copyright);
    return (await requestOk('GET', `/api/sequences/${id}`)).json.sequence_versions.at(-1);
  };
  const show = async (id: number) => (await client.requestOk('GET', `/api/sequences/${id}`)).json;
  const install = async (version: number): Promise<RecordedResponse> =>
    client.requestOk('POST', `/api/sequences/${version}/install`);
  const publishedBytesOf = async ({ token }: Account): Promise<number> =>
    (await client.server.call('GET', '/api/usage', { token })).json.published_bytes.used;
  const keys = ({ status, json }: TestResponse) => [status, Object.keys(json)];

  it('become versions that all accounts can read', async () => {
    const id = await write([{ ...wait(1), comment: '' }, wait(2)], { description: 'how', color: 'red', pinned: true });
    const { json } = await publish(id, '  Ada  ');
    const { email, deviceId } = author;
    expect(json).toMatchObject({ author_device_id: deviceId, author_sequence_id: id, cached_author_email: email });
    expect(Object.keys(json).sort()).toEqual([
      'author_device_id',
      'author_sequence_id',
      'cached_author_email',
      'created_at',
      'id',
      'published',
      'updated_at',
    ]);
    const { sequence_versions, name, copyright } = (await requestOk('GET', `/api/sequences/${id}`)).json;
    expect(copyright).toBe('Ada');
    const version = await client.requestOk('GET', `/api/sequence_versions/${sequence_versions[0]}`);
    expect(version.json).toEqual({
      id: sequence_versions[0],
      created_at: expect.any(String),
      name,
      color: 'red',
      description: 'how',
      copyright: 'Ada',
      kind: 'sequence',
      args: noVariables,
      body: [wait(1), wait(2)],
    });
    expect(version.text).not.toContain(email);
    expect((await client.server.call('GET', `/api/sequence_versions/${sequence_versions[0]}`)).status).toBe(401);
    // Published versions do not change.
    await requestOk('PATCH', `/api/sequences/${id}`, { body: [], name: newName(), color: 'blue' });
    expect((await client.requestOk('GET', `/api/sequence_versions/${sequence_versions[0]}`)).text).toBe(version.text);
    await requestOk('DELETE', `/api/sequences/${id}`);
    expect((await client.requestOk('GET', `/api/sequence_versions/${sequence_versions[0]}`)).text).toBe(version.text);
  });

  it('are listed for all accounts in their newest version, and found by their words', async () => {
    const neighbor = await client.server.signUp();
    const find = async (query = '') => {
      const response = await client.server.call('GET', `/api/shared_sequences${query}`, { token: neighbor.token });
      return { ids: response.json.map(({ id }: { id: number }) => id), ...response };
    };
    const first = await write([wait(1)], { description: 'Waters the Käse plants' });
    const old = await share(first, 'Ada 100%, CC0');
    await requestOk('PATCH', `/api/sequences/${first}`, { body: [wait(2)] });
    const newest = await share(first, 'Ada 100%, CC0');
    const other = await share(await write([wait(3)]), 'Grace');
    const all = await find();
    expect(all.ids.slice(0, 2)).toEqual([other, newest]);
    expect(all.ids).not.toContain(old);
    expect(all.json[1]).toEqual({
      id: newest,
      created_at: expect.any(String),
      name: expect.stringMatching(/^Shared /),
      color: 'gray',
      description: 'Waters the Käse plants',
      copyright: 'Ada 100%, CC0',
    });
    // Neither the address of the author nor the program.
    expect(all.text).not.toContain(author.email);
    expect((await find('?search=KASE')).ids).toEqual([newest]);
    expect((await find('?search=100%25,')).ids).toEqual([newest]);
    expect((await find('?search=grace')).ids).toEqual([other]);
    expect((await find('?search=no_such')).ids).toEqual([]);
    const paged = await find('?search=&page=2&per=1');
    expect([paged.ids, paged.headers['x-total-count']]).toEqual([[newest], String(all.ids.length)]);
    expect((await client.server.call('GET', '/api/shared_sequences')).status).toBe(401);
    await requestOk('POST', `/api/sequences/${first}/unpublish`);
    expect((await find('?search=kase')).ids).toEqual([]);
  });

  it('get no further version unless something that is published changed', async () => {
    const id = await write([wait(1)], { color: 'red', description: 'how' });
    const unpublished = await publishedBytesOf(author);
    const { text } = await publish(id);
    const versions = async (): Promise<number[]> =>
      (await requestOk('GET', `/api/sequences/${id}`)).json.sequence_versions;
    const shown = (await requestOk('GET', `/api/sequences/${id}`)).text;
    const [used, [first]] = [await publishedBytesOf(author), await versions()];
    for (let i = 0; i < 3; i++) expect((await publish(id)).text).toBe(text);
    await requestOk('PATCH', `/api/sequences/${id}`, { pinned: true });
    await publish(id);
    expect(await publishedBytesOf(author)).toBe(used);
    expect(JSON.parse(shown).sequence_versions).toEqual([first]);
    let count = 1;
    for (const change of [{ description: 'so' }, { color: 'blue' }, { name: newName() }, { body: [wait(2)] }]) {
      await requestOk('PATCH', `/api/sequences/${id}`, change);
      await publish(id);
      await publish(id);
      expect(await versions(), JSON.stringify(change)).toHaveLength(++count);
    }
    const args = { message: 'Hello', message_type: 'info' };
    await requestOk('PATCH', `/api/sequences/${id}`, { body: [{ kind: 'send_message', args }] });
    await publish(id);
    const reordered = { args: { message_type: args.message_type, message: args.message }, kind: 'send_message' };
    await requestOk('PATCH', `/api/sequences/${id}`, { body: [reordered] });
    await publish(id);
    expect(await versions()).toHaveLength(++count);
    await publish(id, 'Ada 2027');
    await publish(id, 'Ada 2026');
    expect(await versions()).toHaveLength(count + 2);
    // A withdrawn version is not offered again.
    await requestOk('POST', `/api/sequences/${id}/unpublish`);
    expect(await publishedBytesOf(author)).toBe(unpublished);
    await publish(id);
    expect(await versions()).toHaveLength(1);
  });

  it('are counted, and refused beyond the quota until some are unpublished', async () => {
    const owner = await client.server.signUp();
    const call = (method: string, path: string, body?: unknown) =>
      client.server.call(method, path, { token: owner.token, ...(body !== undefined && { body }) });
    const { id } = (await call('POST', '/api/sequences', { name: 'Counted', body: [wait(1)] })).json;
    const publishAs = (copyright: string) => call('POST', `/api/sequences/${id}/publish`, { copyright });
    expect((await publishAs('a')).status).toBe(200);
    const one = await publishedBytesOf(owner);
    expect(one).toBeGreaterThan(1000);
    await setOwnLimit(client.server.app.server().device(owner.deviceId), 'published_bytes', one + 1);
    // Its existing records are above the limit.
    expect((await publishAs('b')).status).toBe(200);
    const before = (await call('GET', `/api/sequences/${id}`)).text;
    expect((await publishAs('b')).status).toBe(200);
    expect(await publishAs('c')).toMatchObject({
      status: 422,
      json: { error: expect.stringMatching(/^The published versions of sequences take too much space\. Unpublish/) },
    });
    expect((await call('GET', `/api/sequences/${id}`)).text).toBe(before);
    const [installed] = JSON.parse(before).sequence_versions;
    const copy = (await install(installed)).json.id;
    expect((await call('POST', `/api/sequences/${id}/unpublish`)).status).toBe(200);
    expect(await publishedBytesOf(owner)).toBe(one);
    expect((await show(copy)).body).toEqual([wait(1)]);
    expect((await publishAs('c')).status).toBe(200);
  });

  it('of a deleted sequence can be withdrawn, and stay offered until then', async () => {
    const before = await publishedBytesOf(author);
    const id = await write([wait(1)]);
    const [first, second] = [await share(id, 'a'), await share(id, 'b')];
    const used = await publishedBytesOf(author);
    await requestOk('DELETE', `/api/sequences/${id}`);
    expect(await publishedBytesOf(author)).toBe(used);
    const copy = (await install(first)).json.id;
    expect((await client.request('POST', `/api/sequences/${id}/unpublish`)).status).toBe(404);
    expect((await requestOk('POST', `/api/sequences/${id}/unpublish`)).json).toMatchObject({ published: false });
    const kept = await publishedBytesOf(author);
    expect(kept).toBeGreaterThan(before);
    expect(kept).toBeLessThan(used);
    expect((await as('GET', `/api/sequence_versions/${second}`)).status).toBe(404);
    expect((await show(copy)).body).toEqual([wait(1)]);
    expect((await as('POST', '/api/sequences/999999999/unpublish')).json).toEqual({ error: 'Sequence not found.' });
  });

  it('are deleted by the daily cleanup after their withdrawal, once no sequence links to them', async () => {
    const before = await publishedBytesOf(author);
    const id = await write([wait(1)]);
    const copy = (await install(await share(id))).json.id;
    const [own, offered] = [await write([wait(2)]), await write([wait(3)])];
    const second = await share(id, 'second');
    await requestOk('PATCH', `/api/sequences/${id}`, { name: newName() });
    await requestOk('POST', `/api/sequences/${own}/upgrade/${second}`);
    const offeredVersion = await share(offered);
    const all = await publishedBytesOf(author);
    await requestOk('POST', `/api/sequences/${id}/unpublish`);
    const tidy = () => gardenCleanup.handle(client.server.app.server(), {}, jobRun);
    await tidy();
    expect(await publishedBytesOf(author)).toBe(all);
    expect((await show(copy)).body).toEqual([wait(1)]);
    await requestOk('DELETE', `/api/sequences/${own}`);
    await client.requestOk('DELETE', `/api/sequences/${copy}`);
    await tidy();
    const left = await publishedBytesOf(author);
    expect((await as('GET', `/api/sequence_versions/${offeredVersion}`)).status).toBe(200);
    await requestOk('POST', `/api/sequences/${offered}/unpublish`);
    expect(await publishedBytesOf(author)).toBe(before);
    expect(left).toBeGreaterThan(before);
  });

  it('require a license', async () => {
    const id = await write([]);
    for (const body of [{}, { copyright: null }, { copyright: '' }, { copyright: ' ' }, { copyright: [] }])
      expect(keys(await as('POST', `/api/sequences/${id}/publish`, body))).toEqual([422, ['copyright']]);
    const long = await as('POST', `/api/sequences/${id}/publish`, { copyright: 'x'.repeat(1501) });
    expect(keys(long)).toEqual([422, ['error']]);
    expect((await requestOk('GET', `/api/sequences/${id}`)).json.sequence_versions).toEqual([]);
    await requestOk('POST', `/api/sequences/${id}/publish?copyright=by%20query`);
    expect((await requestOk('GET', `/api/sequences/${id}`)).json.copyright).toBe('by query');
    await requestOk('POST', `/api/sequences/${id}/publish`, { copyright: 2026 });
    expect((await requestOk('GET', `/api/sequences/${id}`)).json.copyright).toBe('2026');
  });

  it('can only contain publishable parts', async () => {
    const id = await write([home, { kind: 'sync', args: {} }, wait(1)]);
    const response = await as('POST', `/api/sequences/${id}/publish`, { copyright: 'x' });
    expect([response.status, response.json]).toEqual([
      422,
      { sequence: 'These parts of a program cannot be published: home, sync.' },
    ]);
    expect((await requestOk('GET', `/api/sequences/${id}`)).json.copyright).toBeNull();
  });

  it('can be published by operators without this check', async () => {
    const id = await write([home]);
    const authors = {
      gardens: {
        isDemo: async () => false,
        recipients: async () => [{ to: 'operator@example.com', language: 'en' }],
      } as Partial<Gardens> as Gardens,
      quotas: { assertRoom: async () => undefined } as Partial<Quotas> as Quotas,
    };
    await client.server.app
      .server()
      .device(author.deviceId)
      .transaction((scope: DeviceScope) =>
        publishSequence(scope, authors, { sequenceId: id, body: { copyright: 'x' }, force: true }),
      );
    const { sequence_versions } = (await requestOk('GET', `/api/sequences/${id}`)).json;
    expect((await install(sequence_versions[0])).json.body).toEqual([home]);
  });

  it('cannot be published by demo accounts', async () => {
    const guest = await client.server.signUp();
    const scope = client.server.app.server().device(guest.deviceId);
    const make = { token: guest.token, body: { name: 'Visit', body: [] } };
    const { json } = await client.server.call('POST', '/api/sequences', make);
    await scope.update(users, { email: newGuestAddress() }, {});
    const request = { token: guest.token, body: { copyright: 'x' } };
    const response = await client.server.call('POST', `/api/sequences/${json.id}/publish`, request);
    expect(keys(response)).toEqual([422, ['guest_account']]);
  });

  it('are withdrawn permanently, but linked sequences keep them', async () => {
    const id = await write([wait(1)]);
    expect((await as('POST', `/api/sequences/${id}/unpublish`)).status).toBe(404);
    const first = await share(id);
    const copy = (await install(first)).json.id;
    expect((await requestOk('POST', `/api/sequences/${id}/unpublish`)).json.published).toBe(false);
    expect((await requestOk('POST', `/api/sequences/${id}/unpublish`)).json.published).toBe(false);
    for (const token of [author.token, client.account.token])
      expect((await client.server.call('GET', `/api/sequence_versions/${first}`, { token })).status).toBe(404);
    expect(keys(await client.request('POST', `/api/sequences/${first}/install`))).toEqual([422, ['sequence_version']]);
    const upgrade = await client.request('POST', `/api/sequences/${copy}/upgrade/${first}`);
    expect(keys(upgrade)).toEqual([422, ['sequence_version']]);
    expect(await show(copy)).toMatchObject({ body: [wait(1)], sequence_version_id: first, sequence_versions: [] });
    const second = await share(id);
    expect(second).not.toBe(first);
    expect((await show(copy)).sequence_versions).toEqual([second]);
    expect((await as('GET', `/api/sequence_versions/${first}`)).status).toBe(404);
    await requestOk('DELETE', `/api/sequences/${id}`);
    expect((await show(copy)).body).toEqual([wait(1)]);
  });

  it('are installed once, linked, without a copy of their program', async () => {
    const id = await write([wait(1)], { description: 'how', color: 'green' });
    const version = await share(id);
    const { json, text, events } = await install(version);
    expect(json).toMatchObject({
      color: 'green',
      description: 'how',
      copyright: 'Ada 2026',
      folder_id: null,
      forked: false,
      pinned: false,
      sequence_version_id: version,
      sequence_versions: [version],
      args: noVariables,
      body: [wait(1)],
    });
    expect(events).toMatchObject([{ resource: 'Sequence', recordId: json.id, body: text }]);
    expect(events[0]?.label).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect((await client.requestOk('GET', '/api/sequences')).text).toContain(text);
    expect((await client.requestOk('GET', '/api/device/sync')).json.sequences).toContainEqual([
      json.id,
      json.updated_at,
    ]);
    await client.requestOk('PATCH', `/api/sequences/${json.id}`, { color: 'pink', description: 'changed' });
    const again = await install(version);
    expect(again.json).toMatchObject({ id: json.id, color: 'green', description: 'how' });
    // A sequence is reused only with the same name and version.
    await client.requestOk('PATCH', `/api/sequences/${json.id}`, { name: newName() });
    expect((await install(version)).json.id).not.toBe(json.id);
  });

  it('cannot be installed if the name is taken, above the limit, or with an unknown id', async () => {
    const name = newName();
    const id = await write([], { name });
    const version = await share(id);
    await client.requestOk('POST', '/api/sequences', { name, body: [] });
    expect(keys(await client.request('POST', `/api/sequences/${version}/install`))).toEqual([422, ['error']]);
    const other = await share(await write([]));
    const scope = client.server.app.server().device(client.account.deviceId);
    await scope.update(devices, { max_sequence_count: 1 }, {});
    expect(keys(await client.request('POST', `/api/sequences/${other}/install`))).toEqual([422, ['sequence_count']]);
    await scope.update(devices, { max_sequence_count: 1000 }, {});
    for (const none of ['0', 'abc', '999999999', '99999999999999999999'])
      expect((await client.request('POST', `/api/sequences/${none}/install`)).status, none).toBe(404);
  });

  describe('the limit of steps', () => {
    const steps = (count: number) => Array.from({ length: count }, (_, i) => wait(i + 1));
    const long = async (count: number) => {
      const scope = client.server.app.server().device(author.deviceId);
      await scope.update(devices, { max_sequence_length: 100 }, {});
      return share(await write(steps(count)));
    };
    const limit = (max_sequence_length: number) =>
      client.server.app.server().device(client.account.deviceId).update(devices, { max_sequence_length }, {});
    const listed = async () => (await client.requestOk('GET', '/api/sequences')).text;

    it('rejects installing a longer sequence', async () => {
      const [most, tooMany] = [await long(30), await long(31)];
      const before = await listed();
      const response = await client.request('POST', `/api/sequences/${tooMany}/install`);
      expect([response.status, response.json, response.events]).toEqual([
        422,
        { step_count: 'A sequence may have at most 30 steps, not 31.' },
        [],
      ]);
      expect(await listed()).toBe(before);
      expect((await install(most)).json.body).toHaveLength(30);
      await limit(31);
      const copy = (await install(tooMany)).json.id;
      await limit(2);
      // The sequence already has that many.
      expect((await install(tooMany)).json.id).toBe(copy);
      await client.requestOk('PATCH', `/api/sequences/${copy}`, { forked: true, body: steps(3) });
      expect(keys(await client.request('POST', `/api/sequences/${tooMany}/install`))).toEqual([422, ['step_count']]);
      expect(await show(copy)).toMatchObject({ forked: true, body: steps(3) });
      await limit(0);
    });

    it('rejects an upgrade to a longer sequence with more steps', async () => {
      const [short, more, less] = [await long(29), await long(32), await long(31)];
      const copy = (await install(short)).json.id;
      const upgrade = (version: number) => client.request('POST', `/api/sequences/${copy}/upgrade/${version}`);
      const before = await listed();
      const response = await upgrade(more);
      expect([...keys(response), response.events]).toEqual([422, ['step_count'], []]);
      expect(await listed()).toBe(before);
      await limit(40);
      expect((await upgrade(more)).status).toBe(200);
      await limit(0);
      expect((await upgrade(more)).status).toBe(200);
      expect((await upgrade(less)).status).toBe(200);
      expect(keys(await upgrade(more))).toEqual([422, ['step_count']]);
      expect((await show(copy)).body).toHaveLength(31);
    });
  });

  it('keeps hidden steps when only the variables change', async () => {
    const copy = (await install(await share(await write([wait(1)])))).json.id;
    const change = async (body: object) => (await client.requestOk('PATCH', `/api/sequences/${copy}`, body)).json;
    const args = (label: string) => {
      const data_value = { kind: 'text', args: { string: 'x' } };
      const declaration = { kind: 'variable_declaration', args: { label, data_value } };
      return { version: 20180209, locals: { kind: 'scope_declaration', args: {}, body: [declaration] } };
    };
    await change({ body: [wait(9)], args: args('old') });
    expect(await change({ args: args('new') })).toMatchObject({ args: noVariables, body: [wait(1)] });
    expect(await change({ forked: true })).toMatchObject({ args: args('new'), body: [wait(9)] });
    await change({ forked: false });
    expect(await change({ forked: true, args: args('last') })).toMatchObject({ args: args('last'), body: [wait(9)] });
  });

  it('show the program of their version until they are forked', async () => {
    const id = await write([wait(1)]);
    const copy = (await install(await share(id))).json.id;
    const change = async (body: object) => (await client.requestOk('PATCH', `/api/sequences/${copy}`, body)).json;
    expect((await change({ body: [wait(9)] })).body).toEqual([wait(1)]);
    expect(await change({ forked: true })).toMatchObject({ forked: true, body: [wait(9)] });
    expect(await change({ forked: false })).toMatchObject({ forked: false, body: [wait(1)] });
    const other = (await install(await share(await write([wait(2)])))).json.id;
    const fork = await client.requestOk('PATCH', `/api/sequences/${other}`, { forked: true });
    expect(fork.json).toMatchObject({ forked: true, body: [wait(2)], copyright: 'Ada 2026' });
    // A tool in the hidden program is in use.
    const tool = await client.create('tools');
    const at = { kind: 'tool', args: { tool_id: tool } };
    const offset = { kind: 'coordinate', args: { x: 0, y: 0, z: 0 } };
    await change({ body: [{ kind: 'move_absolute', args: { location: at, offset, speed: 1 } }] });
    expect(keys(await client.request('DELETE', `/api/tools/${tool}`))).toEqual([422, ['tool']]);
    const { json } = await client.requestOk(
      'POST',
      `/api/sequences/${copy}/upgrade/${(await show(copy)).sequence_version_id}`,
    );
    expect(json).toMatchObject({ forked: false, body: [wait(1)] });
    await client.requestOk('DELETE', `/api/tools/${tool}`);
  });

  it('take the fields of an upgrade that their owner did not change', async () => {
    const id = await write([wait(1)], { color: 'green', description: 'one' });
    const first = await share(id, 'first');
    const copy = (await install(first)).json.id;
    const renamed = newName();
    await requestOk('PATCH', `/api/sequences/${id}`, {
      name: renamed,
      color: 'red',
      description: 'two',
      body: [wait(2)],
    });
    const second = await share(id, 'second');
    await client.requestOk('PATCH', `/api/sequences/${copy}`, { color: 'pink' });
    const { json, events } = await client.requestOk('POST', `/api/sequences/${copy}/upgrade/${second}`);
    expect(json).toMatchObject({
      name: renamed,
      color: 'pink',
      description: 'two',
      copyright: 'second',
      body: [wait(2)],
      sequence_version_id: second,
      sequence_versions: [first, second],
    });
    expect(eventSummaries(events)).toEqual([`Sequence ${copy} with another label`]);
    const plain = (
      await client.requestOk('POST', '/api/sequences', { name: newName(), body: [wait(5)], color: 'blue' })
    ).json.id;
    const clash = await client.request('POST', `/api/sequences/${plain}/upgrade/${second}`);
    expect(keys(clash)).toEqual([422, ['error']]);
    await client.requestOk('PATCH', `/api/sequences/${copy}`, { name: newName() });
    const linked = await client.requestOk('POST', `/api/sequences/${plain}/upgrade/${second}`);
    expect(linked.json).toMatchObject({ name: renamed, color: 'red', body: [wait(2)] });
    for (const path of [`${copy}/upgrade/999999999`, `${id}/upgrade/${first}`, `${copy}/upgrade/x`])
      expect((await client.request('POST', `/api/sequences/${path}`)).status, path).toBe(404);
  });

  it('are announced to their author once, under a new label', async () => {
    const { id } = (await client.requestOk('POST', '/api/sequences', { name: newName(), body: [] })).json;
    for (const [what, versions] of [
      ['publish', 1],
      ['unpublish', 0],
    ] as const) {
      const { events } = await client.requestOk('POST', `/api/sequences/${id}/${what}`, { copyright: 'c' });
      expect(eventSummaries(events)).toEqual([`Sequence ${id} with another label`]);
      const shown = await client.requestOk('GET', `/api/sequences/${id}`);
      expect(events[0]?.body).toBe(shown.text);
      expect(shown.json.sequence_versions).toHaveLength(versions);
      expect((await client.requestOk('GET', '/api/device/sync')).json.sequences).toContainEqual([
        id,
        shown.json.updated_at,
      ]);
    }
  });

  it('are neither lost nor refused if they are installed while their author withdraws them', async () => {
    for (let i = 0; i < 5; i++) {
      const id = await write([wait(i)]);
      const version = await share(id);
      const [installed, withdrawn] = await Promise.all([
        client.request('POST', `/api/sequences/${version}/install`),
        as('POST', `/api/sequences/${id}/unpublish`),
      ]);
      expect(withdrawn.status).toBe(200);
      if (installed.status === 200) expect((await show(installed.json.id)).body).toEqual([wait(i)]);
      else expect(installed.status, installed.text).toBe(404);
    }
  });

  it('outlive the account of their author', async () => {
    const deletedAuthor = await client.server.signUp();
    const make = { token: deletedAuthor.token, body: { name: 'Last', body: [wait(3)] } };
    const { id } = (await client.server.call('POST', '/api/sequences', make)).json;
    const request = { token: deletedAuthor.token, body: { copyright: 'x' } };
    await client.server.call('POST', `/api/sequences/${id}/publish`, request);
    const seen = await client.server.call('GET', `/api/sequences/${id}`, { token: deletedAuthor.token });
    const copy = (await install(seen.json.sequence_versions[0])).json.id;
    await client.server.app
      .server()
      .transaction(async (scope) => void (await scope.delete(devices, { where: { id: deletedAuthor.deviceId } })));
    expect((await show(copy)).body).toEqual([wait(3)]);
    expect((await install(seen.json.sequence_versions[0])).json.id).toBe(copy);
    await gardenCleanup.handle(client.server.app.server(), {}, jobRun);
    expect((await show(copy)).body).toEqual([wait(3)]);
    await client.requestOk('DELETE', `/api/sequences/${copy}`);
    await gardenCleanup.handle(client.server.app.server(), {}, jobRun);
    expect((await as('GET', `/api/sequence_versions/${seen.json.sequence_versions[0]}`)).status).toBe(404);
  });
});

describeEngines('the address of an author', (engine) => {
  const email = 'author@example.com';
  const server = suiteApp(engine, { PUBLISHER: email });
  const password = 'password123';
  const signIn = async (): Promise<Account> => {
    const { json } = await server.call('POST', '/api/tokens', { body: { user: { email, password } } });
    return { email, token: json.token.encoded, userId: json.user.id, deviceId: json.user.device_id };
  };
  const signUp = async (): Promise<Account> => {
    const person = { name: 'L', email, password, password_confirmation: password, agree_to_terms: true };
    await server.call('POST', '/api/users', { body: person });
    return signIn();
  };
  const addresses = async (): Promise<string[]> =>
    (await server.app.server().rows(sequencePublications)).map(({ cached_author_email }) => cached_author_email);
  const featured = async () => (await server.call('GET', '/api/featured_sequences')).json;
  /** Publishes a sequence and returns its version. */
  const share = async ({ token }: Account): Promise<number> => {
    const { id } = (await server.call('POST', '/api/sequences', { token, body: { name: newName(), body: [] } })).json;
    await server.call('POST', `/api/sequences/${id}/publish`, { token, body: { copyright: 'x' } });
    return (await server.call('GET', `/api/sequences/${id}`, { token })).json.sequence_versions[0];
  };
  const close = async ({ token }: Account): Promise<void> => {
    expect((await server.call('DELETE', '/api/users', { token, body: { password } })).status).toBe(200);
    await server.app.runJobs();
  };

  it.each([
    ['account', close],
    ['device', ({ token }: Account) => server.call('DELETE', '/api/device', { token })],
    [
      'account on a device that others keep',
      async (author: Account) => {
        const friend = await server.signUp();
        await server.app.server().update(users, { device_id: author.deviceId }, { where: { id: friend.userId } });
        await close(author);
        expect(await server.app.server().count(devices, { where: { id: author.deviceId } })).toBe(1);
      },
    ],
  ])(
    'is deleted with the %s, but the publication stays if another garden installed it',
    async (_what, deleteAuthor) => {
      const author = await signUp();
      const version = await share(author);
      const installer = await server.signUp();
      await server.call('POST', `/api/sequences/${version}/install`, { token: installer.token });
      const others = await share(await server.signUp());
      expect(await addresses()).toContain(email);
      expect(await featured()).toMatchObject([{ id: version }]);
      await deleteAuthor(author);
      expect(await addresses()).not.toContain(email);
      expect((await addresses()).at(-1)).toMatch(/@/);
      expect(await featured()).toEqual([]);
      const { token } = await server.signUp();
      for (const id of [version, others])
        expect((await server.call('GET', `/api/sequence_versions/${id}`, { token })).status).toBe(200);
      const left = await server.call('POST', '/api/tokens', { body: { user: { email, password } } });
      if (left.status === 200) await close(await signIn());
    },
  );
});

describeEngines('featured sequences', (engine) => {
  const server = suiteApp(engine, { PUBLISHER: 'Publisher@Example.com' });
  let publisher: Account;
  const email = 'publisher@example.com';
  beforeAll(async () => {
    const password = 'password123';
    const person = { name: 'P', email, password, password_confirmation: password, agree_to_terms: true };
    await server.call('POST', '/api/users', { body: person });
    const { json } = await server.call('POST', '/api/tokens', { body: { user: { email, password } } });
    publisher = { email, token: json.token.encoded, userId: json.user.id, deviceId: json.user.device_id };
  });

  describe('sequences of the publisher', () => {
    const share = async ({ token }: Account, name: string, color = 'gray'): Promise<number> => {
      const created = await server.call('POST', '/api/sequences', { token, body: { name, body: [], color } });
      await server.call('POST', `/api/sequences/${created.json.id}/publish`, {
        token,
        body: { copyright: 'x' },
      });
      return created.json.id;
    };

    it('are listed in their newest version, newest first', async () => {
      expect((await server.call('GET', '/api/featured_sequences')).json).toEqual([]);
      await share(await server.signUp(), 'Of another account');
      const first = await share(publisher, 'First', 'red');
      await share(publisher, 'Second');
      const withdrawn = await share(publisher, 'Third');
      const { token } = publisher;
      await server.call('POST', `/api/sequences/${withdrawn}/unpublish`, { token });
      await server.call('PATCH', `/api/sequences/${first}`, { token, body: { name: 'First again' } });
      await server.call('POST', `/api/sequences/${first}/publish`, { token, body: { copyright: 'x' } });
      const { json } = await server.call('GET', '/api/featured_sequences');
      const newest = (await server.call('GET', `/api/sequences/${first}`, { token })).json.sequence_versions.at(-1);
      expect(json).toEqual([
        { id: newest, path: `/app/shared/sequence/${newest}`, name: 'First again', description: null, color: 'red' },
        {
          id: expect.any(Number),
          path: expect.stringMatching(/^\/app\/shared\/sequence\/\d+$/),
          name: 'Second',
          description: null,
          color: 'gray',
        },
      ]);
    });
  });
});
