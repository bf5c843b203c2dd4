import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import inject from 'light-my-request';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { UserActivity } from '../../../src/accounts/user-activity.ts';
import { migrations } from '../../../src/db/migrations/list.ts';
import type { DeviceActivity } from '../../../src/device/device-activity.ts';
import { images } from '../../../src/photos/images.ts';
import { resources } from '../../../src/resources.ts';
import { accountDocument, ExportDocument } from '../../../src/transfer/account-document.ts';
import type { Account, TestApp, TestResponse } from '../../support/app.ts';
import { startApp, suiteApp } from '../../support/app.ts';
import { describeEngines, itAnyEngine } from '../../support/engines.ts';
import { example } from '../../support/examples.ts';
import { MailServer } from '../../support/mail-server.ts';
import { processedPhotoUrl, solidColorPicture, uploadPhoto } from '../../support/photo-upload.ts';
import { zipContent } from '../../support/zip-content.ts';

/** The keys that clients know, in order. */
const knownKeys =
  'export_created_at server_url database_schema tools device fbos_config firmware_config web_app_config points curves farmware_envs farm_events farmware_installations folders images logs peripherals pin_bindings plant_templates point_groups regimens saved_gardens sensor_readings sensors sequences token_issuances telemetries users webcam_feeds wizard_step_results ai_feedbacks scene_objects';

const additions = resources.filter(
  ({ name, options }) => options.addition && options.exported !== false && !knownKeys.split(' ').includes(name),
);

const keys = [knownKeys, ...additions.map(({ name }) => name)].join(' ');

const configs = ['fbos_config', 'firmware_config', 'web_app_config'];

/** The keys of lists of records. */
const lists = keys
  .split(' ')
  .slice(3)
  .filter((key) => !['device', 'users', 'token_issuances', ...configs].includes(key));

itAnyEngine('the document contains every resource except what the server says', () => {
  const exported = accountDocument.flatMap((part) => ('resource' in part ? [part.resource.name] : []));
  expect([...exported, 'alerts', 'notifications'].sort()).toEqual(resources.map(({ name }) => name).sort());
  expect(accountDocument.map(({ key }) => key).join(' ')).toBe(keys);
});

