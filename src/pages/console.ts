import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Type } from '../engine/json-schema.ts';
import type { Call, PublicRoute } from '../engine/route.ts';
import { emptyReply, Reply } from '../engine/route.ts';
import { notFoundReply } from './fallback-routes.ts';
import { isBrowser } from './page.ts';
import { StaticFiles } from './static-files.ts';

/** Where the build puts the console: beside this program. */
const builtConsole = new URL('../console', import.meta.url).pathname;

/** Scripts are files of this server only, styles also elements with the nonce of the response, which the editor for Lua makes. Webcams and photos may be anywhere. */
const policy = (nonce: string, broker: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    `connect-src 'self' ${broker}`,
    'img-src http: https: blob: data:',
    "manifest-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    'report-uri /csp_reports',
  ].join('; ');

export interface ConsoleOptions {
  /** The address of the message broker's WebSocket as the caller reaches it. */
  readonly broker: (call: Call) => string;
}

/** Opens the console; without a build, its addresses have no page. */
export async function consoleRoutes({ broker }: ConsoleOptions, folder = builtConsole): Promise<PublicRoute[]> {
  const page = await readFile(join(folder, 'index.html'), 'utf8').catch(() => null);
  if (page === null) return [];
  const files = await StaticFiles.open(folder, () => ({}));
  const pageReply = (call: Call): Reply => {
    if (!isBrowser(call)) return emptyReply;
    const nonce = randomBytes(16).toString('base64');
    return new Reply(page.replaceAll('{{nonce}}', nonce), 'text/html; charset=utf-8', 200, {
      'content-security-policy': policy(nonce, broker(call)),
      'cache-control': 'no-store',
      'referrer-policy': 'same-origin',
    });
  };
  const route = (path: string, handle: PublicRoute['handle']): PublicRoute => ({
    method: 'GET',
    path,
    tag: 'Pages',
    access: 'public',
    acceptsAnyVersion: true,
    addition: true,
    summary: 'Open the console in a browser',
    description:
      'The garden in a browser. Every address below it is the same page, which shows what the address names.',
    ...(path.includes('*') ? { params: Type.Object({ '*': Type.String() }) } : {}),
    replies: { 200: path.includes('*') ? 'binary' : 'html', 304: 'empty', 404: 'html' },
    handle,
  });
  return [
    route('/console', (_scope, call) => pageReply(call)),
    route('/console/*', async (_scope, call) => {
      const path = call.params['*'] ?? '';
      if (path === '' || !/\.\w+$/.test(path)) return pageReply(call);
      return (await files.reply(call, path)) ?? notFoundReply(call);
    }),
  ];
}
