// A built server, as `npm start` runs it, whose database is filled with gardens.
//   npm run bench:fill -- --data-dir FOLDER       fills a new data folder with 10,000 gardens, a million points and a million logs
// GARDENS (10000), DATABASE_URL (an empty PostgreSQL database instead of SQLite)
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { copyGardens } from './garden-copies.mjs';
import { createAccount, fillGarden, openGarden, password, signIn } from './gardens.mjs';
import { MqttClient } from './mqtt-client.mjs';
import { startPostgres } from './postgres.mjs';
import { freePort, json, start } from './server-process.mjs';

/** Gardens that are measured, with 500 points each. */
export const measuredGardens = 100;
/** Points, and logs, of each other garden. */
const small = { points: 10, logs: 10 };
const times = 10;

/**
 * Fills a database with gardens, {@link measuredGardens} of them with 500 points and the others with 100 points and 100 logs. Returns the
 * e-mail addresses of the measured ones; signIn has their password.
 */
export async function fillDatabase(settings, gardens = measuredGardens) {
  const server = await start('server.mjs', settings);
  const templates = [];
  for (const content of [small, { points: 500 }]) {
    const email = await createAccount(server.base);
    const { token } = await signIn(server.base, email);
    await fillGarden(server.base, token, content);
    templates.push({ email, device: (await json(server.base, 'GET', '/api/device', token)).id });
  }
  await server.stop();
  const [{ device }, { device: large, email }] = templates;
  const devices = await copyGardens(
    { folder: settings.DATA_DIR, url: settings.DATABASE_URL },
    { small: device, large, count: gardens, every: Math.max(1, Math.floor(gardens / measuredGardens)), times },
  );
  return devices.map((id) => `${id}-${email}`);
}

// Each server ends with this process.
process.setMaxListeners(100);

const open = { EMAIL_VERIFICATION: 'off', RATE_LIMITS: 'off' };

/** Returns the memory of a server by its content, in MiB: all, pages of files, V8's heap, its used part, and buffers. */
export const memoryOf = async (server) => ({
  all: server.memory(),
  files: server.filePages(),
  ...(await server.ask('heap')),
});

/**
 * Starts a server with a new database of gardens and the built-in broker. `postgres`: on PostgreSQL. Each of the measured gardens
 * has one client of the broker, which receives its announcements; `announced` returns their number. It is idle for `rest`
 * seconds before the first sign-in.
 */
export async function startFilled({ postgres = false, gardens = measuredGardens, rest = 0 } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'potager-bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const cluster = postgres ? await startPostgres() : null;
  const mqttPort = await freePort();
  const settings = { ...open, DATA_DIR: folder, ...(cluster && { DATABASE_URL: cluster.url }) };
  const began = performance.now();
  const emails = await fillDatabase(settings, gardens);
  const seconds = (performance.now() - began) / 1000;
  const server = await start('server.mjs', { ...settings, MQTT_PORT: String(mqttPort) });
  const atStart = { cpu: server.cpuTime(), ready: server.ready, memory: await memoryOf(server) };
  await sleep(rest * 1000);
  const memoryAtRest = await memoryOf(server);
  const measured = [];
  for (const email of emails) measured.push(await openGarden(server.base, await signIn(server.base, email)));
  let announced = 0;
  const clients = [];
  for (const { bot, token } of measured) {
    const client = await MqttClient.connect(mqttPort, `bench-${bot}`, bot, token);
    await client.subscribe(`bot/${bot}/sync/#`);
    client.onMessage = () => announced++;
    clients.push(client);
  }
  return {
    server,
    settings,
    gardens: measured,
    cluster,
    seconds,
    atStart,
    memoryAtRest,
    announced: () => announced,
    async stop() {
      for (const client of clients) client.end();
      await server.stop();
      await cluster?.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({ options: { 'data-dir': { type: 'string' } } });
  if (values['data-dir'] === undefined) throw new Error('npm run bench:fill -- --data-dir FOLDER');
  const gardens = Number(process.env.GARDENS ?? 10_000);
  const { DATABASE_URL } = process.env;
  const settings = { ...open, DATA_DIR: resolve(values['data-dir']), ...(DATABASE_URL && { DATABASE_URL }) };
  const began = performance.now();
  const [email] = await fillDatabase(settings, gardens);
  console.log(
    `${gardens} gardens in ${((performance.now() - began) / 1000).toFixed(0)} s. One of them: ${email}, ${password}`,
  );
}
