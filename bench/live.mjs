// Measures the message broker of the built server: connections, announcements, logs of robots, and losses by a kill -9.
//   npm run bench:live           the built-in broker, and RabbitMQ where rabbitmq-server is installed (unless RABBITMQ=off)
// DEVICES (1000 robots, each with a garden), RATE (100 changes per second), SECONDS (10 per case), ONLY (part of a case's name),
// LIVE_DATA_DIR: a folder that is kept, so that the next run has its accounts. FLAMES: a folder: flame graphs of connects and of
// announcements, which make the figures worse. The robots are in another process.
import { fork, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { drawFlames } from './flame-graph.mjs';
import { quantile } from './load-tools.mjs';
import { drive, freePort, start } from './server-process.mjs';

const devices = Number(process.env.DEVICES ?? 1000);
const rate = Number(process.env.RATE ?? 100);
const seconds = Number(process.env.SECONDS ?? 10);
const { ONLY: only = '', LIVE_DATA_DIR: keptFolder, FLAMES: flames } = process.env;
const root = resolve(import.meta.dirname, '..');
const settings = { EMAIL_VERIFICATION: 'off', RATE_LIMITS: 'off', PASSWORDS: 'cheap' };

/** Starts the process with the robots. */
function startRobots() {
  const child = fork(join(import.meta.dirname, 'mqtt-load.mjs'));
  process.once('exit', () => child.kill('SIGKILL'));
  const waiting = new Map();
  let lastId = 0;
  child.on('message', ({ id, result, error }) => {
    const settle = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) settle?.resolve(result);
    else settle?.reject(new Error(error));
  });
  const call = (name, argument) =>
    new Promise((resolve, reject) => {
      waiting.set(++lastId, { resolve, reject });
      child.send({ id: lastId, name, argument });
    });
  const end = () => {
    child.send({ id: 0, name: 'end' });
    return new Promise((resolve) => child.once('exit', resolve));
  };
  return { call, end };
}

