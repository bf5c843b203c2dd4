// A garden on a server of its own, for screenshots and measurements of the console.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { chromium } from 'playwright-core';
import { freePort, json, start } from '../../bench/server-process.mjs';

const email = 'ada@example.com';
const password = 'a rake in the shed';

/** Starts the built server in a temporary folder, and signs up. Returns its address and process, and a function that sends requests as that account. */
export async function openGarden() {
  const folder = mkdtempSync(join(tmpdir(), 'potager-console-'));
  const MQTT_PORT = String(await freePort());
  const server = await start('../dist/main.js', { DATA_DIR: folder, MQTT_PORT, RATE_LIMITS: 'off' });
  const { base } = server;
  await json(base, 'POST', '/api/users', null, {
    name: 'Ada Garden',
    email,
    password,
    password_confirmation: password,
    agree_to_terms: true,
  });
  const session = await json(base, 'POST', '/api/tokens', null, { user: { email, password } });
  return {
    base,
    server,
    /** The session as the console keeps it. */
    session: JSON.stringify(session),
    call: (method, path, body) => json(base, method, path, session.token.encoded, body),
    async close() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Fills a garden with the demo of a product line and its past, and starts a virtual robot, which takes a photo. */
export async function plantDemo({ call }) {
  await call('PATCH', '/api/device', { timezone: 'Europe/Paris' });
  await call('POST', '/api/device/seed', { product_line: 'genesis_1.8', demo: true, past: true });
  await call('PUT', '/api/virtual_robot', { running: true });
  while (!(await call('GET', '/api/robot')).status) await sleep(100);
  while ((await call('GET', '/api/saved_gardens')).length === 0) await sleep(100);
  await call('PATCH', '/api/device', { name: 'Kitchen garden' });
  const run = (kind, args = {}) => call('POST', '/api/commands', { program: { kind, args }, wait: 60 });
  await run('move_relative', { x: 400, y: 300, z: 0, speed: 100 });
  await run('take_photo');
  await run('send_message', { message: 'The broccoli is growing', message_type: 'success' });
}

/** Chromium: the one at CHROMIUM, or Debian's. */
export const chromiumOptions = {
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  // Test machines run as root, in containers, without a graphics card.
  args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
};

export const openBrowser = () => chromium.launch(chromiumOptions);

/** Opens a window whose tabs are signed in to the garden; without one they are not. */
export async function openWindow(browser, options, garden) {
  const context = await browser.newContext({ locale: 'en-US', ...options });
  context.setDefaultTimeout(60_000);
  // Before any script of the page: as if the tab had signed in.
  if (garden) await context.addInitScript(`sessionStorage.setItem('session', ${JSON.stringify(garden.session)})`);
  return context.newPage();
}
