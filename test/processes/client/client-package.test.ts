import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { VirtualRobot } from '../../../src/robot/virtual-robot.ts';
import { signUp } from '../../support/accounts.ts';
import { startCuttableProxy } from '../../support/cuttable-proxy.ts';
import { type Json, textAt } from '../../support/json.ts';
import { codeBlocks, scriptsIn, shellBlocks, Terminal } from '../../support/pasted-blocks.ts';
import { anyPort, sharedServer } from '../../support/servers.ts';

const root = resolve(import.meta.dirname, '../../..');
const modules = join(root, 'node_modules');
const { ts }: typeof import('../../../scripts/node_modules/@ts-morph/common/lib/ts-morph-common.js') = createRequire(
  join(root, 'scripts/package.json'),
)('@ts-morph/common');
const folder = mkdtempSync(join(tmpdir(), 'potager-client-'));
const installed = join(folder, 'node_modules/potager-client');
const example = join(folder, 'example.ts');
const run = async (command: string, args: readonly string[]): Promise<string> =>
  (await promisify(execFile)(command, args, { cwd: folder })).stdout;

/** The parts of the package for its tests, which is not compiled yet when they are. */
interface Client {
  session(options: object): { fetch(request: Request): Promise<Response> };
  signIn(options: object): Promise<{ token(): Promise<string> }>;
  // biome-ignore lint/suspicious/noExplicitAny: tests access events of any shape
  stream(session: object, method: string, path: string, request: object): AsyncGenerator<any>;
}
interface Topics {
  topics: {
    channel(deviceId: number, channel: string): string;
    sync(deviceId: number, resource: string, id: number): string;
    syncFilter(deviceId: number, resource?: string): string;
    filter(deviceId: number): string;
  };
  parseMessage(topic: string, payload: Uint8Array | string): unknown;
  command(label: string, steps: readonly object[]): string;
}
let client: Client;
let messages: Topics;

