// Measures creating, updating and listing sequences of several lengths, as ratios to a plain Fastify server with a constant response,
// and the checker alone in microseconds per node.
//   npm run bench:programs       SQLite, and PostgreSQL if BENCH_DATABASE_URL is an empty database
// SECONDS (5), CONNECTIONS (32), ONLY (part of a case's name)
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkProgram } from '../dist/checker.js';
import { isNode, sequenceTree } from '../dist/tree.js';
import { setLimits, signUp } from './gardens.mjs';
import { connections, drive, json, seconds, start } from './server-process.mjs';

/** Numbers of steps: common ones, and some above the default limit. */
const lengths = [10, 30, 100, 1000];
const listed = 40;
const targets = { 'change 20 steps': 700, [`list ${listed} of 20 steps`]: 1000 };

const node = (kind, args = {}, body) => ({ kind, args, ...(body && { body }) });
const coordinate = (x) => node('coordinate', { x, y: 2.5, z: 0 });
const where = node('identifier', { label: 'where' });

/** Typical steps with about four nodes each. */
const kinds = (ids) => [
  () => node('move_absolute', { location: where, offset: coordinate(0), speed: 100 }),
  () =>
    node('write_pin', {
      pin_number: node('named_pin', { pin_type: 'Peripheral', pin_id: ids.pump }),
      pin_value: 1,
      pin_mode: 0,
    }),
  (i) => node('wait', { milliseconds: i }),
  () =>
    node('move', {}, [
      node('axis_overwrite', { axis: 'x', axis_operand: node('numeric', { number: 100 }) }),
      node('axis_addition', { axis: 'z', axis_operand: node('lua', { lua: 'return 5' }) }),
      node('safe_z'),
    ]),
  () => node('move_absolute', { location: node('tool', { tool_id: ids.tool }), offset: coordinate(5), speed: 50 }),
  (i) =>
    node('send_message', { message: `Step ${i}: at {{ x }}`, message_type: 'info' }, [
      node('channel', { channel_name: 'toast' }),
    ]),
  () =>
    node('_if', {
      lhs: 'pin13',
      op: '<',
      rhs: 500,
      _then: node('execute', { sequence_id: ids.inner }, [
        node('parameter_application', { label: 'where', data_value: coordinate(9) }),
      ]),
      _else: node('nothing'),
    }),
];

function program(steps, ids, offset = 0) {
  const makers = kinds(ids);
  const locals = node('scope_declaration', {}, [
    node('parameter_declaration', { label: 'where', default_value: coordinate(1) }),
  ]);
  return {
    args: { version: 20180209, locals },
    body: Array.from({ length: steps }, (_, i) => makers[i % makers.length](i + offset)),
  };
}

function nodesIn(root) {
  let count = 0;
  const stack = [root];
  for (let next = stack.pop(); next; next = stack.pop()) {
    count++;
    stack.push(...Object.values(next.args).filter(isNode), ...(next.body ?? []));
  }
  return count;
}

/** Measures parsing and checking without a server and a database. */
function measureChecker() {
  console.log('| checker alone | nodes | µs | µs per node | per node against 10 steps |\n|---|---:|---:|---:|---:|');
  let least = 0;
  for (const steps of lengths) {
    const { args, body } = program(steps, { pump: 5, tool: 3, inner: 7 });
    const nodes = nodesIn(sequenceTree(args, body).root);
    const work = (times) => {
      const began = performance.now();
      for (let i = 0; i < times; i++) checkProgram(sequenceTree(args, body));
      return (performance.now() - began) / times;
    };
    const times = Math.ceil(100_000 / nodes);
    work(times);
    const each = Math.min(...Array.from({ length: 5 }, () => work(times))) * 1000;
    least ||= each / nodes;
    const figures = [nodes, each.toFixed(1), (each / nodes).toFixed(3), (each / nodes / least).toFixed(2)];
    console.log(`| ${steps} steps | ${figures.join(' | ')} |`);
  }
  console.log('');
}