/** Returns the memory of all processes of a program, in MiB. */
function memoryOf(program) {
  let kibibytes = 0;
  for (const id of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      if (readFileSync(`/proc/${id}/comm`, 'utf8').trim() !== program) continue;
      kibibytes += Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${id}/status`, 'utf8'))?.[1] ?? 0);
    } catch {
      // The process has ended.
    }
  }
  return kibibytes / 1024;
}

const baseline = await start('baseline.mjs', {});

/** Returns the CPU time of a constant response, in µs, for comparisons of the figures beside it with another machine. */
const constant = async () => (await drive(baseline.base, { cpuTime: baseline.cpuTime })).cpu;

/** Requests a device every 20 ms, and returns the p99 of the responses, in ms, the number of failures, and the number of requests. */
function watchRequests(base, token) {
  const agent = new Agent({ keepAlive: true });
  const delays = [];
  let failed = 0;
  const ask = () => {
    const began = performance.now();
    get(`${base}/api/device`, { agent, headers: { authorization: token, 'user-agent': 'bench' } }, (response) => {
      if (response.statusCode !== 200) failed++;
      response.resume().on('end', () => delays.push(performance.now() - began));
    }).on('error', () => failed++);
  };
  const timer = setInterval(ask, 20);
  return () => {
    clearInterval(timer);
    return { p99: quantile(delays, 0.99), longest: Math.max(...delays), failed, requests: delays.length };
  };
}

const rows = [];
const note = (broker, what, target, value, digits = 0) => {
  const text = typeof value === 'number' ? value.toFixed(digits) : value;
  console.log(`${broker}: ${what}: ${text}${target === '' ? '' : ` (target ${target})`}`);
  rows.push(`| ${broker} | ${what} | ${text} | ${target} |`);
};

/**
 * Runs the cases with one broker. `brokerMemory` returns the memory of the process with the connections, in MiB; by default of the
 * server without garbage. `restart`: starts the server again on the same ports, after a kill.
 */
async function measure(broker, first, mqttPort, { brokerMemory, restart, accountsFile = '' } = {}) {
  let server = first;
  const robots = startRobots();
  await robots.call('target', { base: server.base, mqttPort });
  const isCase = (name) => name.includes(only);
  const profiled = (name, work) => (flames ? drawFlames(flames, `${broker}, ${name}`, server, work) : work());
  if (existsSync(accountsFile))
    await robots.call('use', JSON.parse(readFileSync(accountsFile, 'utf8')).slice(0, devices));
  const owners = await robots.call('createAccounts', devices);
  if (accountsFile !== '') writeFileSync(accountsFile, JSON.stringify(owners));
  await sleep(3000);

  const usedMemory = () => (brokerMemory ?? server.usedMemory)();
  const atStart = await usedMemory();
  const before = await constant();
  const cpuBefore = server.cpuTime();
  const half = Math.floor(devices / 2);
  const halfTook = await robots.call('connect', { from: 0, to: half, concurrency: 50 });
  const cpuOfHalf = server.cpuTime() - cpuBefore;
  await sleep(3000);
  const atHalf = await usedMemory();
  const cpuAtHalf = server.cpuTime();
  const connectOthers = () => robots.call('connect', { from: half, to: devices, concurrency: 50 });
  const took = halfTook + (await profiled('connects', connectOthers));
  const cpuOfSecondHalf = server.cpuTime() - cpuAtHalf;
  await sleep(3000);
  const atEnd = await usedMemory();
  note(broker, 'robots', '', devices);
  note(broker, 'connect and subscribe, per second of wall time', '', devices / took);
  if (!brokerMemory) {
    note(broker, 'connect and subscribe after the start, server CPU µs each', '', (cpuOfHalf / half) * 1e6);
    note(broker, 'connect and subscribe later, server CPU µs each', '333', (cpuOfSecondHalf / (devices - half)) * 1e6);
    note(broker, 'connect and subscribe later, per second of server CPU', '3000', (devices - half) / cpuOfSecondHalf);
    note(broker, 'beside it, a constant response, CPU µs', '', (before + (await constant())) / 2, 1);
  }
  const perRobot = ((atEnd - atHalf) * 1024) / (devices - half);
  note(broker, 'memory per robot, all, KiB', '', ((atEnd - atStart) * 1024) / devices, 1);
  note(broker, 'memory per robot, second half, KiB', '14', perRobot, 1);
  note(
    broker,
    '100,000 robots, computed from the second half, MiB',
    '',
    atEnd + (perRobot * (100_000 - devices)) / 1024,
  );

  if (isCase('idle') && !brokerMemory) {
    const idleBefore = server.cpuTime();
    await sleep(seconds * 1000);
    note(broker, 'idle robots with pings, % of a core', '', ((server.cpuTime() - idleBefore) / seconds) * 100, 1);
  }
  if (isCase('announcements')) {
    await robots.call('announce', { rate, seconds: 1 });
    const announceBefore = server.cpuTime();
    const { achieved, p50, p99, longest, lost, ownDelay } = await profiled('announcements', () =>
      robots.call('announce', { rate, seconds }),
    );
    const cpu = (server.cpuTime() - announceBefore) / (achieved * seconds);
    note(broker, `changes per second (of ${rate})`, rate, achieved);
    note(broker, 'delay of announcements, p50 ms', '', p50, 1);
    note(broker, 'delay of announcements, p99 ms', '25', p99, 1);
    note(broker, 'delay of announcements, longest ms', '', longest, 1);
    note(broker, 'the process with the robots was late itself, p99 ms', '', ownDelay, 1);
    note(broker, 'announcements lost', '0', lost);
    note(broker, 'a change with its announcement, server CPU µs', '', cpu * 1e6);
    note(broker, 'announcements/s, at most', '', await robots.call('announceMax', seconds));
  }
  if (isCase('deliveries')) note(broker, 'deliveries/s', '30000', await robots.call('deliver', seconds));
  if (isCase('logs')) note(broker, 'logs acknowledged/s', '10000', await robots.call('log', seconds));
  note(broker, 'server, MiB', '', server.memory());

  if (isCase('storm') && restart) {
    const calm = watchRequests(server.base, owners[0].token);
    await sleep(seconds * 1000);
    note(broker, 'before the storm: p99 of HTTP requests, ms', '', calm().p99, 1);
    const killedAt = performance.now();
    await server.kill();
    server = await restart();
    const readyAt = performance.now();
    const cpuReady = server.cpuTime();
    const requests = watchRequests(server.base, owners[0].token);
    await robots.call('untilBack', devices);
    const backAt = performance.now();
    const { p99, longest, failed, requests: count } = requests();
    note(broker, 'storm after kill -9: all are back after, s', '20', (backAt - killedAt) / 1000, 1);
    note(broker, 'storm: of it, until the server answered, s', '', (readyAt - killedAt) / 1000, 1);
    note(broker, 'storm: server CPU µs per robot', '', ((server.cpuTime() - cpuReady) / devices) * 1e6);
    note(broker, 'storm: p99 of HTTP requests meanwhile, ms', '250', p99, 1);
    note(broker, `storm: longest of ${count} requests, ms (${failed} failed)`, '', longest, 1);
  }
  await robots.end();
  return server;
}

console.log(
  `${cpus()[0]?.model}, ${cpus().length} cores, Node ${process.version}, ${devices} robots, ${seconds} s each, SQLite, load ${loadavg()[0].toFixed(1)}\n`,
);
const folder = keptFolder ?? mkdtempSync(join(tmpdir(), 'potager-bench-'));
const [port, mqttPort] = [await freePort(), await freePort()];
const environment = { ...settings, DATA_DIR: folder, PORT: String(port), MQTT_PORT: String(mqttPort) };
const restart = () => start('server.mjs', environment);
const accountsFile = keptFolder ? join(folder, 'robots-of-the-bench.json') : '';
const embedded = await measure('built-in', await restart(), mqttPort, { restart, accountsFile });
await embedded.stop();
if (!keptFolder) rmSync(folder, { recursive: true, force: true });

if (process.env.RABBITMQ !== 'off' && existsSync('/usr/lib/rabbitmq')) {
  // The tests' TypeScript code that starts RabbitMQ is compiled for this run.
  const output = join(root, 'dist', 'bench');
  const { status } = spawnSync(
    process.execPath,
    [
      join(root, 'scripts/node_modules/typescript/bin/tsc'),
      ...['--ignoreConfig', '--target', 'es2023', '--module', 'nodenext', '--skipLibCheck', '--types', 'node'],
      ...['--rewriteRelativeImportExtensions', '--erasableSyntaxOnly', '--outDir', output, '--rootDir', root],
      join(root, 'test/support/rabbitmq.ts'),
    ],
    { stdio: 'inherit' },
  );
  if (status !== 0) throw new Error('test/support/rabbitmq.ts could not be compiled');
  const { RabbitMq } = await import(join(output, 'test/support/rabbitmq.js'));
  const httpPort = await freePort();
  const rabbit = await RabbitMq.prepare(`http://127.0.0.1:${httpPort}`);
  const dataDir = mkdtempSync(join(tmpdir(), 'potager-bench-'));
  const server = await start('server.mjs', {
    ...settings,
    ...rabbit.settings,
    DATA_DIR: dataDir,
    PORT: String(httpPort),
  });
  await rabbit.start();
  await measure('RabbitMQ', server, Number(new URL(rabbit.mqttUrl).port), { brokerMemory: () => memoryOf('beam.smp') });
  await server.stop();
  await rabbit.stop();
  rmSync(dataDir, { recursive: true, force: true });
  rmSync(output, { recursive: true, force: true });
}
await baseline.stop();
console.log(`\n| broker | | | target |\n|---|---|---:|---:|\n${rows.join('\n')}`);
