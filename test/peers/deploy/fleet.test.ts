import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SignedInAccount, signIn, uniqueEmail } from '../../support/accounts.ts';
import { numberAt, textAt } from '../../support/json.ts';
import { MqttTestClient } from '../../support/mqtt-test-client.ts';
import { processedPhotoUrl, solidColorPicture } from '../../support/photo-upload.ts';
import type { ServerProcess } from '../../support/servers.ts';
import { suiteFixture } from '../../support/suite-fixture.ts';
import { deployedFile } from './deployed-files.ts';
import { createEnvironment, Fleet, type FleetConfiguration, fleetConfiguration } from './fleet.ts';
import { FleetTraffic } from './fleet-traffic.ts';
import { createNewerProgram } from './newer-program.ts';
import { sendUpload } from './upload-form.ts';

describe('compose.fleet.yaml', () => {
  let folder: string;
  let services: FleetConfiguration['services'];
  let networks: FleetConfiguration['networks'];
  beforeAll(() => {
    folder = createEnvironment('garden.example');
    ({ services, networks } = fleetConfiguration(folder));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('does not start without passwords', () => {
    expect(() => fleetConfiguration('/nonexistent')).toThrow();
    expect(() => createEnvironment('')).toThrow('the domain of the server');
    for (const wrong of ['https://garden.example', 'Garden.example', 'garden.example:443'])
      expect(() => createEnvironment(wrong)).toThrow('is not a domain');
    // Random ones, for each service another.
    const passwords = [
      services.postgres?.environment?.POSTGRES_PASSWORD,
      services.rabbitmq?.environment?.RABBITMQ_DEFAULT_PASS,
      services.s3?.environment?.ROOT_SECRET_KEY,
    ];
    for (const password of passwords) expect(password).toMatch(/^[0-9a-f]{48}$/);
    expect(new Set(passwords).size).toBe(3);
  });

  it('builds the image of Potager once, and never looks for a published one', () => {
    const own = Object.values(services).filter(({ image }) => image === 'potager');
    expect(own).toHaveLength(3);
    expect(own.filter(({ build }) => build)).toEqual([services.bucket]);
    for (const { build, pull_policy } of own) expect(Boolean(build) || pull_policy === 'never').toBe(true);
  });

  it('publishes HTTPS and encrypted MQTT only', () => {
    const published = Object.entries(services).flatMap(([name, { ports = [] }]) =>
      ports.map((port) => `${name} ${port.published} ${port.target}`),
    );
    expect(published.sort()).toEqual(['caddy 443 443', 'caddy 443 443', 'caddy 80 80', 'rabbitmq 8883 8883']);
  });

  it('trusts Caddy and RabbitMQ by the addresses that they have', () => {
    const address = (name: string) => services[name]?.networks?.inside?.ipv4_address;
    for (const name of ['potager-1', 'potager-2'])
      expect(services[name]?.environment).toMatchObject({
        TRUST_PROXY: address('caddy'),
        BROKER_HOOKS_FROM: address('rabbitmq'),
      });
    // A service without a fixed address never gets one of theirs, nor does a client: nothing enters the network from outside.
    const [addresses] = networks.inside?.ipam?.config ?? [];
    expect(networks.inside?.internal).toBe(true);
    expect(addresses).toEqual({ subnet: '172.30.83.0/24', ip_range: '172.30.83.128/25' });
    // In another common network, they would use other addresses there.
    const joined = Object.values(services).map((service) => Object.keys(service.networks ?? {}));
    for (const network of ['web', 'robots']) expect(joined.filter((each) => each.includes(network))).toHaveLength(1);
  });

  it('waits for the health of a service’s dependencies', () => {
    const needs = {
      postgres: 'service_healthy',
      rabbitmq: 'service_healthy',
      bucket: 'service_completed_successfully',
    };
    for (const name of ['potager-1', 'potager-2'])
      for (const [other, condition] of Object.entries(needs))
        expect(services[name]?.depends_on?.[other]?.condition).toBe(condition);
    expect(services.rabbitmq?.depends_on?.certificate?.condition).toBe('service_healthy');
    for (const name of ['postgres', 'rabbitmq', 'certificate']) expect(services[name]?.healthcheck).toBeDefined();
    for (const [name, { restart }] of Object.entries(services))
      if (name !== 'bucket') expect(restart).toBe('unless-stopped');
  });
});

describe('the services of compose.fleet.yaml, as processes', () => {
  const fleet = suiteFixture(
    () => Fleet.start(),
    (started) => started.stop(),
  );
  let account: SignedInAccount;

  beforeAll(async () => {
    const email = uniqueEmail('fleet');
    const password = 'password123';
    const body = JSON.stringify({ name: 'Ada', email, password, password_confirmation: password });
    const signedUp = await fleet.caddy.send('/api/users', { method: 'POST', body });
    expect(signedUp.status).toBe(200);
    account = await signIn(fleet.potagers[1].client, 'fleet', email, password);
  });

  it('announce a change in one process to the clients of RabbitMQ', async () => {
    const { caddy, rabbitmq, potagers } = fleet;
    const own = { username: account.bot, password: account.token };
    const wsOptions = { ...caddy.tls, headers: { host: 'localhost' } };
    const browser = await MqttTestClient.connect(`wss://127.0.0.1:${caddy.ports.https}/ws`, { ...own, wsOptions });
    const port = new URL(rabbitmq.mqttUrl).port;
    const robot = await MqttTestClient.connect(`mqtts://127.0.0.1:${port}`, { ...own, ...caddy.tls });
    expect((await caddy.peer(Number(port))).fingerprint256).toBe((await caddy.peer()).fingerprint256);
    for (const client of [browser, robot]) await client.subscribe(`bot/${account.bot}/sync/#`);
    for (const [index, { client }] of potagers.entries()) {
      const created = await client.post('/api/tools', { name: `Trowel ${index}` }, account.token);
      const topic = `bot/${account.bot}/sync/Tool/${numberAt(created.json, 'id')}`;
      for (const each of [browser, robot])
        await each.waitUntil((received) => received.some((message) => message.topic === topic), topic);
    }
    await Promise.all([browser.end(), robot.end()]);
  });

  it('share photos through the bucket', async () => {
    const [one, two] = fleet.potagers;
    const picture = await solidColorPicture(120);
    const upload = await sendUpload(fleet.caddy, account.token, picture);
    expect(upload.response.status).toBe(200);
    const image = { attachment_url: upload.url, meta: { x: 1, y: 2, z: 0 } };
    const created = await one.client.post('/api/images', image, account.token);
    const id = numberAt(created.json, 'id');
    const url = new URL(await processedPhotoUrl(two.base, account.token, id));
    expect(url.origin).toBe('https://localhost');
    for (const { client } of fleet.potagers) {
      const photo = await client.get(url.pathname);
      expect([photo.status, photo.headers['content-type']]).toEqual([200, 'image/jpeg']);
    }
    const through = await fleet.caddy.send(url.pathname);
    expect([through.status, through.bytes.subarray(0, 2).toString('hex')]).toEqual([200, 'ffd8']);
  });

  it('continue while one process is stopped', async () => {
    const { caddy, potagers } = fleet;
    await potagers[0].stop();
    const statuses = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const headers = { authorization: account.token };
        return (await caddy.send('/api/device', { headers })).status;
      }),
    );
    expect(new Set(statuses)).toEqual(new Set([200]));
    await potagers[0].start();
  });

  it('are replaced by a newer version one after the other, without a failed request', async () => {
    const { caddy, potagers } = fleet;
    const namesOfTools = async () => {
      const { json } = await potagers[1].client.get('/api/tools', account.token);
      return (json as { name: string }[]).map(({ name }) => name).sort();
    };
    const [one, two] = potagers;
    const newer = createNewerProgram(fleet.folder);
    const replace = async (process: ServerProcess) => {
      expect(await process.stop()).toBe(0);
      process.program = newer;
      await process.start();
      expect(textAt((await process.client.get('/api/openapi.json')).json, 'info.version')).toBe('9.0.0');
    };
    const before = await namesOfTools();
    const traffic = new FleetTraffic(caddy, account.token);
    try {
      await replace(one);
      // The other process ignores the writes of the newer one: it continues and could be started again.
      const times = 'created_at, updated_at';
      const job = `'forecast', '{}', now(), 0, 4`;
      await fleet.query(
        `insert into jobs (${times}, kind, payload, run_at, attempts, max_attempts) values (now(), now(), ${job})`,
      );
      const change = `'r', 'server', 'Weather', 1, 'created', 100, '{"id":1}', 'r', 'other'`;
      await fleet.query(`insert into changes
        (${times}, device_id, request, actor_kind, resource, record_id, action, byte_size, after, label, origin)
        values (now(), now(), ${account.bot.replace('device_', '')}, ${change})`);
      const created = await two.client.post('/api/tools', { name: 'Hoe' }, account.token);
      expect([created.status, (await two.client.get('/api/history', account.token)).status]).toEqual([200, 200]);
      expect((await two.run(['doctor'])).output).toContain('PostgreSQL responds and is up to date.');
      const jobs = await fleet.query(`select attempts, locked_by from jobs where kind = 'forecast'`);
      expect(jobs).toEqual([{ attempts: 0, locked_by: null }]);
      await replace(two);
    } finally {
      await traffic.stop();
    }
    expect(traffic.failed).toEqual([]);
    expect(traffic.stored.length).toBeGreaterThan(100);
    expect(await namesOfTools()).toEqual([...before, 'Hoe', ...traffic.stored].sort());
    const migrated = await fleet.query('select max(compatible_from) as oldest from schema_migrations');
    expect(migrated).toEqual([{ oldest: '0.2.0' }]);
  });

  it('continue while RabbitMQ is stopped, although no process is healthy', async () => {
    const { caddy, rabbitmq, potagers } = fleet;
    const [, checked = ''] = /health_uri (\S+)/.exec(deployedFile('fleet.Caddyfile')) ?? [];
    await rabbitmq.stop();
    for (const { client } of potagers) {
      await expect.poll(async () => (await client.get('/health')).status).toBe(503);
      expect((await client.get(checked)).status).toBe(200);
    }
    expect((await caddy.send('/api/device', { headers: { authorization: account.token } })).status).toBe(200);
  });
});
