// Uses the installed command `potager` as a new user would, in the current folder: `node walk-release.mjs potager-VERSION`.
// Exits with 1 at the first answer that is not as expected. Prints how long commands and the start take.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { resolve } from 'node:path';

const version = process.argv[2].replace('potager-', '');
const account = { name: 'Ada', email: 'ada@example.com', password: 'password123' };

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return String(port);
}

const settings = { HOST: '127.0.0.1', PORT: await freePort(), MQTT_PORT: await freePort(), DATA_DIR: resolve('data') };
const base = `http://127.0.0.1:${settings.PORT}`;
const environment = (more) => ({ PATH: process.env.PATH, HOME: process.env.HOME, ...settings, ...more });

/** Runs a command and returns its output, which must match; its exit code must be 0. */
function potager(args, pattern, more = {}) {
  const began = performance.now();
  const { status, stdout, stderr } = spawnSync('potager', args, { env: environment(more), encoding: 'utf8' });
  console.log(`potager ${args.join(' ')}: ${Math.round(performance.now() - began)} ms`);
  assert.deepEqual([status, stderr], [0, ''], `potager ${args.join(' ')}\n${stdout}`);
  assert.match(stdout, pattern);
}

async function start(more = {}) {
  const child = spawn('potager', ['serve'], { env: environment(more), stdio: ['ignore', 'pipe', 'inherit'] });
  process.once('exit', () => child.kill('SIGKILL'));
  let output = '';
  const closed = once(child, 'close');
  child.stdout.setEncoding('utf8');
  for await (const text of child.stdout.iterator({ destroyOnReturn: false })) {
    output += text;
    if (output.includes('ready;')) break;
  }
  assert.match(output, /ready;/);
  child.stdout.resume();
  // User and system time in ticks of 10 ms.
  const ticks = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1].split(' ').slice(11, 13);
  console.log(`ready after ${(Number(ticks[0]) + Number(ticks[1])) * 10} ms of CPU time`);
  return async () => {
    child.kill('SIGTERM');
    assert.deepEqual(await closed, [0, null], output);
  };
}

async function request(method, path, body, token = '') {
  const headers = { 'Content-Type': 'application/json', ...(token && { Authorization: token }) };
  const response = await fetch(base + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  assert.equal(response.status, 200, `${method} ${path}`);
  return response.json();
}

const signIn = async () => (await request('POST', '/api/tokens', { user: account })).token.encoded;

potager(['--version'], new RegExp(`^${version.replaceAll('.', '\\.')}\n$`));
potager(['update', '--check'], /There is no database/);
assert.ok(!existsSync('data'));
let stop = await start();
const registration = { ...account, password_confirmation: account.password, agree_to_terms: true };
await request('POST', '/api/users', registration);
const token = await signIn();
await request('POST', '/api/tools', { name: 'Trowel' }, token);
const page = await fetch(base, { headers: { Accept: 'text/html' } });
assert.match(await page.text(), /<html/);
potager(['user', 'list'], /ada@example\.com/);
potager(['doctor'], /^ok {4}native modules/m);
potager(['backup', 'garden.tar'], /^Backed up/);
await stop();
potager(['update', '--check'], /The database is up to date/);

const restored = { DATA_DIR: resolve('restored') };
potager(['restore', 'garden.tar'], /^Restored/, restored);
stop = await start(restored);
const tools = await request('GET', '/api/tools', undefined, await signIn());
assert.deepEqual(
  tools.map(({ name }) => name),
  ['Trowel'],
);
await stop();
console.log(`Potager ${version} works on Node ${process.versions.node}.`);
