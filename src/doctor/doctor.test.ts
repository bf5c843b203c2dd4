import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Account, TestApp } from '../../test/support/app.ts';
import { password, startApp } from '../../test/support/app.ts';
import { certificate, otherPrivateKey, privateKey } from '../../test/support/certificates.ts';
import { describeAnyEngine, describeEngines } from '../../test/support/engines.ts';
import { freePort } from '../../test/support/free-port.ts';
import { databasePath } from '../db/open.ts';
import { copySqlite } from '../db/sqlite-copy.ts';
import { jobs } from '../jobs/job-rows.ts';
import { setOwnLimit } from '../quotas/account-quotas.ts';
import { readSettings } from '../settings/settings.ts';
import { hookWarning, tlsWarning } from './broker-checks.ts';
import { inactivityWarning, runChecks } from './doctor.ts';

const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

describeEngines('doctor', (engine) => {
  let server: TestApp;
  beforeEach(async () => {
    server = await startApp(engine);
  });
  afterEach(() => server.close());

  const jobsResult = async () => (await runChecks(server.settings, silent)).find(({ name }) => name === 'jobs');

  /** Inserts a job of this kind that failed permanently so many minutes after noon. */
  const failedJob = (kind: string, minutes: number) => {
    const time = new Date(Date.UTC(2026, 0, 1, 12, minutes)).toISOString();
    const state = { run_at: time, attempts: 4, max_attempts: 4, last_error: `no ${kind}`, failed_at: time };
    return { kind, payload: {}, ...state };
  };

  it('names the quotas, and counts the accounts that use 90 % of one', async () => {
    const limited = { ...server.settings, QUOTA_TOKENS: 10 };
    const quotas = async () => (await runChecks(limited, silent)).find(({ name }) => name === 'quotas');
    const sentence = (near: number) => ({
      name: 'quotas',
      ok: true,
      message: `Each account may have: photo_bytes 2147483648, photos 20000, tokens 10, webhooks 10, personal_tokens 100, published_bytes 52428800, history_bytes 209715200, uploads_in_flight 20, imports_in_flight 1, commands_in_flight 10, exports_per_hour 30. Accounts that use 90 % of one or more: ${near}.`,
    });
    const [one, two] = [await server.signUp(), await server.signUp()];
    const signIn = async ({ email }: Account, times: number) => {
      for (let i = 0; i < times; i++) await server.call('POST', '/api/tokens', { body: { user: { email, password } } });
    };
    await signIn(one, 7);
    await signIn(two, 7);
    expect(await quotas()).toEqual(sentence(0));
    await signIn(one, 1);
    expect(await quotas()).toEqual(sentence(1));
    await setOwnLimit(server.app.server().device(one.deviceId), 'tokens', 20);
    expect(await quotas()).toEqual(sentence(0));
  });

  it('reports disks with too little free space', async () => {
    const space = async (more: object = {}) =>
      (await runChecks({ ...server.settings, ...more }, silent)).find(({ name }) => name === 'free space');
    const folder = server.settings.DATA_DIR;
    expect(await space()).toMatchObject({ ok: true, message: expect.stringContaining(`The disk with ${folder} has`) });
    expect(await space({ MIN_FREE_BYTES: 1e15 })).toMatchObject({
      ok: false,
      message: expect.stringMatching(new RegExp(`The disk with ${folder} has [\\d,]+ MiB .*Free some space`)),
    });
  });

  it('counts failed jobs and names the latest', async () => {
    expect(await jobsResult()).toEqual({ name: 'jobs', ok: true, message: 'No background job failed permanently.' });
    const scope = server.app.server();
    await scope.insert(jobs, failedJob('mail', 3));
    expect(await jobsResult()).toEqual({
      name: 'jobs',
      ok: false,
      message: '1 background job failed permanently. The latest is mail: no mail.',
    });
    // Created later, failed earlier.
    await scope.insertAll(
      jobs,
      Array.from({ length: 120 }, () => failedJob('fetch', 1)),
    );
    await scope.insert(jobs, {
      kind: 'waiting',
      payload: {},
      run_at: '2026-01-01T00:00:00.000Z',
      attempts: 1,
      max_attempts: 4,
    });
    expect((await jobsResult())?.message).toBe('121 background jobs failed permanently. The latest is mail: no mail.');
  });
});

