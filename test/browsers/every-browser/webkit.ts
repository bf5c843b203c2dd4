import { freePort } from '../../support/free-port.ts';
import { type Json, textAt } from '../../support/json.ts';
import { createTempFolder } from '../../support/servers.ts';
import { startProgram } from '../../support/started-program.ts';
import type { Driver } from './driver.ts';

const webKitProgram = '/usr/bin/WebKitWebDriver';
/** A screen in memory, without which WebKitGTK does not start. */
const screenProgram = '/usr/bin/Xvfb';

/** Starts WebKitGTK, and drives it by WebDriver. */
export async function startWebKit(): Promise<Driver> {
  const cwd = await createTempFolder();
  const stdio = ['ignore', 'pipe', 'pipe'] as const;
  const options = { cwd, env: { HOME: cwd }, stdio: [...stdio] };
  const screenWords = ['-displayfd', '1', '-screen', '0', '1280x900x24', '-nolisten', 'tcp'];
  let screen: ReturnType<typeof startProgram>;
  const display = await new Promise<string>((resolve) => {
    screen = startProgram(screenProgram, screenWords, options, (part, stream) => {
      if (stream === 'stdout') resolve(part.trim());
    });
  });
  const port = await freePort();
  const words = [`--port=${port}`, '--host=127.0.0.1'];
  const env = { ...options.env, DISPLAY: `:${display}` };
  const driver = startProgram(webKitProgram, words, { ...options, env }, () => undefined);
  async function request(method: string, path: string, body?: object): Promise<Json> {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      ...(body && { body: JSON.stringify(body) }),
    });
    const answer = (await response.json()) as Json;
    if (!response.ok) throw new Error(`${method} ${path} ${JSON.stringify(body)}: ${JSON.stringify(answer)}`);
    return answer;
  }
  // It answers when it has started.
  while (!(await request('GET', '/status').catch(() => null))) await new Promise((resolve) => setTimeout(resolve, 100));
  const session = await request('POST', '/session', { capabilities: {} });
  const path = `/session/${textAt(session, 'value.sessionId')}`;
  const post = (command: string, body: object): Promise<Json> => request('POST', `${path}/${command}`, body);
  let isInFrame = false;
  return {
    name: `WebKitGTK ${textAt(session, 'value.capabilities.browserVersion')}`,
    async open(url) {
      isInFrame = false;
      await post('frame', { id: null });
      await post('url', { url });
    },
    async evaluate(expression) {
      if (isInFrame) {
        // Each document in it is a window of its own.
        await post('frame', { id: null });
        await post('frame', { id: 0 });
      }
      // As JSON: the protocol has no `undefined`.
      const script = `const done = arguments[0];
        Promise.resolve(${expression}).then((value) => done(JSON.stringify(value ?? null)));`;
      return JSON.parse(textAt(await post('execute/async', { script, args: [] }), 'value'));
    },
    async perform(actions) {
      await post('actions', { actions });
    },
    async enterFrame() {
      isInFrame = true;
    },
    async close() {
      driver.kill();
      // The browser ends with its screen.
      screen.kill();
    },
  };
}
