// Measures the requests of a user beside virtual robots whose scripts are all busy, in turn with the same requests beside idle robots.
//   npm run bench:virtual-robots
// ROBOTS (16), ROUNDS (5), SECONDS (5 per part of a round)
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { signUp } from './gardens.mjs';
import { each, quantile } from './load-tools.mjs';
import { freePort, json, start } from './server-process.mjs';

const robots = Number(process.env.ROBOTS ?? 16);
const rounds = Number(process.env.ROUNDS ?? 5);
const seconds = Number(process.env.SECONDS ?? 5);
/** The maximum ratio of the medians with busy and with idle robots. */
const target = 2;

/** The scripts that the robots run. */
const scripts = {
  compute: 'while true do\nend',
  'compute inside a function of the library': '(("a"):rep(40)):find(("a*"):rep(20) .. "b")',
  'call functions of the robot': 'while true do\nget_position()\nend',
};

const folder = mkdtempSync(join(tmpdir(), 'potager-bench-'));
const server = await start('server.mjs', {
  DATA_DIR: folder,
  MQTT_PORT: String(await freePort()),
  EMAIL_VERIFICATION: 'off',
  RATE_LIMITS: 'off',
  PASSWORDS: 'cheap',
});
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
const user = await signUp(server.base);
const headers = { authorization: user.token, 'user-agent': 'bench' };

/** Requests the device every 5 ms for some seconds. Returns the times of the responses in ms, and the share of a core that the server used in %. */
async function watch() {
  const times = [];
  const cpuBefore = server.cpuTime();
  const began = performance.now();
  while (performance.now() - began < seconds * 1000) {
    const sent = performance.now();
    await new Promise((resolve, reject) => {
      get(`${server.base}/api/device`, { agent, headers }, (response) => {
        if (response.statusCode !== 200) reject(new Error(`/api/device: ${response.statusCode}`));
        response.resume().on('end', resolve);
      }).on('error', reject);
    });
    times.push(performance.now() - sent);
    await sleep(5);
  }
  return { times, core: (100_000 * (server.cpuTime() - cpuBefore)) / (performance.now() - began) };
}

const median = (values) => quantile(values, 0.5);
const memoryBefore = server.memory();
const gardeners = await Promise.all(Array.from({ length: robots }, () => signUp(server.base)));
await each(gardeners, 4, ({ token }) => json(server.base, 'PUT', '/api/virtual_robot', token, { running: true }));
// Compiled by now.
await watch();
console.log(`${cpus()[0]?.model}, ${cpus().length} cores, Node ${process.version}, ${robots} virtual robots, SQLite\n`);
console.log(`memory: ${memoryBefore.toFixed(0)} MiB, with idle robots ${server.memory().toFixed(0)} MiB\n`);
console.log(
  '| all scripts | p50 ms, idle | p50 ms, busy | ratio of each round | median ratio | target | p99 ms, busy | % of a core | MiB |',
);
console.log('| --- | ---: | ---: | --- | ---: | ---: | ---: | ---: | ---: |');

const command = (token, step, wait) =>
  json(server.base, 'POST', '/api/commands', token, { program: { kind: 'rpc_request', args: {}, body: [step] }, wait });

for (const [name, lua] of Object.entries(scripts)) {
  const results = [];
  let memory = 0;
  for (let round = 0; round < rounds; round++) {
    const idle = await watch();
    // As long as this part takes, scripts that ended run again.
    let isBusy = true;
    const keepBusy = async ({ token }) => {
      while (isBusy) await command(token, { kind: 'lua', args: { lua } }, 60);
    };
    const work = Promise.all(gardeners.map(keepBusy));
    await sleep(500);
    const busy = await watch();
    memory = Math.max(memory, server.memory());
    isBusy = false;
    for (const { token } of gardeners) await json(server.base, 'POST', '/api/robot/emergency_stop', token);
    await work;
    for (const { token } of gardeners) await command(token, { kind: 'emergency_unlock', args: {} }, 60);
    results.push({
      idle: median(idle.times),
      busy: median(busy.times),
      p99: quantile(busy.times, 0.99),
      core: busy.core,
    });
  }
  const of = (pick, digits = 2) => median(results.map(pick)).toFixed(digits);
  const ratios = results.map(({ idle, busy }) => (busy / idle).toFixed(2)).join(', ');
  console.log(
    `| ${name} | ${of(({ idle }) => idle)} | ${of(({ busy }) => busy)} | ${ratios} | ${of(({ idle, busy }) => busy / idle)} | ${target} | ${of(({ p99 }) => p99, 1)} | ${of(({ core }) => core, 0)} | ${memory.toFixed(0)} |`,
  );
}
agent.destroy();
await server.stop();
rmSync(folder, { recursive: true, force: true });
