import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import WebSocket from 'ws';
import { type Json, textAt } from '../../support/json.ts';
import { createTempFolder } from '../../support/servers.ts';
import { startProgram } from '../../support/started-program.ts';
import type { Driver } from './driver.ts';

const firefoxProgram = '/usr/bin/firefox-esr';

/** No requests of its own, and the language of the test. */
const preferences = {
  'app.normandy.enabled': false,
  'app.update.enabled': false,
  'browser.shell.checkDefaultBrowser': false,
  'datareporting.policy.dataSubmissionEnabled': false,
  'intl.accept_languages': 'en-US',
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
};

/** As large as the window of WebKitGTK. */
const size = { MOZ_HEADLESS_WIDTH: '1024', MOZ_HEADLESS_HEIGHT: '768' } as const;

/** Starts Firefox without windows, and drives it by WebDriver BiDi, which it serves itself. */
export async function startFirefox(): Promise<Driver> {
  const profile = await createTempFolder();
  const lines = Object.entries(preferences).map(([name, value]) => `user_pref("${name}", ${JSON.stringify(value)});`);
  await writeFile(join(profile, 'user.js'), lines.join('\n'));
  const words = [
    '--headless',
    '--window-size=1024,768',
    '--no-remote',
    '--remote-debugging-port=0',
    '--profile',
    profile,
  ];
  const address = await new Promise<string>((resolve, reject) => {
    let output = '';
    const child = startProgram(firefoxProgram, words, { cwd: profile, env: { HOME: profile, ...size } }, (part) => {
      output += part;
      const [, found] = /WebDriver BiDi listening on (ws:\S+)/.exec(output) ?? [];
      if (found) resolve(found);
    });
    child.once('close', () => reject(new Error(`Firefox ended: ${output}`)));
  });
  const socket = new WebSocket(`${address}/session`);
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  const waiting = new Map<number, (message: Json) => void>();
  socket.on('message', (data) => {
    const message = JSON.parse(String(data));
    waiting.get(message.id)?.(message);
  });
  let lastId = 0;
  async function send(method: string, params: object): Promise<Json> {
    const id = ++lastId;
    const answer = new Promise<Json>((resolve) => waiting.set(id, resolve));
    socket.send(JSON.stringify({ id, method, params }));
    const message = await answer;
    waiting.delete(id);
    if (textAt(message, 'type') !== 'success') throw new Error(`${method}: ${JSON.stringify(message)}`);
    return message;
  }
  const session = await send('session.new', { capabilities: {} });
  const page = textAt(await send('browsingContext.getTree', {}), 'result.contexts.0.context');
  let context = page;
  return {
    name: `Firefox ${textAt(session, 'result.capabilities.browserVersion')}`,
    async open(url) {
      context = page;
      await send('browsingContext.navigate', { context, url, wait: 'complete' });
    },
    async evaluate(expression) {
      const message = await send('script.evaluate', {
        expression: `Promise.resolve(${expression}).then((value) => JSON.stringify(value ?? null))`,
        target: { context },
        awaitPromise: true,
      });
      if (textAt(message, 'result.type') !== 'success') throw new Error(`${expression}: ${JSON.stringify(message)}`);
      return JSON.parse(textAt(message, 'result.result.value'));
    },
    async perform(actions) {
      await send('input.performActions', { context: page, actions });
    },
    async enterFrame() {
      context = textAt(await send('browsingContext.getTree', { root: page }), 'result.contexts.0.children.0.context');
    },
    async close() {
      await send('browser.close', {});
      socket.close();
    },
  };
}