beforeAll(async () => {
  const printed = await run(process.execPath, [join(root, 'scripts/client.mjs'), folder]);
  const file = printed.trim().split('\n').at(-1) ?? '';
  await run('tar', ['xzf', file]);
  mkdirSync(join(folder, 'node_modules/@types'), { recursive: true });
  cpSync(join(folder, 'package'), installed, { recursive: true });
  for (const name of ['openapi-fetch', 'openapi-typescript-helpers', 'mqtt', '@types/node', 'undici-types'])
    symlinkSync(join(modules, name), join(folder, 'node_modules', name));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  // The same lines are JavaScript and TypeScript.
  cpSync(join(installed, 'example.mjs'), example);
  client = await import(pathToFileURL(join(installed, 'client/src/client.js')).href);
  messages = await import(pathToFileURL(join(installed, 'client/src/topics.js')).href);
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Answers requests on a free port, until the test ends. */
async function serve(listener: RequestListener, test: (server: string) => Promise<void>): Promise<void> {
  const http = createServer(listener);
  await new Promise<void>((done) => http.listen(0, '127.0.0.1', done));
  try {
    await test(`http://127.0.0.1:${(http.address() as AddressInfo).port}`);
  } finally {
    http.closeAllConnections();
    http.close();
  }
}

describe('the package potager-client', () => {
  it('contains the names of its declarations, and no `any` in public types', () => {
    const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    expect([manifest.name, manifest.version, manifest.type]).toEqual(['potager-client', version, 'module']);
    expect(Object.keys(manifest.dependencies)).toEqual(['openapi-fetch']);
    const files = readdirSync(installed, { recursive: true, encoding: 'utf8' });
    for (const entry of Object.values<Record<string, string>>(manifest.exports))
      for (const path of Object.values(entry)) expect(files).toContain(path.slice(2));
    const declarations = files.filter((file) => file.endsWith('.d.ts'));
    expect(declarations.length).toBeGreaterThan(5);
    for (const file of declarations) {
      const code = readFileSync(join(installed, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|"[^"]*"/g, '');
      expect(code.match(/.*\bany\b.*/g), file).toBeNull();
    }
  });

  it('has the same bytes each time', async () => {
    const again = mkdtempSync(join(tmpdir(), 'potager-client-again-'));
    const [packed = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
    await run('npm', ['pack', '--silent', '--pack-destination', again, installed]);
    expect(readFileSync(join(again, packed)).equals(readFileSync(join(folder, packed)))).toBe(true);
    rmSync(again, { recursive: true });
  });

  it('contains the example in its README', () => {
    expect(readFileSync(join(installed, 'README.md'), 'utf8')).toContain(readFileSync(example, 'utf8'));
  });
});

describe('the example', () => {
  const options = { strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false } as const;
  const server = sharedServer('sqlite', { RATE_LIMITS: 'off', MQTT_PORT: anyPort });

  /** The first lines of TypeScript 5's reports, by file. */
  function problemsOf(files: readonly string[]): string[] {
    const native = `@typescript/typescript-${process.platform}-${process.arch}/package.json`;
    const settings = {
      ...options,
      skipLibCheck: true,
      noEmit: true,
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.NodeNext,
    };
    const host = ts.createCompilerHost(settings);
    // The copy of TypeScript 5 contains no declarations of the language's own.
    const libraries = join(
      createRequire(join(root, 'scripts/node_modules/typescript/package.json')).resolve(native),
      '../lib',
    );
    host.getDefaultLibLocation = () => libraries;
    host.getDefaultLibFileName = () => join(libraries, 'lib.es2022.full.d.ts');
    host.getCurrentDirectory = () => folder;
    return ts
      .getPreEmitDiagnostics(ts.createProgram(files, settings, host))
      .map(({ file, messageText }) => `${basename(file?.fileName ?? '')}: ${textOf(messageText)}`);
  }
  const textOf = (message: Parameters<typeof ts.flattenDiagnosticMessageText>[0]): string =>
    ts.flattenDiagnosticMessageText(message, '\n').split('\n')[0] ?? '';

  /** Of all programs together: most of the time is spent on declarations that they share. */
  let problems: readonly string[];
  beforeAll(() => {
    problems = problemsOf([example, writeWrong(), ...writeTyped()]);
  });

  /** Writes the example with wrong arguments. */
  function writeWrong(): string {
    const wrong = join(folder, 'wrong.ts');
    let source = readFileSync(example, 'utf8');
    for (const [right, changed] of [
      ["pointer_type: 'Plant'", "pointer_type: 'Tree'"],
      ["'/api/sensors'", "'/api/sensor'"],
      // A resource whose changes are in event streams only.
      ["topics.syncFilter(deviceId, 'Point')", "topics.syncFilter(deviceId, 'WebAppConfig')"],
      ['message.body?.name', 'message.body?.title'],
    ] as const) {
      expect(source).toContain(right);
      source = source.replace(right, changed);
    }
    writeFileSync(wrong, source);
    return wrong;
  }

  /** Writes a program with the types of events and answers, the same with wrong names, and the examples of the README. */
  function writeTyped(): readonly string[] {
    const head = `import { createApi, dataOf, session, stream } from 'potager-client';
import type { webhooks } from 'potager-client/api';
type Delivery = webhooks['recordChanged']['post']['requestBody']['content']['application/json'];
const own = session({ server: 'http://localhost:3000', token: '' });
const api = createApi(own);
const search = { params: { query: { source: 'sensor_reading', pin: 59 } } } as const;
export async function follow(delivery: Delivery): Promise<void> {
  for await (const event of stream(own, 'get', '/api/events', { query: { live: 'status' } })) {
`;
    const right = `    if (event.event === 'Tool') console.log(event.data.record?.flow_rate_ml_per_s.toFixed(), event.data.action);
    if (event.event === 'status') console.log(event.data.location_data?.position?.x?.toFixed());
    if (event.event === 'status') console.log(event.data.running?.[0]?.sequence_id.toFixed());
  }
  const { buckets, places } = await dataOf(api.GET('/api/series', search));
  console.log(buckets[0]?.avg?.toFixed(), places?.[0]?.x);
  const csv: string = await dataOf(api.GET('/api/series', { ...search, parseAs: 'text' }));
  const archive: Blob = await dataOf(api.POST('/api/export_data', { body: {}, parseAs: 'blob' }));
  const exported = await dataOf(api.POST('/api/export_data', { body: {} }));
  console.log(csv, archive, exported?.tools?.[0]?.name);
  if (delivery.data.resource === 'Sequence') console.log(delivery.data.record?.color);
}
`;
    const ofReadme = readFileSync(join(installed, 'README.md'), 'utf8')
      .split('```')
      .filter((block) => /^ts\n(const garden|const csv|for await \(const \{ event)/.test(block))
      .map((block) => block.replace('ts\n', ''));
    expect(ofReadme).toHaveLength(3);
    const readme = join(folder, 'readme.ts');
    const before = "import { createApi, dataOf, session, stream } from 'potager-client';";
    writeFileSync(readme, `${before}\n${ofReadme.join('')}console.log(csv, archive);`);
    const changed = right
      .replace("'Tool'", "'Tools'")
      .replace('location_data?.position', 'location_data?.place')
      .replace('buckets[0]?.avg', 'buckets[0]?.mean')
      .replace('record?.color', 'record?.colour');
    const [good, bad] = [join(folder, 'typed.ts'), join(folder, 'mistyped.ts')];
    writeFileSync(good, head + right);
    writeFileSync(bad, head + changed);
    return [good, bad, readme];
  }

  it('compiles with TypeScript 5, and with an error where an argument is wrong', () => {
    expect(problems.filter((problem) => !/^(?:wrong|mistyped)\.ts: /.test(problem))).toEqual([]);
    for (const word of ['"Tree"\' is not assignable to', '"/api/sensor"', '\'"WebAppConfig"\'', "'title'"])
      expect(problems).toContainEqual(expect.stringContaining(word));
  });

  it('has types for events by their names, for JSON beside CSV, and for webhooks', () => {
    for (const word of ['"Tools"', "'mean'", "'colour'"])
      expect(problems).toContainEqual(expect.stringContaining(word));
  });

  it('compiles with TypeScript 7, and runs against a server with a robot', async () => {
    const flags = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
    const target = ['--target', 'es2022', '--module', 'nodenext', '--noEmit'];
    await run(process.execPath, [
      join(root, 'scripts/node_modules/typescript/bin/tsc'),
      ...flags,
      ...target,
      'example.ts',
    ]);
    const { email, password } = await signUp(server, 'ada');
    const robot = new VirtualRobot({
      server: server.base,
      credentials: { email, password },
      webSocket: true,
      speed: 2000,
      log: () => undefined,
    });
    await robot.start();
    cpSync(join(installed, 'example.mjs'), join(folder, 'example.mjs'));
    const output = await run(process.execPath, ['example.mjs', server.base, email, password]);
    await robot.stop();
    const id = /id (\d+)/.exec(output)?.[1];
    expect(output.trim().split('\n')).toEqual([
      `planted Carrot with the id ${id}`,
      `announced: Carrot with the id ${id}`,
      'points: Carrot',
      'the robot answered rpc_ok',
      "refused with 422: { label: 'Label must not be blank.' }",
    ]);
  });
});

describe('in a fresh folder', () => {
  const server = sharedServer('sqlite', { RATE_LIMITS: 'off', MQTT_PORT: anyPort });

  it('is installed by the lines of its README and of the recipe, and their scripts run', async () => {
    const { token } = await signUp(server, 'maker');
    const post = async (path: string, body: Json) => (await server.client.post(path, body, token)).json;
    await post('/api/points', { pointer_type: 'Plant', name: 'Tomato', x: 100, y: 200, z: 0 });
    expect((await server.client.send('PUT', '/api/virtual_robot', { token, body: { running: true } })).status).toBe(
      200,
    );
    const scopes = { name: 'Recipe', scopes: ['read', 'control'] };
    const personal = textAt(await post('/api/personal_tokens', scopes), 'token');
    const home = mkdtempSync(join(tmpdir(), 'potager-home-'));
    const fresh = join(home, 'garden');
    mkdirSync(fresh);
    const registry = (await run('npm', ['config', 'get', 'registry'])).trim();
    const terminal = new Terminal({
      folder: fresh,
      env: {
        PATH: process.env.PATH ?? '',
        HOME: home,
        npm_config_registry: registry,
        API: `${server.base}/api`,
        TOKEN: personal,
      },
    });
    const pasted = (page: string, beginning: string) =>
      terminal.paste(shellBlocks(page).find((block) => block.startsWith(beginning)) ?? expect.unreachable(beginning));
    try {
      for (const file of readdirSync(folder).filter((name) => name.endsWith('.tgz')))
        cpSync(join(folder, file), join(fresh, file));
      for (const page of ['client/README.md', 'docs/recipes.md']) {
        for (const [name, code] of scriptsIn(page, 'js')) writeFileSync(join(fresh, name), code);
        await pasted(page, 'npm init');
      }
      const plants = shellBlocks('client/README.md').find((block) => block.startsWith('node ')) ?? '';
      const own = plants.replace('http://localhost:3000', server.base).replace('pot_…', personal);
      expect(await terminal.paste(own)).toBe('Tomato at 100, 200\n');
      writeFileSync(join(fresh, 'environment'), `export API=${server.base}/api TOKEN=${personal}\n`);
      const [, line] = codeBlocks('docs/recipes.md', 'text').join('').split('30 19 * * * ');
      await terminal.paste(`env -i HOME=$HOME PATH=${dirname(process.execPath)}:/usr/bin:/bin sh -c '${line?.trim()}'`);
      expect(readFileSync(join(fresh, 'evening.log'), 'utf8')).toMatch(/^pictures\//);
      expect(await pasted('docs/recipes.md', 'node evening.mjs')).toMatch(/^pictures\/\d{4}-\d\d-\d\d\.jpg\n$/);
      const [picture = ''] = readdirSync(join(fresh, 'pictures'));
      const bytes = readFileSync(join(fresh, 'pictures', picture));
      // What it is instead, if it is no picture.
      expect(bytes.subarray(0, 100).toString('latin1')).toMatch(/^\xff\xd8\xff/);
      expect(await sharp(bytes).metadata()).toMatchObject({ format: 'jpeg', width: 640 });
    } finally {
      await terminal.close();
      rmSync(home, { recursive: true });
    }
  });
});

describe('topics', () => {
  it('are built as the server publishes them', () => {
    const { topics } = messages;
    expect(topics.channel(5, 'status')).toBe('bot/device_5/status');
    expect(topics.sync(5, 'Point', 7)).toBe('bot/device_5/sync/Point/7');
    expect(topics.syncFilter(5)).toBe('bot/device_5/sync/#');
    expect(topics.syncFilter(5, 'Point')).toBe('bot/device_5/sync/Point/+');
    expect(topics.filter(5)).toBe('bot/device_5/#');
  });

  it('are parsed with their messages', () => {
    const { parseMessage, command } = messages;
    const deleted = '{"args":{"label":"a"},"body":null}';
    expect(parseMessage('bot/device_5/sync/Point/7', new TextEncoder().encode(deleted))).toEqual({
      channel: 'sync',
      deviceId: 5,
      resource: 'Point',
      id: 7,
      label: 'a',
      body: null,
    });
    const request = command('b', [{ kind: 'sync', args: {} }]);
    expect(parseMessage('bot/device_5/from_clients', request)).toMatchObject({
      channel: 'from_clients',
      body: { kind: 'rpc_request', args: { label: 'b', priority: 600 }, body: [{ kind: 'sync', args: {} }] },
    });
    expect(parseMessage('bot/device_5/logs', '{"message":"Hello"}')).toMatchObject({ body: { message: 'Hello' } });
    expect(parseMessage('bot/device_5/ping/1', '1')).toEqual({
      channel: 'ping',
      deviceId: 5,
      levels: ['1'],
      body: 1,
    });
    expect(parseMessage('bot/device_5/terminal_output', 'not JSON')).toMatchObject({ body: 'not JSON' });
    for (const [topic, payload] of [
      ['bot/device_5/sync/Point/x', deleted],
      ['bot/device_5/sync/Point', deleted],
      ['bot/device_5/sync/Point/7', 'not JSON'],
      ['bot/device_5/from_device', '1'],
      ['bot/device_5/logs', 'null'],
      ['bot/device_x/logs', '{"message":"Hello"}'],
      ['bot/device_5/other', '1'],
      ['public_broadcast', '1'],
    ] as const)
      expect([topic, parseMessage(topic, payload)]).toEqual([topic, null]);
  });
});

describe('a session', () => {
  it('signs in again before its token ends, once for requests at the same time', async () => {
    let signIns = 0;
    const lifetime = 1000;
    await serve(
      (_request, response) => {
        signIns += 1;
        // The first token has almost ended.
        const exp = Date.now() / 1000 + (signIns === 1 ? 10 : lifetime);
        const unencoded = { iat: exp - lifetime, exp };
        response.end(JSON.stringify({ token: { encoded: `token ${signIns}`, unencoded }, user: {} }));
      },
      async (server) => {
        const session = await client.signIn({ server, email: 'ada@example.com', password: 'a password' });
        expect(signIns).toBe(1);
        expect(await Promise.all([session.token(), session.token()])).toEqual(['token 2', 'token 2']);
        expect(await session.token()).toBe('token 2');
      },
    );
  });

  it('sends its token to its server only', async () => {
    const seen: (string | undefined)[] = [];
    const answer: RequestListener = (request, response) => {
      seen.push(request.headers.authorization);
      response.end();
    };
    await serve(answer, (server) =>
      serve(answer, async (bucket) => {
        const session = client.session({ server, token: 'mine' });
        await session.fetch(new Request(`${bucket}/photo.jpg`));
        await session.fetch(new Request(`${server}/photo.jpg`));
        expect(seen).toEqual([undefined, 'Bearer mine']);
      }),
    );
  });

  it('repeats requests as the server asks, but no change that may have been made', async () => {
    const requests: string[] = [];
    await serve(
      (request, response) => {
        requests.push(`${request.method} ${request.url} ${request.headers.authorization}`);
        const isFirst = requests.filter((each) => each === requests.at(-1)).length === 1;
        response.statusCode = isFirst ? Number(request.url?.slice(1)) : 200;
        response.setHeader('retry-after', '0');
        response.end();
      },
      async (server) => {
        const session = client.session({ server, token: 'mine' });
        const statusOf = async (method: string, path: string) =>
          (await session.fetch(new Request(`${server}${path}`, { method }))).status;
        expect(await statusOf('POST', '/429')).toBe(200);
        expect(await statusOf('GET', '/503')).toBe(200);
        expect(await statusOf('POST', '/503')).toBe(503);
        expect(await statusOf('GET', '/500')).toBe(500);
        expect(requests[0]).toBe('POST /429 Bearer mine');
      },
    );
  });
});

describe('a stream', () => {
  it('yields events, and resumes after the last one when the connection was lost', async () => {
    const resumed: (string | undefined)[] = [];
    await serve(
      (request, response) => {
        const lastId = request.headers['last-event-id'];
        resumed.push(lastId === undefined ? undefined : String(lastId));
        response.setHeader('content-type', 'text/event-stream');
        response.write('retry: 1\n\n');
        if (lastId === undefined)
          response.end(
            ': comment\n\nconstructor: unknown\nid: 1\r\nevent: change\r\ndata: {"a":\r\ndata: 1}\r\n\r\nid: 2\nda',
          );
        else response.end(`id: ${Number(lastId) + 1}\ndata: 2\n\n`);
      },
      async (server) => {
        const ended = new AbortController();
        const removed = vi.spyOn(ended.signal, 'removeEventListener');
        const session = client.session({ server, token: 'mine' });
        const events = client.stream(session, 'get', '/api/later', { signal: ended.signal });
        expect((await events.next()).value).toEqual({ event: 'change', id: '1', data: { a: 1 } });
        expect((await events.next()).value).toEqual({ event: 'message', id: '2', data: 2 });
        expect((await events.next()).value).toEqual({ event: 'message', id: '3', data: 2 });
        expect(resumed).toEqual([undefined, '1', '2']);
        // Each pause that is over has removed its listener, as requests and responses do at times of their own.
        const ofPauses = removed.mock.calls.filter(
          ([, listener]) => 'name' in listener && listener.name === 'endPause',
        );
        expect(ofPauses).toHaveLength(2);
        ended.abort();
        await expect(events.next()).rejects.toThrow('aborted');
      },
    );
  });

  it('ends with its signal long after its request', async () => {
    await serve(
      (_request, response) => {
        response.setHeader('content-type', 'text/event-stream');
        response.write('data: 1\n\n');
      },
      async (server) => {
        const ended = new AbortController();
        const session = client.session({ server, token: 'mine' });
        const events = client.stream(session, 'get', '/api/later', { signal: ended.signal });
        expect((await events.next()).value).toMatchObject({ data: 1 });
        // The request is garbage by now.
        setFlagsFromString('--expose-gc');
        runInNewContext('gc')();
        const next = events.next();
        ended.abort();
        await expect(next).rejects.toThrow('aborted');
      },
    );
  });

  it('resumes when a proxy does not reach the server, and fails when the token has ended', async () => {
    const statuses = [200, 502, 503, 504, 200, 401];
    const resumed: unknown[] = [];
    await serve(
      (request, response) => {
        resumed.push(request.headers['last-event-id']);
        response.statusCode = statuses.shift() ?? 500;
        response.setHeader('content-type', 'text/event-stream');
        // The second event has no id: a message of the robot.
        const id = statuses.length === 5 ? 'id: 7\n' : '';
        const refusal = '{"error":{"jwt":"No.","strategy":"jwt"}}';
        response.end(response.statusCode === 200 ? `retry: 1\n${id}data: 1\n\n` : refusal);
      },
      async (server) => {
        const events = client.stream(client.session({ server, token: 'mine' }), 'get', '/api/later', {});
        expect((await events.next()).value).toMatchObject({ id: '7' });
        expect((await events.next()).value).toMatchObject({ id: '7' });
        await expect(events.next()).rejects.toMatchObject({ status: 401, message: 'No.' });
        expect(resumed).toEqual([undefined, '7', '7', '7', '7', '7']);
      },
    );
  });

  it('is refused at once for an invalid URL, which is no outage, and without a token', () => {
    const withServer = (server: string) => client.session({ server, token: 'mine' });
    expect(() => client.session({ server: 'http://localhost:3000', token: undefined })).toThrow(
      'session needs a token',
    );
    expect(() => withServer('localhost:3000')).toThrow('server must begin with http:// or https://: localhost:3000');
    const own = { ...withServer('http://localhost:3000'), server: 'localhost' };
    expect(() => client.stream(own, 'get', '/api/events', {})).toThrow('Invalid URL');
  });

  it('yields streamed text as it arrives, and fails as a request does', async () => {
    await serve(
      (request, response) => {
        const isRefused = request.headers.authorization === 'Bearer other';
        response.statusCode = isRefused ? 403 : 200;
        response.write(isRefused ? '{"error":"Not today."}' : 'return ');
        response.end(isRefused ? '' : '1');
      },
      async (server) => {
        const answer = client.stream(client.session({ server, token: 'mine' }), 'post', '/api/ai', { body: {} });
        let text = '';
        for await (const piece of answer) text += piece;
        expect(text).toBe('return 1');
        const refused = client.stream(client.session({ server, token: 'other' }), 'post', '/api/ai', { body: {} });
        await expect(refused.next()).rejects.toMatchObject({ status: 403, message: 'Not today.' });
      },
    );
  });
});

describe('the events of a server', () => {
  const server = sharedServer('sqlite', { RATE_LIMITS: 'off', MQTT_PORT: anyPort });

  it('arrive once and in order through a proxy that cuts', async () => {
    const { token } = await signUp(server, 'eve');
    const send = async (path: string, body: object) => {
      const headers = { authorization: token, 'content-type': 'application/json' };
      const response = await fetch(`${server.base}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
      expect(response.status).toBe(200);
    };
    const proxy = await startCuttableProxy('127.0.0.1', Number(new URL(server.base).port));
    const ended = new AbortController();
    const session = client.session({ server: `http://127.0.0.1:${proxy.port}`, token });
    const query = { resources: 'Tool', live: 'logs' };
    const stream = client.stream(session, 'get', '/api/events', { query, signal: ended.signal });
    const [tools, logs]: [string[], string[]] = [[], []];
    const ids: number[] = [];
    const reading = (async () => {
      for await (const { event, id, data } of stream)
        if (event === 'Tool') {
          ids.push(Number(id));
          tools.push(data.record.name);
        } else if (event === 'logs') logs.push(data.message);
    })();
    const opened = () => proxy.sent.filter((piece) => piece.toString().startsWith('GET /api/events')).length;
    await expect.poll(opened).toBe(1);
    const made: string[] = [];
    const make = async (name: string) => {
      await send('/api/tools', { name });
      made.push(name);
    };
    await make('Before');
    await expect.poll(() => tools).toEqual(made);
    for (let round = 1; round <= 3; round++) {
      // The last event before the cut has no id.
      await send('/api/logs', { message: `Log ${round}` });
      await expect.poll(() => logs).toContain(`Log ${round}`);
      proxy.isDown = true;
      proxy.cut();
      await make(`Away ${round}`);
      proxy.isDown = false;
      await expect.poll(() => tools).toContain(`Away ${round}`);
      // In the middle of events.
      const many = Array.from({ length: 20 }, (_, index) => make(`Tool ${round} ${index}`));
      await many[10];
      proxy.cut();
      await Promise.all(many);
      await expect.poll(() => tools.length).toBe(made.length);
    }
    expect(tools.toSorted()).toEqual(made.toSorted());
    expect(ids).toEqual(ids.toSorted((one, other) => one - other));
    expect(new Set(tools).size).toBe(64);
    expect(opened()).toBeGreaterThanOrEqual(4);
    ended.abort();
    await expect(reading).rejects.toThrow('aborted');
    await proxy.close();
  });
});
