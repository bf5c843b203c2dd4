// Starts server processes and measures them.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import autocannon from 'autocannon';

export const seconds = Number(process.env.SECONDS ?? 5);
export const connections = Number(process.env.CONNECTIONS ?? 32);
const here = import.meta.dirname;
/** The options of Node.js with which `npm start` runs the server. */
const startFlags = readFileSync(join(here, '../package.json'), 'utf8').match(/(?<="start": "[^"]*)--[\w-]+=\d+/g) ?? [];

export const freePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

/**
 * Starts a server process, with `prefix` before the command of Node.js, and waits until it responds. Returns its URL, the time
 * until then in ms, functions that return its resident memory, heap in use, peak and file pages in MiB and its CPU time in s, and others.
 */
export async function start(script, environment, prefix = []) {
  const port = environment.PORT ?? (await freePort());
  const began = performance.now();
  const flags = script === 'server.mjs' ? startFlags : [];
  const [command, ...args] = [...prefix, process.execPath, ...flags, join(here, script)];
  const child = spawn(command, args, {
    env: {
      PATH: process.env.PATH,
      PORT: String(port),
      HOST: '127.0.0.1',
      MQTT_PORT: '0',
      LOG_LEVEL: 'error',
      ...environment,
    },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  // A bench that fails leaves no server behind.
  process.once('exit', () => child.kill('SIGKILL'));
  const base = `http://127.0.0.1:${port}`;
  for (;;) {
    if (child.exitCode !== null) throw new Error(`${script} ended`);
    const response = await fetch(`${base}/`).catch(() => null);
    if (response) break;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  const ready = performance.now() - began;
  const status = (key) =>
    Number(new RegExp(`${key}:\\s+(\\d+)`).exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  const memory = () => status('VmRSS');
  const peakMemory = () => status('VmHWM');
  /** Its pages of files, programs and libraries, in MiB: the system shares them between processes. */
  const filePages = () => status('RssFile');
  // Fields 14 and 15 of the file are the times in user and system mode, in hundredths of a second.
  const cpuTime = () => {
    const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1].split(' ');
    return (Number(fields[11]) + Number(fields[12])) / 100;
  };
  /** Requests a figure from bench/server.mjs. */
  const ask = (name) =>
    new Promise((resolve) => {
      child.once('message', resolve);
      child.send(name);
    });
  const usedMemory = () => ask('memory');
  const stop = () =>
    new Promise((resolve) => {
      child.once('exit', resolve);
      child.kill('SIGTERM');
    });
  /** Kills it with SIGKILL, as a power cut would. */
  const kill = () =>
    new Promise((resolve) => {
      child.once('exit', resolve);
      child.kill('SIGKILL');
    });
  return { base, ready, memory, peakMemory, filePages, usedMemory, ask, cpuTime, stop, kill };
}

export async function json(base, method, path, token, body) {
  const response = await fetch(base + path, {
    method,
    headers: { 'content-type': 'application/json', 'user-agent': 'bench', ...(token && { authorization: token }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return text ? JSON.parse(text) : null;
}

/** Returns requests per second, p99 latency, and the CPU time per response in µs, if `cpuTime` returns the server's CPU time. Throws when a request fails. */
export async function drive(url, { cpuTime = () => Number.NaN, ...options } = {}) {
  const run = (duration) =>
    new Promise((resolve, reject) => {
      autocannon({ url, connections, duration, ...options }, (error, result) =>
        error ? reject(error) : resolve(result),
      );
    });
  await run(1);
  const before = cpuTime();
  const result = await run(seconds);
  const cpu = ((cpuTime() - before) / result.requests.total) * 1_000_000;
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${url}: ${result.non2xx} failed, ${result.errors} errors`);
  return { perSecond: result.requests.average, p99: result.latency.p99, cpu };
}
