import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { migrations } from '../../src/db/migrations/list.ts';
import { createMigratedDatabase } from '../support/databases.ts';
import { freePort } from '../support/free-port.ts';
import { MqttTestClient } from '../support/mqtt-test-client.ts';
import { createTempFolder, program, shortLived } from '../support/servers.ts';

/** How long a start may take, in ms. */
const waitTime = { timeout: 60_000 };

let folder: string;
let children: ChildProcess[] = [];
beforeEach(async () => {
  folder = await createTempFolder();
  children = [];
});
afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

/** Copies a migrated database with a key to a folder of {@link folder}. */
const copyDatabase = (name: string) => createMigratedDatabase('sqlite', join(folder, name));

interface Running {
  readonly child: ChildProcess;
  output(): string;
  readonly code: Promise<number | null>;
}

/** Starts the built program in an empty folder, after the words of `prefix`. */
function potager(
  words: readonly string[],
  settings: Record<string, string> = {},
  input = '',
  prefix: readonly string[] = [],
): Running {
  const env = { PATH: process.env.PATH ?? '', HOST: '127.0.0.1', MQTT_PORT: '0', ...settings };
  const [command = '', ...args] = [...prefix, process.execPath, ...shortLived, program, ...words];
  const child = spawn(command, args, { cwd: folder, env });
  children.push(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (part: Buffer) => {
      output += part.toString('utf8');
    });
  child.stdin.end(input);
  return {
    child,
    output: () => output,
    code: once(child, 'close').then(([code]) => (code === null ? null : Number(code))),
  };
}

async function finished(words: readonly string[], settings: Record<string, string> = {}, input = '') {
  const running = potager(words, settings, input);
  return { code: await running.code, output: running.output() };
}

async function serving(settings: Record<string, string> = {}): Promise<Running & { readonly port: number }> {
  const port = Number(settings.PORT ?? (await freePort()));
  await copyDatabase('data');
  const running = potager([], { PORT: String(port), ...settings });
  await Promise.race([logged(running.child, '"ready;'), running.code]);
  expect(running.output()).toContain(`http://127.0.0.1:${port}`);
  return { ...running, port };
}

describe('the command line', () => {
  it('reports every invalid setting, for each command', async () => {
    for (const words of [[], ['doctor'], ['user', 'list']])
      expect(await finished(words, { PORT: 'x', SIGN_UP: 'no' })).toEqual({
        code: 2,
        output:
          'Invalid settings:\n' +
          'PORT must be a whole number from 0 to 65535, not "x".\n' +
          'SIGN_UP must be `open` or `closed`, not "no".\n',
      });
  });

  it('doctor passes in a new folder and changes nothing', async () => {
    const { code, output } = await finished(['doctor'], { DATADIR: '/x', PORT: '0' });
    expect(code).toBe(0);
    expect(output).toContain('ok    settings\nnote  settings: DATADIR is not a setting. Did you mean DATA_DIR?\n');
    const applied = migrations.map(({ name }) => `applied ${name}\n`).join('');
    expect(await finished(['migrate'])).toEqual({ code: 0, output: applied });
    expect(await finished(['migrate'])).toEqual({ code: 0, output: 'The database is up to date.\n' });
  });
});

/** What one server is asked, in this order: a start costs more than all of it. */
describe('a server with a message broker', () => {
  let ports: Record<string, string>;
  let first: Running;
  let shared: string;
  let own: string;
  beforeAll(async () => {
    folder = shared = await createTempFolder();
    ports = { PORT: String(await freePort()), MQTT_PORT: String(await freePort()) };
    first = await serving({ ...ports, AI_KEY: 'hunter2', DATADIR: '/x', MQTT_WS_URL: 'wss://broker.example/ws' });
  });
  beforeEach(() => {
    own = folder;
    folder = shared;
  });
  afterEach(() => {
    folder = own;
  });
  afterAll(() => {
    first?.child.kill('SIGKILL');
    rmSync(shared, { recursive: true, force: true });
  });

  it('warns once about misspelled settings', () => {
    expect(first.output().split('DATADIR is not a setting. Did you mean DATA_DIR?')).toHaveLength(2);
    expect(first.output()).not.toContain('hunter2');
  });

  it('does not log the sign-in with which doctor recognizes its broker', async () => {
    const doctor = await finished(['doctor'], ports);
    expect(doctor.output).toContain(`ok    broker: Port ${ports.MQTT_PORT} is served by this server's message broker.`);
    expect(doctor.output).toContain(`ok    port: Port ${ports.PORT} is served by this server.`);
    const guest = { username: 'guest', password: 'guest' };
    await expect(MqttTestClient.connect(`mqtt://127.0.0.1:${ports.MQTT_PORT}`, guest)).rejects.toThrow();
    await expect.poll(() => first.output().split('the message broker refused a client').length).toBe(2);
  });

  it('publishes its own settings, not other commands’', async () => {
    const broker = async () => {
      const config: unknown = await (await fetch(`http://127.0.0.1:${ports.PORT}/api/global_config`)).json();
      return config instanceof Object && 'MQTT_WS' in config ? config.MQTT_WS : undefined;
    };
    expect(await broker()).toBe('wss://broker.example/ws');
    expect((await finished(['user', 'list'], { MQTT_WS_URL: 'wss://other.example/ws' })).code).toBe(0);
    expect(await broker()).toBe('wss://broker.example/ws');
  });

  it('keeps its port: another one reports that it is in use', async () => {
    await copyDatabase('other');
    const { code, output } = await finished(['serve'], { PORT: ports.PORT ?? '', DATA_DIR: join(folder, 'other') });
    expect(code).toBe(1);
    expect(output).toContain(
      `PORT: port ${ports.PORT} is in use by another program. Stop that program, or set PORT to another port.`,
    );
  });

  it('keeps its folder, but not after it was killed; SIGINT stops the next one, too', async () => {
    expect(await finished(['serve'])).toEqual({
      code: 1,
      output: `The data folder ${join(folder, 'data')} is in use by process ${first.child.pid}. Stop that server first, or set another DATA_DIR.\n`,
    });
    first.child.kill('SIGKILL');
    await first.code;
    const second = await serving();
    second.child.kill('SIGINT');
    expect(await second.code).toBe(0);
    expect(readFileSync(join(folder, 'data/serve.lock'), 'utf8')).toBe('');
  });
});

