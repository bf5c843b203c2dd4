import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { ConsolePage } from './console-page.ts';
import { consoleRoutes } from './console-routes.ts';

const html =
  '<html><head><link nonce="{{nonce}}"><script type="module" src="/a.js" nonce="{{nonce}}"></script></head><body></body></html>';
const call = { host: 'garden.example', isSecure: true };

function openPage(): Promise<ConsolePage> {
  const folder = mkdtempSync(join(tmpdir(), 'potager-console-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'index.html'), html);
  return ConsolePage.open({ folder, broker: ({ host }) => `wss://${host}/ws` });
}

it('allows its own scripts, styles with a nonce of the response, the server and the broker', async () => {
  const page = await openPage();
  const { text, headers, status } = page.reply(call);
  const [, nonce = ''] = /nonce="([^"]+)"/.exec(text) ?? [];
  expect(Buffer.from(nonce, 'base64')).toHaveLength(16);
  expect(text).toBe(html.replaceAll('{{nonce}}', nonce));
  expect(page.reply(call).text).not.toBe(text);
  expect(headers['content-security-policy']?.split('; ')).toEqual([
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "connect-src 'self' wss://garden.example/ws",
    'img-src http: https: blob: data:',
    "manifest-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    'report-uri /csp_reports',
  ]);
  expect([status, headers['cache-control'], headers['referrer-policy']]).toEqual([200, 'no-store', 'same-origin']);
});

it('names the page of its address, for the first picture', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'potager-console-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'index.html'), '<div data-page="{{page}}"></div>');
  const page = await ConsolePage.open({ folder, broker: () => 'ws://a/ws' });
  const pageOf = (address?: string): string =>
    /"(.*)"/.exec(String(page.reply(call, 200, null, address).text))?.[1] ?? '?';
  expect(['map', 'programs/5', 'sign-in', undefined, '"><b>'].map(pageOf)).toEqual([
    'map',
    'programs',
    'sign-in',
    '',
    '',
  ]);
  expect(page.reply(call, 200, { to: '/confirmed?kind=change' }).text).toBe('<div data-page="confirmed"></div>');
});

it('embeds the initial state as escaped JSON', async () => {
  const state = { to: '/confirmed', session: { user: { name: '</script><script>alert(1)</script> $& ' } } };
  const { text, status, headers } = (await openPage()).reply(call, 404, state);
  const data = /<script type="application\/json" id="initial-state">(.*)<\/script>/.exec(text)?.[1] ?? '';
  expect(JSON.parse(data)).toEqual(state);
  expect(text.match(/<script/g)).toHaveLength(2);
  expect([status, headers['referrer-policy']]).toEqual([404, 'no-referrer']);
});

it('says so where the console was not built', async () => {
  const page = await ConsolePage.open({ folder: '/nowhere', broker: () => 'ws://a/ws' });
  expect(page.isBuilt).toBe(false);
  expect(page.reply(call).text).toContain('npm run build');
});

it('never sends the file of the page, whose nonce is missing', async () => {
  const [, route] = await consoleRoutes(await openPage());
  const reply = (path: string) =>
    route?.handle(null as never, { ...call, params: { '*': path }, headers: { accept: 'text/html' } } as never);
  for (const path of ['index.html', 'map'])
    expect(await reply(path)).toMatchObject({
      text: expect.not.stringContaining('{{nonce}}'),
      headers: { 'content-security-policy': expect.stringContaining("'nonce-") },
    });
});