describeEngines('an export', (engine) => {
  const app = suiteApp(engine, { HOST: '127.0.0.1', PORT: '0' });
  let account: Account;
  let base = '';
  beforeAll(async () => {
    await app.app.listen();
    const address = app.app.http.server.address();
    base = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
    account = await app.signUp();
  });

  const call = (method: string, path: string, body?: object): Promise<TestResponse> =>
    app.call(method, path, { token: account.token, ...(body && { body }) });
  const exported = async (headers: Record<string, string> = {}) => {
    const response = await app.call('POST', '/api/export_data', { token: account.token, headers });
    expect(response.status).toBe(200);
    return response;
  };
  const zipped = async (): Promise<ReadonlyMap<string, Buffer>> => {
    const response = await fetch(`${base}/api/export_data?photos=true`, {
      method: 'POST',
      headers: { authorization: account.token, 'user-agent': 'test' },
    });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/zip');
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="export.zip"');
    return zipContent(Buffer.from(await response.arrayBuffer()));
  };

  it('has all keys in order for a new account', async () => {
    const { json } = await exported({ host: 'garden.example:8080' });
    expect(Object.keys(json).join(' ')).toBe(keys);
    expect(json.export_created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/);
    expect(json.server_url).toBe('//garden.example:8080');
    expect(json.database_schema).toBe(migrations.at(-1)?.number);
    for (const list of lists.filter((key) => key !== 'logs')) expect([list, json[list]]).toEqual([list, []]);
    expect(json.device).toEqual((await call('GET', '/api/device')).json);
    // Each request of a browser changes this time, and the export contains it as the list would.
    const [user] = (await call('GET', '/api/users')).json;
    expect(json.users).toEqual([{ ...user, updated_at: expect.any(String) }]);
    expect(json.users[0].updated_at > user.created_at && json.users[0].updated_at <= user.updated_at).toBe(true);
    expect(Object.keys(json.users[0]).join(' ')).toBe('id created_at updated_at name email language');
    expect(json.token_issuances).toHaveLength(1);
    expect(Object.keys(json.token_issuances[0]).join(' ')).toBe('id device_id exp jti created_at updated_at aud');
  });

  it('contains every record as the lists show it', async () => {
    for (const list of lists) {
      const body = await example(app, list, account);
      const { status, text } = await call('POST', `/api/${list}`, body);
      expect([list, status, text]).toEqual([list, 200, text]);
    }
    const plants = (await call('GET', '/api/points')).json as { id: number }[];
    expect((await call('DELETE', `/api/points/${plants[0]?.id}`)).status).toBe(200);
    const tool = (await call('GET', '/api/tools')).json[0];
    await call('PATCH', '/api/device', { mounted_tool_id: tool.id, name: 'Robby' });

    const { json } = await exported();
    for (const list of lists.filter((key) => key !== 'ai_feedbacks')) {
      const query = list === 'points' ? '?filter=all' : '';
      const shown = (await call('GET', `/api/${list}${query}`)).json as { id: number; discarded_at?: string }[];
      // Responses do not include this for plants, but imports need it.
      for (const one of shown)
        if (list === 'points' && one.id === plants[0]?.id) one.discarded_at = json[list][0].discarded_at;
      expect([list, json[list]]).toEqual([list, [...shown].sort((a, b) => a.id - b.id)]);
      expect(json[list].length).toBeGreaterThan(0);
    }
    expect(json.ai_feedbacks).toEqual([
      {
        id: 1,
        created_at: expect.any(String),
        updated_at: expect.any(String),
        prompt: expect.any(String),
        reaction: 'good',
      },
    ]);
    expect(json.points[0].discarded_at).toEqual(expect.any(String));
    expect(json.device).toEqual((await call('GET', '/api/device')).json);
  });

  it('contains the configs as they are stored, with the device second', async () => {
    await call('PATCH', '/api/fbos_config', { disable_factory_reset: false, safe_height: 77 });
    const { json } = await exported();
    for (const config of configs) {
      const shown = (await call('GET', `/api/${config}`)).json;
      const stored = config === 'fbos_config' ? { disable_factory_reset: false } : {};
      expect(json[config]).toEqual({ ...shown, ...stored });
      expect(Object.keys(json[config]).slice(0, 4)).toEqual(['id', 'device_id', 'created_at', 'updated_at']);
    }
    expect(json.fbos_config.safe_height).toBe(77);
    expect(Object.keys(json.plant_templates[0]).join(' ')).toBe(
      'id saved_garden_id device_id radius x y z name openfarm_slug created_at updated_at planted_at depth water_curve_id spread_curve_id height_curve_id',
    );
    expect(Object.keys(json.saved_gardens[0]).join(' ')).toBe('id name device_id created_at updated_at notes');
    expect(Object.keys(json.farmware_envs[0]).join(' ')).toBe('id device_id key value created_at updated_at');
  });

  it('creates a config that was deleted', async () => {
    const other = await app.signUp();
    expect((await app.call('DELETE', '/api/firmware_config', { token: other.token })).status).toBe(200);
    const { json } = await app.call('POST', '/api/export_data', { token: other.token });
    expect(json.firmware_config.movement_max_spd_x).toBe(400);
    expect(json.firmware_config).toEqual((await app.call('GET', '/api/firmware_config', { token: other.token })).json);
  });

  it('is a 401 if the account was deleted during the request', async () => {
    const document = new ExportDocument(
      { overlay: (row) => row } as Partial<DeviceActivity> as DeviceActivity,
      { effectiveUpdatedAt: (_user, time) => time } as Partial<UserActivity> as UserActivity,
    );
    const address = { issuer: '//localhost', origin: 'http://localhost' };
    await expect(document.read(app.app.server().device(999_999_999), address)).rejects.toMatchObject({ status: 401 });
  });

  it('contains no data of other accounts, no password and no token', async () => {
    const other = await app.signUp();
    const { json, text } = await app.call('POST', '/api/export_data', { token: other.token });
    expect(json.users.map(({ id }: { id: number }) => id)).toEqual([other.userId]);
    expect(json.tools).toEqual([]);
    expect(text).not.toContain(account.email);
    for (const secret of [other.token, account.token, 'password', 'argon2', 'confirmation_token'])
      expect([secret, text.includes(secret)]).toEqual([secret, false]);
  });

  it('accepts any JSON or no body, and requires a token', async () => {
    for (const raw of ['{"page":1}', '[1]', '"all"', 'null', ''])
      expect((await app.call('POST', '/api/export_data.json', { token: account.token, raw })).status, raw).toBe(200);
    expect((await app.call('POST', '/api/export_data', { token: account.token, raw: '{' })).status).toBe(422);
    expect((await app.call('POST', '/api/export_data')).status).toBe(401);
    expect((await call('GET', '/api/export_data')).status).toBe(404);
  });

  it('is an archive if photos are requested', async () => {
    const picture = await solidColorPicture(200);
    const first = await uploadPhoto(base, account.token, picture, { x: 1 });
    const second = await uploadPhoto(base, account.token, await solidColorPicture(10));
    const address = await processedPhotoUrl(base, account.token, first);
    await processedPhotoUrl(base, account.token, second);

    const files = await zipped();
    // The photo of the example is never uploaded.
    expect([...files.keys()]).toEqual(['export.json', `photos/${first}.jpg`, `photos/${second}.jpg`]);
    const shown = await fetch(address);
    expect(files.get(`photos/${first}.jpg`)).toEqual(Buffer.from(await shown.arrayBuffer()));
    const document = JSON.parse(String(files.get('export.json')));
    expect(Object.keys(document).join(' ')).toBe(keys);
    expect(document.images.at(-2)).toMatchObject({ id: first, attachment_url: address });

    // The file is lost, but not its record.
    const row = await app.app
      .server()
      .device(account.deviceId)
      .first(images, { where: { id: first } });
    const folder = join(app.settings.DATA_DIR, 'photos', String(account.deviceId), 'photos', String(row?.photo_key));
    await rm(folder, { recursive: true });
    const fewer = await zipped();
    expect([...fewer.keys()]).toEqual(['export.json', `photos/${second}.jpg`]);
    expect(JSON.parse(String(fewer.get('export.json'))).images).toHaveLength(document.images.length);
  });
});