describe('serve', () => {
  it('reports that HOST is not an address of this machine', async () => {
    await copyDatabase('data');
    const { code, output } = await finished(['serve'], { PORT: '0', HOST: '203.0.113.9' });
    expect(code).toBe(1);
    expect(output).toContain('HOST: 203.0.113.9 is not an address of this machine.');
  });

  it('names the setting when the data folder or the database cannot be used, without secrets', async () => {
    writeFileSync(join(folder, 'data'), '');
    expect(await finished(['serve'])).toEqual({
      code: 1,
      output: `DATA_DIR: ${join(folder, 'data')} is not a folder. Set DATA_DIR to another path.\n`,
    });
    const port = await freePort();
    expect(
      await finished(['serve'], {
        DATA_DIR: join(folder, 'other'),
        DATABASE_URL: `postgres://potager:hunter2@127.0.0.1:${port}/potager`,
      }),
    ).toEqual({
      code: 1,
      output: `DATABASE_URL: PostgreSQL at 127.0.0.1:${port} does not respond (ECONNREFUSED). Start it, or correct the URL.\n`,
    });
  });

  it('prints sentences with LOG_FORMAT=text, that few files may be open, and the link of a mail whole on a line', async () => {
    const port = await freePort();
    const settings = { PORT: String(port), LOG_FORMAT: 'text', EMAIL_VERIFICATION: 'required', DATADIR: '/x' };
    const { child, output, code } = potager(['serve'], settings, '', ['sh', '-c', 'ulimit -n 2000; exec "$0" "$@"']);
    await vi.waitFor(() => expect(output()).toContain('Press Ctrl+C to stop the server.\n'), waitTime);
    expect(output()).toContain(`  Browser  http://127.0.0.1:${port}\n`);
    expect(output()).toContain(`  Data     ${join(folder, 'data')}\n`);
    expect(output()).toMatch(/ {2}Warning: DATADIR is not a setting\. Did you mean DATA_DIR\?\n/);
    expect(output()).toMatch(/Warning: At most 1900 robots and browsers can be connected, .* set LimitNOFILE=524288/);
    expect(output()).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}Created the database\.$/m);
    const body = JSON.stringify({
      name: 'Ada',
      email: 'ada@example.com',
      password: 'a rake in the shed',
      password_confirmation: 'a rake in the shed',
    });
    expect((await fetch(`http://127.0.0.1:${port}/api/users`, { method: 'POST', body })).status).toBe(200);
    await vi.waitFor(
      () => expect(output()).toMatch(new RegExp(`^ {2}http://127\\.0\\.0\\.1:${port}/verify/[\\w-]+$`, 'm')),
      waitTime,
    );
    expect(output()).toContain('  An account was created (user 1, device 1).\n');
    child.kill('SIGTERM');
    expect(await code).toBe(0);
    expect(output()).toMatch(/Stopping\.\n.* {2}Stopped\.\n$/);
    expect(output()).not.toContain('{');
  });

  it('exits at a second signal, except when npm repeats the first', async () => {
    const { child, code, port } = await serving();
    const socket = await openRequest(port);
    const stopping = logged(child, '"stopping"');
    child.kill('SIGINT');
    await stopping;
    child.kill('SIGINT');
    await sleep(500);
    expect(child.exitCode).toBe(null);
    child.kill('SIGINT');
    // A stop that ends by itself exits with 0.
    expect(await code).toBe(130);
    socket.destroy();
  });

  it('waits for clients, but not forever', async () => {
    const { child, code, output, port } = await serving();
    const socket = await openRequest(port);
    const stopping = logged(child, '"stopping"');
    child.kill('SIGTERM');
    await stopping;
    await sleep(500);
    expect(child.exitCode).toBe(null);
    // A stop that times out exits with 1.
    expect(await code).toBe(0);
    expect(output()).toContain('"stopped"');
    socket.destroy();
  });
});

/** Opens a request whose body never ends, which the server has begun to read. */
async function openRequest(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write('POST /api/users HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n');
  const [response] = await once(socket, 'data');
  expect(String(response)).toContain('100 Continue');
  socket.write('{');
  return socket;
}

/** Resolves when the process logs a text. */
const logged = (child: ChildProcess, text: string): Promise<void> =>
  new Promise((resolve) => child.stdout?.on('data', (part: Buffer) => part.includes(text) && resolve()));