describeAnyEngine('doctor, for an SQLite file', () => {
  it('finds damaged pages and names the remedy', async () => {
    const server = await startApp('sqlite');
    const path = databasePath(server.settings.DATA_DIR);
    const copy = mkdtempSync(join(tmpdir(), 'potager-damaged-'));
    try {
      const settings = { ...server.settings, DATA_DIR: copy };
      const result = async () => (await runChecks(settings, silent)).find(({ name }) => name === 'database');
      copySqlite(path, databasePath(copy));
      expect(await result()).toEqual({
        name: 'database',
        ok: true,
        message: 'SQLite responds and is up to date.',
      });
      const bytes = readFileSync(databasePath(copy));
      writeFileSync(databasePath(copy), bytes.fill(0xa5, 4096 * 40, 4096 * 60));
      expect(await result()).toEqual({
        name: 'database',
        ok: false,
        message: `The database in ${copy} is damaged. Stop the server, move the folder away, and restore a backup with "potager restore".`,
      });
      writeFileSync(databasePath(copy), 'this is not a database, but longer than one page. '.repeat(200));
      expect(await result()).toMatchObject({ ok: false, message: expect.stringContaining('is damaged') });
    } finally {
      await server.close();
      rmSync(copy, { recursive: true });
    }
  });
});

describeAnyEngine('doctor, for the message broker', () => {
  let folder: string;
  let cert: string;
  let key: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'potager-doctor-'));
    cert = join(folder, 'cert.pem');
    key = join(folder, 'key.pem');
    writeFileSync(cert, certificate);
    writeFileSync(key, privateKey);
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** Returns the results for the broker: `ok name: message`. */
  async function results(environment: Record<string, string>): Promise<string[]> {
    const settings = readSettings({ DATA_DIR: join(folder, 'data'), HOST: '127.0.0.1', PORT: '0', ...environment });
    const checks = await runChecks(settings, silent);
    return checks
      .filter(({ name }) => name.startsWith('broker') || name === 'certificate')
      .map(({ name, ok, isWarning, message }) => `${isWarning ? 'note' : ok ? 'ok' : 'FAIL'} ${name}: ${message}`);
  }

  it('reports that it is disabled', async () => {
    expect(await results({ MQTT_PORT: '0', PUBLIC_URL: 'https://garden.example' })).toEqual([
      'ok broker: MQTT_PORT is 0: the message broker is disabled.',
    ]);
  });

  it('requires a certificate where robots use TLS', async () => {
    const MQTT_PORT = String(await freePort());
    const MQTTS_PORT = String(await freePort());
    const free = `ok broker: Port ${MQTT_PORT} is free.`;
    expect(await results({ MQTT_PORT })).toEqual([
      free,
      `note broker port: Robots always use port 1883 for messages, but MQTT_PORT is ${MQTT_PORT}: remove MQTT_PORT, or have port 1883 of this machine lead to it.`,
    ]);
    const PUBLIC_URL = 'https://garden.example';
    expect(await results({ MQTT_PORT, PUBLIC_URL })).toEqual([
      free,
      'FAIL broker encryption: Robots connect to port 8883 with TLS, because PUBLIC_URL is encrypted, but the broker has no certificate: set TLS_CERT and TLS_KEY.',
    ]);
    const unreachable = { MQTT_PORT, MQTTS_PORT, PUBLIC_URL, TLS_CERT: cert, TLS_KEY: key };
    const encrypted = { ...unreachable, TLS_HOST: '0.0.0.0' };
    const unused = `note broker port: Robots always use port 8883 for messages, but MQTTS_PORT is ${MQTTS_PORT}: remove MQTTS_PORT, or have port 8883 of this machine lead to it.`;
    const tlsFree = `ok broker encryption: Port ${MQTTS_PORT} is free.`;
    expect(await results(unreachable)).toContain(
      'FAIL broker encryption: Robots connect to port 8883 with TLS, because PUBLIC_URL is encrypted, but only programs on this machine reach it, because HOST is 127.0.0.1: set TLS_HOST to 0.0.0.0, or to :: with IPv6.',
    );
    expect(await results(encrypted)).toEqual([
      free,
      unused,
      tlsFree,
      `ok certificate: The certificate in ${cert} is for garden.example and is valid until 2120-01-01.`,
    ]);
    expect(await results({ ...encrypted, MQTT_HOST: 'broker.example' })).toEqual([
      free,
      unused,
      tlsFree,
      `FAIL certificate: The certificate in ${cert} is not valid for broker.example, which clients connect to, but for garden.example, *.beds.example, localhost, 127.0.0.1, 192.168.1.20.`,
    ]);
    writeFileSync(key, otherPrivateKey);
    expect(await results(encrypted)).toContain('FAIL certificate: TLS_KEY is not the private key of TLS_CERT.');
    expect(await results({ ...encrypted, MQTTS_PORT: '0' })).toEqual([
      free,
      'FAIL broker encryption: Robots connect to port 8883 with TLS, because PUBLIC_URL is encrypted, but MQTTS_PORT is 0: set it to 8883.',
    ]);
  });

  it('reports problems of RabbitMQ, without passwords', async () => {
    const port = await freePort();
    const BROKER_URL = `amqp://someone:hunter2@127.0.0.1:${port}`;
    const lines = await results({ BROKER_URL, BROKER_ADMIN_PASSWORD: 'four' });
    expect(lines).toEqual([
      `FAIL broker: BROKER_URL: RabbitMQ at 127.0.0.1:${port} refuses connections: it may not be running.`,
      expect.stringMatching(/^ok broker management: BROKER_MANAGEMENT_URL is not set: /),
      'ok broker hooks: The hooks at /api/rmq respond only to programs on this machine.',
      'FAIL broker address: Browsers connect to /ws on this server instead of RabbitMQ: set MQTT_WS_URL.',
      'FAIL broker admin: BROKER_ADMIN_PASSWORD has fewer than 5 characters, so the broker rejects "admin".',
    ]);
    expect(lines.join()).not.toMatch(/hunter2|four/);
    expect(await results({ BROKER_URL, PUBLIC_URL: 'https://garden.example' })).toContain(
      'ok broker address: Robots connect to the host of this server, browsers to /ws on PUBLIC_URL, which your proxy must forward to RabbitMQ.',
    );
    expect(await results({ BROKER_URL, MQTT_WS_URL: 'ws://b.example/ws', MQTT_HOST: 'b.example' })).toContain(
      'ok broker address: Robots connect to b.example, browsers to MQTT_WS_URL.',
    );
  });
});

