// Gardens for benches: accounts, their records, and sessions.
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { json } from './server-process.mjs';

/** The password of all accounts. */
export const password = 'password123';
let accounts = 0;

/** Creates an account, and returns its e-mail address. */
export async function createAccount(base) {
  const email = `bench.${Date.now()}.${++accounts}@example.com`;
  const user = { name: 'Bench', email, password, password_confirmation: password, agree_to_terms: true };
  await json(base, 'POST', '/api/users', null, user);
  return email;
}

/** Returns a session of an account: its token, the user of the broker, and the id of the device. */
export async function signIn(base, email) {
  const { token, user } = await json(base, 'POST', '/api/tokens', null, { user: { email, password } });
  return { token: token.encoded, bot: token.unencoded.bot, device: user.device_id };
}

/** Creates an account. Returns its e-mail address and a session. */
export async function signUp(base) {
  const email = await createAccount(base);
  return { email, ...(await signIn(base, email)) };
}

/** Creates an account with a tool to change. Returns a session and the id of the tool. */
export async function signUpWithTool(base) {
  const session = await signUp(base);
  const { id } = await json(base, 'POST', '/api/tools', session.token, { name: 'Hoe' });
  return { ...session, tool: id };
}

/** Sets limits of an account with the command line. `words`: its arguments. */
export function setLimits(email, words, environment) {
  const program = resolve(import.meta.dirname, '../dist/main.js');
  const { status, stderr } = spawnSync(process.execPath, [program, 'device', 'set-limits', email, ...words], {
    env: { PATH: process.env.PATH, MQTT_PORT: '0', ...environment },
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`the limits could not be set: ${stderr}`);
}

/** Creates 25 tools, points, logs, a sequence and a few other records of device/sync. Throws if the garden has points. */
export async function fillGarden(base, token, { points = 500, logs = 0 } = {}) {
  const existing = await json(base, 'GET', '/api/points', token);
  if (existing.length > 0)
    throw new Error(`the garden has ${existing.length} points: use an account with an empty one`);
  const post = (path, body) => json(base, 'POST', path, token, body);
  for (let i = 0; i < 25; i++) await post('/api/tools', { name: `Tool ${i}` });
  for (let i = 0; i < 5; i++) {
    await post('/api/sensors', { label: `Sensor ${i}`, pin: i, mode: 0 });
    await post('/api/peripherals', { label: `Peripheral ${i}`, pin: i, mode: 0 });
    await post('/api/farmware_envs', { key: `key ${i}`, value: `${i}` });
  }
  for (let i = 0; i < points; i++)
    await post('/api/points', {
      pointer_type: ['Plant', 'Weed', 'GenericPointer'][i % 3],
      name: `Point ${i}`,
      x: (i % 30) * 100,
      y: Math.floor(i / 30) * 75.5,
      z: 0,
      openfarm_slug: 'tomato',
      meta: { color: 'green', created_by: 'plant-detection' },
    });
  for (let i = 0; i < logs; i++) await post('/api/logs', log);
  await post('/api/sequences', { name: 'Waiting', color: 'green', body: waits(0) });
  await json(base, 'GET', '/api/fbos_config', token);
  await json(base, 'GET', '/api/firmware_config', token);
}

/** The 20 steps of a sequence, which wait for so many milliseconds each. */
export const waits = (milliseconds) => Array.from({ length: 20 }, () => ({ kind: 'wait', args: { milliseconds } }));

export const log = {
  message: 'Moving to (1, 2, 3)',
  type: 'info',
  channels: ['ticker'],
  verbosity: 1,
  x: 1,
  y: 2,
  z: 3,
};

/** Returns the values of a garden for requests: the token, the user of the broker, and the ids of the device, of a point and of a sequence. */
export async function openGarden(base, session) {
  const { id: device } = await json(base, 'GET', '/api/device', session.token);
  const points = await json(base, 'GET', '/api/points', session.token);
  const [sequence] = await json(base, 'GET', '/api/sequences', session.token);
  return { ...session, device, point: points[Math.floor(points.length / 5)].id, sequence: sequence.id };
}
