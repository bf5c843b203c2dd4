import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { get } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { suiteAccount, suiteApp } from '../../support/app.ts';
import { type CuttableProxy, startCuttableProxy } from '../../support/cuttable-proxy.ts';
import { EventReader } from '../../support/event-reader.ts';
import { codeBlocks } from '../../support/pasted-blocks.ts';
import { suiteBrowser } from './browser.ts';

// What reads server-sent events: npm's `eventsource`, npm's `@microsoft/fetch-event-source`, and the `EventSource` of Chromium.

const open = suiteBrowser();
const host = '127.0.0.1';

/** Returns the package `@microsoft/fetch-event-source` as an expression of a page, whose policy allows no scripts of others. */
async function fetchEventSource(): Promise<string> {
  const folder = dirname(createRequire(import.meta.url).resolve('@microsoft/fetch-event-source'));
  const moduleOf = async (name: string) => `(exports, require) => {${await readFile(join(folder, name), 'utf8')}\n}`;
  return `(() => {
    const [parse, fetch] = [{}, {}];
    (${await moduleOf('parse.js')})(parse);
    (${await moduleOf('fetch.js')})(fetch, () => parse);
    return fetch.fetchEventSource;
  })()`;
}

/** Returns the script for browsers on the page about events. */
const documentedScript = (): string =>
  codeBlocks('docs/following-changes.md', 'js').find((each) => each.includes('EventSource')) ?? '';

describe('an event stream', () => {
  const server = suiteApp('sqlite', { HOST: host, PORT: '0' });
  const account = suiteAccount(server);
  let port: number;
  let proxy: CuttableProxy;
  beforeAll(async () => {
    await server.app.listen();
    port = (server.app.http.server.address() as AddressInfo).port;
    proxy = await startCuttableProxy(host, port);
  });
  afterAll(() => proxy.close());

  it('has every change once for each kind of client, across a cut before the first one, and no empty messages', async () => {
    const { token } = account;
    const base = `http://${host}:${proxy.port}`;
    const page = await open();
    await page.goto(`${base}/docs`);
    await page.evaluate(`(() => {
      const seen = (window.seen = []);
      const token = ${JSON.stringify(token)};
      const console = { log: (name, data) => seen.push([name, data]) };
      ${documentedScript()}
      listen();
      const messages = (window.messages = []);
      void ${await fetchEventSource()}('/api/events?resources=Point', {
        headers: { authorization: token },
        openWhenHidden: true,
        onmessage: ({ event, data }) => messages.push([event, data]),
        onclose: () => {
          throw new Error('closed');
        },
        onerror: () => 200,
      });
    })()`);
    const reader = await EventReader.open(`${base}/api/events`, token);
    const ofPage = (name: 'seen' | 'messages'): Promise<[string, unknown][]> => page.evaluate(`window.${name}`);
    const starts = async () =>
      (await Promise.all((['seen', 'messages'] as const).map(ofPage))).map((list) => list.map(([name]) => name));
    await expect.poll(starts).toEqual([['start'], ['start']]);
    // A comment has come on each of them when it has come on this one.
    const silent = get(`http://${host}:${port}/api/events?resources=Tool`, { headers: { authorization: token } });
    const [response] = await once(silent, 'response');
    let text = '';
    response.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
    await expect.poll(() => text, { timeout: 60_000 }).toMatch(/^id: \d+\nevent: start\ndata: \{\}\n\n(:\n)+$/);
    silent.destroy();

    const plant = (name: string) =>
      server.call('POST', '/api/points', { token, body: { pointer_type: 'Plant', name, x: 1, y: 2, z: 0 } });
    const isNamed = (names: readonly string[]) => async () => {
      const [seen, messages] = await Promise.all([ofPage('seen'), ofPage('messages')]);
      const nameOf = (data: unknown) => (data as { record?: { name: string } }).record?.name ?? [];
      return {
        expected: names,
        eventsource: reader.recordNames('Point'),
        chromium: seen.flatMap(([, data]) => nameOf(data)),
        'fetch-event-source': messages.flatMap(([, data]) => nameOf(JSON.parse(String(data)))),
      };
    };
    const areSeen = (...names: string[]) =>
      expect
        .poll(isNamed(names))
        .toEqual({ expected: names, eventsource: names, chromium: names, 'fetch-event-source': names });
    proxy.isDown = true;
    proxy.cut();
    await plant('During the cut');
    proxy.isDown = false;
    await areSeen('During the cut');
    await plant('After it');
    await areSeen('During the cut', 'After it');
    // They have an id now, too.
    proxy.cut();
    await plant('Later');
    await areSeen('During the cut', 'After it', 'Later');
    expect((await ofPage('messages')).map(([event]) => event)).toEqual(['start', 'Point', 'Point', 'Point']);
    reader.close();
  });
});