describeEngines('an export with a mail server', (engine) => {
  const server = new MailServer();
  let app: TestApp;
  beforeAll(async () => {
    const url = await server.listen();
    app = await startApp(engine, { SMTP_URL: url, PUBLIC_URL: 'https://garden.example', HOST: '127.0.0.1', PORT: '0' });
  });
  afterAll(async () => {
    await app.close();
    await server.close();
  });

  it('is mailed as a file for every request', async () => {
    const account = await app.signUp();
    await app.call('POST', '/api/tools', { token: account.token, body: { name: 'Spade' } });
    for (let i = 0; i < 2; i++) {
      const response = await app.call('POST', '/api/export_data', {
        token: account.token,
        headers: { host: 'evil.example' },
      });
      expect([response.status, response.text]).toEqual([202, 'null']);
    }
    await app.app.runJobs();
    const exports = server.received.filter(({ mail }) => mail.subject === 'Your account data export');
    expect(exports.map(({ to }) => to)).toEqual([[account.email], [account.email]]);
    const [attachment, ...more] = exports[0]?.mail.attachments ?? [];
    expect(more).toEqual([]);
    expect(attachment).toMatchObject({ filename: 'export.json', mimeType: 'application/json' });
    const { content } = attachment ?? {};
    const document = JSON.parse(typeof content === 'string' ? content : new TextDecoder().decode(content));
    expect(Object.keys(document).join(' ')).toBe(keys);
    expect(document.server_url).toBe('//garden.example:443');
    expect(document.tools).toMatchObject([{ name: 'Spade' }]);
    expect(exports[0]?.mail.text).toContain('Hello Gardener,');
  });

  it('is mailed to the owner of a further garden', async () => {
    const { email, token } = await app.signUp();
    const { id } = (await app.call('POST', '/api/gardens', { token, body: { name: 'Greenhouse' } })).json;
    const garden = (await app.call('POST', `/api/gardens/${id}/token`, { token })).json.token.encoded;
    await app.call('POST', '/api/tools', { token: garden, body: { name: 'Hoe' } });
    expect((await app.call('POST', '/api/export_data', { token: garden })).status).toBe(202);
    await app.app.runJobs();
    const { content } = server.received.find(({ to }) => to.includes(email))?.mail.attachments[0] ?? {};
    const text = typeof content === 'string' ? content : new TextDecoder().decode(content);
    expect(JSON.parse(text).tools).toMatchObject([{ name: 'Hoe' }]);
  });

  it('is not mailed if photos are requested', async () => {
    const account = await app.signUp();
    const before = server.received.length;
    const response = await inject(app.app.http.handler, {
      method: 'POST',
      url: '/api/export_data?photos=true',
      headers: { authorization: account.token, 'user-agent': 'test' },
    });
    expect(response.statusCode).toBe(200);
    expect([...(await zipContent(response.rawPayload)).keys()]).toEqual(['export.json']);
    await app.app.runJobs();
    expect(server.received.length).toBe(before);
  });
});
