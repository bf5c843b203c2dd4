import { expect, it } from 'vitest';
import type { ServerScope } from '../db/scope.ts';
import type { Call } from '../engine/route.ts';
import { Reply } from '../engine/route.ts';
import { ConsolePage } from './console-page.ts';
import { docsRoutes } from './docs-routes.ts';
import { pageFilesRoute } from './page-files.ts';

const files = pageFilesRoute(await ConsolePage.open({ broker: () => 'ws://garden.example/ws', folder: '/nowhere' }));

async function reply(path: string): Promise<Reply> {
  const call = { headers: {}, host: 'garden.example:443', isSecure: true } as Call;
  const result = await docsRoutes.find((route) => route.path === path)?.handle({} as ServerScope, call);
  if (!(result instanceof Reply)) throw new Error(`${path} is not served`);
  return result;
}

const directives = (policy = ''): readonly string[] => policy.split('; ');

it('the page embeds the viewer in a frame without allow-same-origin', async () => {
  const { text, headers } = await reply('/docs');
  const sandbox = /<iframe id="viewer"[^>]* sandbox="([^"]*)"/.exec(text)?.[1];
  expect(sandbox).toBe('allow-scripts allow-forms allow-downloads');
  expect(directives(headers['content-security-policy'])).toContain("frame-src 'self'");
});

it('the viewer is sandboxed by its policy, too, which names this server for WebKit, and cannot connect to others', async () => {
  const { headers } = await reply('/docs/viewer');
  expect(directives(headers['content-security-policy'])).toEqual([
    'sandbox allow-scripts allow-forms allow-downloads',
    "default-src 'none'",
    "script-src 'self' https://garden.example",
    "style-src 'self' https://garden.example",
    "img-src 'self' https://garden.example",
    "connect-src 'self' https://garden.example",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
    'report-uri /csp_reports',
  ]);
});

it('all files of both are served by this server, and cached for good', async () => {
  const addresses = new Set<string>();
  for (const path of ['/docs', '/docs/viewer']) {
    const { text } = await reply(path);
    expect(text).not.toMatch(/https?:/);
    expect(text).not.toMatch(/<style| (on\w+|style)="/);
    for (const [, file = ''] of text.matchAll(/(?:src|<link[^>]* href)="(\/[^"]+)"/g)) addresses.add(file);
  }
  expect(addresses.size).toBe(9);
  const get = (file: string, accept = 'text/html') =>
    files.handle({} as ServerScope, { params: { file }, headers: { accept }, host: 'a', isSecure: false } as never);
  for (const address of addresses) {
    const { status, type, headers } = (await get(address.replace('/pages/', ''))) as Reply;
    expect([address, status, type]).toEqual([
      address,
      200,
      expect.stringMatching(/^(text\/(javascript|css);|image\/svg)/),
    ]);
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
  }
  for (const file of ['docs.js', 'docs.000000000000.js', '../page.ts', '']) {
    expect(await get(file)).toMatchObject({ status: 404 });
    expect(() => get(file, '*/*')).toThrow('This address was not found.');
  }
});

it('the viewer has the colors of the console', async () => {
  const { text } = await reply('/docs/viewer');
  const [, name = ''] = /"\/pages\/(tokens\.[0-9a-f]+\.css)"/.exec(text) ?? [];
  const { body } = (await files.handle({} as ServerScope, { params: { file: name }, headers: {} } as never)) as Reply;
  expect(String(body)).toContain(':root[data-theme="dark"]');
});
