import { describe, expect, it } from 'vitest';
import { Failure } from '../core/errors.ts';
import type { ServerScope } from '../db/scope.ts';
import type { Call } from '../engine/route.ts';
import { Reply } from '../engine/route.ts';
import { openApiDocument } from '../http/openapi.ts';
import { ConsolePage } from './console-page.ts';
import { pageRedirects } from './page-redirects.ts';

const routes = pageRedirects(await ConsolePage.open({ broker: () => 'ws://garden.example/ws', folder: '/nowhere' }));

async function get(path: string, more: Partial<Call> = {}): Promise<Reply> {
  const route = routes.find((one) => one.path === path);
  const call = { params: {}, headers: { accept: 'text/html,*/*' }, host: 'garden.example', isSecure: true, ...more };
  // They need no data.
  const reply = await route?.handle({} as ServerScope, call as Partial<Call> as Call);
  if (!(reply instanceof Reply)) throw new Error(`no reply of ${path}`);
  return reply;
}

describe('the OpenAPI document', () => {
  it('lists the addresses of pages', () => {
    const { paths } = openApiDocument(routes, '1.0.0') as { paths: Record<string, Record<string, unknown>> };
    for (const path of ['/', '/app', '/app/{path}', '/os', '/tos_update', '/featured', '/password_reset/{token}'])
      expect(paths[path]?.get, path).toMatchObject({ tags: ['Pages'], security: [] });
  });
});

describe('addresses of pages', () => {
  it('lead browsers to the console, and are empty for other clients', async () => {
    const pages = {
      '/': '/',
      '/sign_in': '/sign-in',
      '/sign_up': '/sign-up',
      '/forgotten_password': '/forgotten-password',
      '/tos_update': '/sign-in?terms=true',
      '/os': '/robot-setup',
      '/featured': '/featured',
      '/logout': '/sign-out',
      '/demo': '/demo',
      '/try_farmbot': '/demo',
      '/account': '/account',
      '/import': '/account?part=data',
      '/seed': '/set-up',
      '/app': '/',
      '/app/*': '/',
    };
    for (const [path, page] of Object.entries(pages)) {
      for (const accept of ['*/*', 'application/json', '']) {
        const { status, text } = await get(path, { headers: { accept } });
        expect([status, text]).toEqual([200, '']);
      }
      const { status, text, headers } = await get(path);
      expect([path, status, text, headers.location]).toEqual([path, 302, '', `/console${page}`]);
    }
    expect(routes).toHaveLength(Object.keys(pages).length + 3);
  });

  it('names the console to other clients, at the first address', async () => {
    expect((await get('/', { headers: {} })).headers).toEqual({ link: '</console/>; rel="alternate"' });
    expect((await get('/os', { headers: {} })).headers).toEqual({});
  });

  it('pass secrets on as the fragment, which is not sent to servers', async () => {
    for (const [path, page] of [
      ['/password_reset/:token', '/password-reset'],
      ['/take_back/:token', '/take-back'],
      ['/invitation/:token', '/invitation'],
    ] as const) {
      const { status, headers } = await get(path, { params: { token: 'a.b/ü' } });
      expect([status, headers.location]).toEqual([302, `/console${page}#a.b%2F%C3%BC`]);
      expect(headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
      expect((await get(path, { params: { token: 'a' }, headers: {} })).text).toBe('');
    }
  });

  it('respond to paths of the web app, but not to its files', async () => {
    expect((await get('/app/*', { params: { '*': 'designer/plants' } })).status).toBe(302);
    const file = { '*': 'designer/main.js' };
    expect((await get('/app/*', { params: file })).status).toBe(404);
    await expect(get('/app/*', { params: file, headers: {} })).rejects.toThrow(Failure);
  });
});