describeAnyEngine('doctor, for the hooks of RabbitMQ', () => {
  /** Returns the result for the hooks, without a RabbitMQ that responds. */
  const result = async (environment: Record<string, string>) => {
    const checks = await runChecks(readSettings({ DATA_DIR: join(tmpdir(), 'potager-none'), ...environment }), silent);
    return checks.filter(({ name }) => name === 'broker hooks').map(({ ok, message }) => [ok, message]);
  };
  const BROKER_URL = 'amqp://someone:hunter2@127.0.0.1:1';

  it('reports nothing for the built-in broker', async () => {
    expect(await result({ MQTT_PORT: '0' })).toEqual([]);
  });

  it('requires BROKER_HOOKS_FROM for a RabbitMQ on another machine', async () => {
    const remote = { BROKER_URL: 'amqp://someone:hunter2@[fd00::6]:1' };
    const problem =
      'RabbitMQ at fd00::6 cannot call the hooks at /api/rmq, which respond only to this machine: set BROKER_HOOKS_FROM to the address from which it calls them.';
    expect(await result(remote)).toEqual([[false, problem]]);
    expect(hookWarning(readSettings(remote))).toBe(problem);
    expect(await result({ ...remote, BROKER_HOOKS_FROM: 'fd00::6' })).toEqual([
      [true, 'The hooks at /api/rmq respond only to BROKER_HOOKS_FROM (fd00::6).'],
    ]);
    expect(hookWarning(readSettings({ BROKER_URL }))).toBeNull();
    expect(hookWarning(readSettings({}))).toBeNull();
  });

  it('fails if a proxy forwards requests of other machines as if they were local', async () => {
    let body = 'allow';
    const proxy = createServer((request, response) => response.end(request.url === '/api/rmq/vhost' ? body : ''));
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    // 127.0.0.1 in another form, so that it does not count as this machine.
    const PUBLIC_URL = `http://[::ffff:7f00:1]:${(proxy.address() as AddressInfo).port}`;
    expect(await result({ BROKER_URL, PUBLIC_URL })).toEqual([
      [
        false,
        `The hooks at /api/rmq respond to any client at ${PUBLIC_URL}, because the proxy there forwards requests without X-Forwarded-For: have it add that header, or refuse /api/rmq.`,
      ],
    ]);
    body = '{"error":"This address was not found."}';
    const isLocal = [[true, 'The hooks at /api/rmq respond only to programs on this machine.']];
    expect(await result({ BROKER_URL, PUBLIC_URL })).toEqual(isLocal);
    proxy.close();
    expect(await result({ BROKER_URL, PUBLIC_URL })).toEqual(isLocal);
  });
});

