import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, it } from 'vitest';
import { type SignedInAccount, signIn, uniqueEmail } from '../../support/accounts.ts';
import { numberAt } from '../../support/json.ts';
import { solidColorPicture } from '../../support/photo-upload.ts';
import { Fleet } from './fleet.ts';
import { cpuTime, drive, type LoadCase } from './fleet-load.ts';
import { FleetTraffic } from './fleet-traffic.ts';
import { startS3Process } from './s3-process.ts';
import { sendUpload } from './upload-form.ts';

// `npm run bench:fleet`: prints two tables.

const seconds = Number(process.env.SECONDS ?? 5);
/** Until a killed part is started again, as by a supervisor, in ms. */
const restartDelay = 1000;
const timeout = 600_000;

let fleet: Fleet;
let account: SignedInAccount;
let point: number;

beforeAll(async () => {
  fleet = await Fleet.start({
    nodes: 3,
    isDurable: true,
    startBucket: startS3Process,
    settings: { RATE_LIMITS: 'off' },
  });
  const [{ client }] = fleet.potagers;
  const email = uniqueEmail('bench');
  const password = 'password123';
  await client.post('/api/users', { name: 'Ada', email, password, password_confirmation: password });
  account = await signIn(client, 'bench', email, password);
  const created = await client.post('/api/points', { pointer_type: 'Plant', name: 'Kale', x: 1, y: 2 }, account.token);
  point = numberAt(created.json, 'id');
}, timeout);
afterAll(() => fleet.stop(), timeout);

it(
  'requests',
  async () => {
    const cases: readonly LoadCase[] = [
      { name: 'show a point', method: 'GET', path: `/api/points/${point}` },
      { name: 'change a point', method: 'PATCH', path: `/api/points/${point}`, body: (x) => `{"x":${x}}` },
      { name: 'device/sync', method: 'GET', path: '/api/device/sync' },
    ];
    const lines: string[] = [];
    const idles: string[] = [];
    // Functions are compiled while they are first called, in each process.
    for (const load of cases) await drive(fleet.caddy, account.token, load, { seconds });
    for (const nodes of [3, 2, 1]) {
      const running = fleet.potagers.slice(0, nodes);
      const main = await fleet.postgres.pid();
      const pids = [...running.map(({ pid = 0 }) => pid), main, fleet.caddy.pid ?? 0];
      /** Returns the CPU time of each part during some work, in µs. */
      const spent = async (work: () => Promise<unknown>): Promise<number[]> => {
        const before = pids.map(cpuTime);
        await work();
        return pids.map((pid, index) => cpuTime(pid) - (before[index] ?? 0));
      };
      const idle = await spent(() => sleep(seconds * 1000));
      idles.push(`${nodes}: ${idle.map((time) => Math.round(time / seconds / 1000)).join(', ')}`);
      for (const load of cases) {
        await drive(fleet.caddy, account.token, load, { seconds: 1 });
        let result = { answered: 0, perSecond: 0, p99: 0 };
        const busy = await spent(async () => {
          result = await drive(fleet.caddy, account.token, load, { seconds });
        });
        const { answered, perSecond, p99 } = result;
        const used = busy.map((time, index) => (time - (idle[index] ?? 0)) / answered);
        const [own, postgres, caddy] = [used.slice(0, nodes), used[nodes], used[nodes + 1]];
        const figures = [perSecond, p99, own.reduce((sum, each) => sum + each, 0), postgres ?? 0, caddy ?? 0];
        const shares = own.map((each) => Math.round((100 * each) / (figures[2] ?? 1))).join(', ');
        lines.push(`| ${load.name} | ${nodes} | ${figures.map((each) => Math.round(each)).join(' | ')} | ${shares} |`);
      }
      await running.at(-1)?.stop();
    }
    await Promise.all(fleet.potagers.map((potager) => potager.start()));
    console.log(`
| request | Potagers | requests/s | p99 ms | Potagers µs | PostgreSQL µs | Caddy µs | share of each % |
|---|---:|---:|---:|---:|---:|---:|---:|
${lines.sort().join('\n')}

CPU time per second without requests, in ms, of each Potager, PostgreSQL and Caddy; it is subtracted above:
${idles.join('\n')}`);
  },
  timeout,
);

it(
  'kill -9',
  async () => {
    const { caddy, rabbitmq, postgres, bucket } = fleet;
    const picture = await solidColorPicture(120);
    const upload = async () => (await sendUpload(caddy, account.token, picture)).response.status;
    const kill = (pid = 0) => process.kill(pid, 'SIGKILL');
    const restarted = (start: () => Promise<unknown>) => sleep(restartDelay).then(start);
    const parts: Readonly<Record<string, () => Promise<unknown>>> = {
      ...Object.fromEntries(
        fleet.potagers.map((potager, index) => [
          `Potager ${index + 1}`,
          () => potager.kill().then(() => restarted(() => potager.start())),
        ]),
      ),
      Caddy: async () => {
        kill(caddy.pid);
        await restarted(() => caddy.restart());
        while (!(await caddy.peer().catch(() => null))) await sleep(20);
      },
      PostgreSQL: async () => {
        kill(await postgres.pid());
        await restarted(async () => {
          // Its processes end when they notice that the main one is not there.
          for (;;)
            try {
              return await postgres.restart();
            } catch {
              await sleep(100);
            }
        });
      },
      RabbitMQ: () => rabbitmq.kill().then(() => restarted(() => rabbitmq.start())),
      S3: async () => {
        await bucket.pause();
        const status = await upload().catch(String);
        console.log(`An upload while S3 is down: ${status}`);
        await restarted(() => bucket.resume());
      },
    };
    const lines: string[] = [];
    const failure = ({ what }: { readonly what: string }) =>
      what
        .replace(/^\S+ \S+ /, '')
        .replace(/[ {:].*/, '')
        .replace('Error', 'no connection');
    for (const [name, killAndRestart] of Object.entries(parts)) {
      const traffic = new FleetTraffic(caddy, account.token, 20);
      await sleep(1000);
      const began = performance.now();
      await killAndRestart();
      const ready = performance.now() - began;
      await sleep(seconds * 1000);
      await traffic.stop();
      const [last] = traffic.failed.slice(-1);
      const { json } = await fleet.potagers[0].client.get('/api/tools', account.token);
      const names = new Set((json as { name: string }[]).map((tool) => tool.name));
      const lost = traffic.stored.filter((tool) => !names.has(tool)).length;
      const what = [...new Set(traffic.failed.map(failure))];
      const recovered = last === undefined ? '' : ((last.at - began) / 1000).toFixed(1);
      lines.push(
        `| ${name} | ${traffic.answered} | ${traffic.failed.length} | ${recovered} | ${(ready / 1000).toFixed(1)} | ${traffic.stored.length} | ${lost} | ${what.join('; ')} |`,
      );
      // Names are used once.
      await fleet.query(`delete from tools`);
    }
    console.log(`
| killed | answered | failed | last failure after s | part ready after s | stored | lost | failures |
|---|---:|---:|---:|---:|---:|---:|---|
${lines.join('\n')}`);
  },
  timeout,
);