async function account(server, environment) {
  const { email, token } = await signUp(server.base);
  setLimits(email, ['--steps', '10000', '--sequences', '100000'], environment);
  const make = async (path, body) => (await json(server.base, 'POST', path, token, body)).id;
  const ids = {
    pump: await make('/api/peripherals', { label: 'Pump', pin: 8 }),
    tool: await make('/api/tools', { name: 'Seeder' }),
    inner: await make('/api/sequences', { name: 'Inner', body: [] }),
  };
  return { token, make, ids };
}

measureChecker();
const baselineServer = await start('baseline.mjs', {});
await drive(baselineServer.base);
console.log(
  `${cpus()[0]?.model}, ${cpus().length} cores, Node ${process.version}, ${connections} connections, ${seconds} s each\n`,
);
const engines = [
  ['SQLite', {}],
  ...(process.env.BENCH_DATABASE_URL ? [['PostgreSQL', { DATABASE_URL: process.env.BENCH_DATABASE_URL }]] : []),
];
for (const [engine, database] of engines) {
  const folder = mkdtempSync(join(tmpdir(), 'potager-bench-'));
  const environment = { DATA_DIR: folder, EMAIL_VERIFICATION: 'off', RATE_LIMITS: 'off', ...database };
  const server = await start('server.mjs', environment);
  const { token, make, ids } = await account(server, environment);
  // Cases that create sequences come last, because they make the list longer.
  for (let i = 1; i < listed; i++) await make('/api/sequences', { name: `Listed ${i}`, ...program(20, ids) });
  const changed = new Map();
  const headers = { authorization: token, 'user-agent': 'bench', 'content-type': 'application/json' };
  let turn = 0;
  const sending = (method, path, steps) => {
    // Two alternating bodies, so that each request changes something.
    const bodies = [0, 1].map((offset) => JSON.stringify(program(steps, ids, offset)).slice(1));
    const setupRequest = (request) => ({
      ...request,
      body: `{"name":"${method} ${steps} ${method === 'POST' ? turn : ''}",${bodies[turn++ % 2]}`,
    });
    return { method, requests: [{ method, path, setupRequest }] };
  };
  const cases = {
    [`list ${listed} of 20 steps`]: () => ({ url: '/api/sequences' }),
    ...Object.fromEntries(
      [20, ...lengths].map((steps) => [
        `change ${steps} steps`,
        async () => {
          if (!changed.has(steps))
            changed.set(steps, await make('/api/sequences', { name: `Changed ${steps}`, ...program(steps, ids) }));
          const url = `/api/sequences/${changed.get(steps)}`;
          return { url, ...sending('PATCH', url, steps) };
        },
      ]),
    ),
    ...Object.fromEntries(
      lengths.map((steps) => [
        `store ${steps} steps`,
        () => ({ url: '/api/sequences', ...sending('POST', '/api/sequences', steps) }),
      ]),
    ),
  };
  console.log(`${engine}:`);
  console.log(
    '| case | baseline/s | requests/s | p99 ms | per 64,000 baseline responses | steps/s | target |\n|---|---:|---:|---:|---:|---:|---:|',
  );
  for (const [name, prepare] of Object.entries(cases)) {
    if (process.env.ONLY && !name.includes(process.env.ONLY)) continue;
    const { url, ...options } = await prepare();
    // The baseline is measured before and after, since other processes may slow down both.
    const before = await drive(baselineServer.base);
    const { perSecond, p99 } = await drive(server.base + url, { headers, ...options });
    const after = await drive(baselineServer.base);
    const baseline = (before.perSecond + after.perSecond) / 2;
    const ratio = Math.round((perSecond / baseline) * 64_000);
    const steps = Number(/(\d+) steps/.exec(name)?.[1]) * (name.startsWith('list') ? listed : 1);
    const figures = [
      Math.round(baseline),
      Math.round(perSecond),
      p99,
      ratio,
      Math.round(perSecond * steps),
      targets[name] ?? '',
    ];
    console.log(`| ${name} | ${figures.join(' | ')} |`);
  }
  console.log('');
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}
await baselineServer.stop();