describeAnyEngine('the warning of a missing certificate', () => {
  const warned = (environment: Record<string, string>) => tlsWarning(readSettings(environment)) !== null;

  it('depends on the URL for browsers', () => {
    expect(warned({})).toBe(false);
    expect(warned({ PUBLIC_URL: 'http://garden.example' })).toBe(false);
    expect(warned({ PUBLIC_URL: 'https://garden.example' })).toBe(true);
    expect(warned({ PUBLIC_URL: 'https://garden.example', MQTT_WS_URL: 'ws://garden.example:3000/ws' })).toBe(false);
    expect(warned({ MQTT_WS_URL: 'WSS://garden.example/ws' })).toBe(true);
    expect(warned({ PUBLIC_URL: 'https://garden.example', MQTT_PORT: '0' })).toBe(false);
    expect(warned({ PUBLIC_URL: 'https://garden.example', BROKER_URL: 'amqp://b' })).toBe(false);
    const pair = { TLS_CERT: '/c', TLS_KEY: '/k' };
    const local = { PUBLIC_URL: 'https://garden.example', ...pair };
    for (const HOST of ['127.0.0.1', '::1', 'localhost']) {
      expect(warned({ ...local, HOST })).toBe(true);
      expect(warned({ ...local, HOST, TLS_HOST: '::' })).toBe(false);
      expect(warned({ ...local, TLS_HOST: HOST })).toBe(true);
    }
    expect(warned({ ...local, HOST: '127.0.0.1', BROKER_URL: 'amqp://b' })).toBe(false);
    expect(warned({ ...local, HOST: '127.0.0.1', MQTT_WS_URL: 'ws://garden.example/ws' })).toBe(false);
    expect(warned({ PUBLIC_URL: 'https://garden.example', ...pair })).toBe(false);
    expect(warned({ PUBLIC_URL: 'https://garden.example', ...pair, MQTTS_PORT: '0' })).toBe(true);
  });
});

describeAnyEngine('doctor, for inactive accounts', () => {
  const warned = (environment: Record<string, string>) => inactivityWarning(readSettings(environment)) !== null;

  it('reports that users cannot be warned', () => {
    expect(warned({ INACTIVE_ACCOUNTS: 'delete' })).toBe(true);
    expect(warned({ INACTIVE_ACCOUNTS: 'delete', SMTP_URL: 'smtp://mail.example' })).toBe(false);
    expect(warned({})).toBe(false);
    expect(warned({ INACTIVE_ACCOUNTS: 'keep' })).toBe(false);
  });

  it('is one of the results', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'potager-doctor-'));
    const settings = readSettings({ DATA_DIR: folder, PORT: '0', MQTT_PORT: '0', INACTIVE_ACCOUNTS: 'delete' });
    expect((await runChecks(settings, silent)).filter(({ ok }) => !ok)).toEqual([
      {
        name: 'inactive accounts',
        ok: false,
        message:
          'INACTIVE_ACCOUNTS is "delete", but no account is deleted, because users cannot be warned by mail: set SMTP_URL.',
      },
    ]);
    rmSync(folder, { recursive: true });
  });
});

describeAnyEngine('doctor, for optional settings', () => {
  const results = async (environment: Record<string, string>): Promise<string[]> => {
    const folder = mkdtempSync(join(tmpdir(), 'potager-doctor-'));
    try {
      const checks = await runChecks(readSettings({ DATA_DIR: folder, MQTT_PORT: '0', ...environment }), silent);
      return checks
        .filter(({ name }) => ['photos', 'web app', 'language model'].includes(name))
        .map(({ name, ok, message }) => `${ok ? 'ok' : 'FAIL'} ${name}: ${message}`);
    } finally {
      rmSync(folder, { recursive: true });
    }
  };

  it('reports nothing without settings', async () => {
    expect(await results({})).toEqual([]);
  });

  it('checks the web app and the settings of a language model', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'potager-web-app-'));
    expect(await results({ WEB_APP_DIR: folder })).toEqual([
      'FAIL web app: WEB_APP_DIR has no files in assets/dist or assets/parcel; the server will not start.',
    ]);
    mkdirSync(join(folder, 'assets/parcel'), { recursive: true });
    writeFileSync(join(folder, 'assets/parcel/entry.js'), '');
    expect(await results({ WEB_APP_DIR: folder })).toEqual([
      'ok web app: WEB_APP_DIR contains the web app in assets/parcel.',
    ]);
    rmSync(folder, { recursive: true });
    expect(await results({ AI_KEY: 'hunter2' })).toEqual([
      'FAIL language model: AI_KEY and AI_MODEL have no effect without AI_URL.',
    ]);
    expect(await results({ AI_URL: 'http://u:hunter2@localhost:11434/v1' })).toEqual([
      'ok language model: AI_URL points to localhost:11434; no request was sent.',
    ]);
  });

  it('reads a bucket, and discloses no secret', async () => {
    const [line, ...more] = await results({
      STORAGE_URL: `s3://key:hunter2@127.0.0.1:${await freePort()}/bed?tls=off`,
    });
    expect(line).toBe(
      'FAIL photos: STORAGE_URL: the bucket bed cannot be read (ECONNREFUSED). Check its URL, key and secret.',
    );
    expect(line).not.toContain('hunter2');
    expect(more).toEqual([]);
  });

  it('names tls=off where a bucket is served without TLS', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const [line] = await results({ STORAGE_URL: `s3://key:hunter2@127.0.0.1:${port}/bed` });
    expect(line).toBe(
      'FAIL photos: STORAGE_URL: the bucket bed cannot be read (EPROTO). If its server has no TLS, add ?tls=off to the URL.',
    );
    server.close();
  });
});
