import { describe, expect, it } from 'vitest';
import { Failure } from '../core/errors.ts';
import type { ServerScope } from '../db/scope.ts';
import type { Call } from '../engine/route.ts';
import { Reply } from '../engine/route.ts';
import { openApiDocument } from '../http/openapi.ts';
import type { PageOptions } from './account-pages.ts';
import { pageRoutes } from './page-routes.ts';

const options: PageOptions = {
  termsUrl: 'https://garden.example/terms?a=1&b="',
  privacyUrl: null,
  signUp: 'open',
  verifies: true,
  sendsMail: false,
  robotAddress: () => 'http://192.168.1.20:3000',
};

async function get(path: string, more: Partial<Call> = {}, pageOptions: PageOptions = options): Promise<Reply> {
  const route = pageRoutes(pageOptions).find((one) => one.path === path);
  if (route?.access !== 'public') throw new Error(`no page ${path}`);
  const call = { params: {}, headers: { accept: 'text/html,*/*' }, host: 'garden.example', isSecure: true, ...more };
  // Pages need no data.
  const reply = await route.handle({} as ServerScope, call as Partial<Call> as Call);
  if (!(reply instanceof Reply)) throw new Error('not a reply');
  return reply;
}

describe('the OpenAPI document', () => {
  it('lists the pages, but no files', () => {
    const { paths } = openApiDocument(pageRoutes(options), '1.0.0') as {
      paths: Record<string, Record<string, unknown>>;
    };
    for (const path of ['/', '/app', '/app/{path}', '/os', '/tos_update', '/featured', '/password_reset/{token}'])
      expect(paths[path]?.get, path).toMatchObject({
        tags: ['pages'],
        security: [],
        responses: { 200: { content: { 'text/html': {} } } },
      });
    expect(Object.keys(paths).filter((path) => /file|first/.test(path))).toEqual([]);
  });
});

const everyPage = [
  '/',
  '/sign_in',
  '/sign_up',
  '/forgotten_password',
  '/password_reset/:token',
  '/tos_update',
  '/os',
  '/featured',
  '/logout',
  '/app',
  '/app/*',
];

describe('pages', () => {
  it('are HTML for browsers, and empty otherwise', async () => {
    for (const path of everyPage) {
      for (const accept of ['*/*', 'application/json', ''])
        expect((await get(path, { headers: { accept } })).text).toBe('');
      const shown = await get(path);
      expect(shown.type).toBe('text/html; charset=utf-8');
      expect(shown.text).toMatch(/^<!doctype html>\n<html lang="en">/);
    }
  });

  it('allow the script and stylesheet of this server only', async () => {
    for (const path of everyPage) {
      const { text, headers } = await get(path);
      const policy = headers['content-security-policy'] ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).not.toMatch(/unsafe|https?:|\*/);
      expect(text.match(/<script\b[^>]*>/g)).toEqual([
        expect.stringMatching(/^<script src="\/pages\/page\.[0-9a-f]{12}\.js">$/),
      ]);
      expect(text).not.toContain('<style');
      expect(text).not.toMatch(/ (on\w+|style)="/);
      expect(headers['cache-control']).toBe('no-store');
    }
  });

  it('have cacheable files', async () => {
    const { text } = await get('/');
    const names = [...text.matchAll(/"\/pages\/([\w.]+)"/g)].map(([, name = '']) => name);
    expect(new Set(names).size).toBe(3);
    for (const file of names) {
      const { status, headers } = await get('/pages/:file', { params: { file } });
      expect(status).toBe(200);
      expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
    }
    for (const file of ['page.js', 'page.000000000000.js', '../page.ts', '']) {
      expect((await get('/pages/:file', { params: { file } })).status).toBe(404);
      await expect(get('/pages/:file', { params: { file }, headers: {} })).rejects.toThrow(Failure);
    }
  });

  it('have a label, an error message and autocomplete for every field', async () => {
    for (const path of ['/sign_in', '/sign_up', '/forgotten_password', '/password_reset/:token', '/tos_update']) {
      const { text } = await get(path);
      const inputs = [...text.matchAll(/<input id="(\w+)"[^>]*>/g)];
      expect(inputs.length, path).toBeGreaterThan(0);
      for (const [input, id] of inputs) {
        expect(text).toMatch(new RegExp(`<label for="${id}">|<label class="tick"><input id="${id}"`));
        expect(text).toContain(`<p class="problem" id="${id}-problem"></p>`);
        expect(input).toMatch(/autocomplete="|type="checkbox"/);
      }
      const ids = [...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
      expect(new Set(ids).size, path).toBe(ids.length);
    }
  });

  it('link to the terms, escaped', async () => {
    for (const path of ['/sign_up', '/tos_update']) {
      const { text } = await get(path);
      expect(text).toContain('href="https://garden.example/terms?a=1&amp;b=&quot;"');
      expect(text).toContain('name="agree_to_terms"');
    }
    const without = { ...options, termsUrl: null };
    expect((await get('/sign_up', {}, without)).text).not.toContain('agree_to_terms');
    // The script expects a form on this page.
    expect((await get('/tos_update')).text).toContain('data-page="terms"');
    expect((await get('/tos_update', {}, without)).text).not.toMatch(/<form|data-page/);
  });

  it('offer sign-up only where it is open', async () => {
    const closed = { ...options, signUp: 'closed' } as const;
    expect((await get('/sign_up', {}, closed)).text).not.toContain('<form');
    for (const path of ['/', '/sign_in']) {
      const { text } = await get(path, {}, closed);
      expect(text).not.toContain('/sign_up');
      expect(text).not.toMatch(/create (an )?account/i);
      expect((await get(path)).text).toMatch(/create (an )?account/i);
    }
    expect((await get('/', {}, closed)).text).toContain('Ask the operator of this server for an account');
  });

  it('show a URL that a robot can reach', async () => {
    const shown = async (host: string, isSecure = false) =>
      /<code id="server">(.*?)<\/code>/.exec((await get('/app', { host, isSecure })).text)?.[1];
    expect(await shown('garden.example', true)).toBe('https://garden.example');
    expect(await shown('192.168.1.7:3000')).toBe('http://192.168.1.7:3000');
    for (const host of ['localhost:3000', '127.0.0.1:3000', '127.0.0.53', '[::1]:3000'])
      expect(await shown(host)).toBe('http://192.168.1.20:3000');
  });

  it('respond to paths of the web app, but not to its files', async () => {
    expect((await get('/app/*', { params: { '*': 'designer/plants' } })).status).toBe(200);
    const file = { '*': 'designer/main.js' };
    expect((await get('/app/*', { params: file })).status).toBe(404);
    await expect(get('/app/*', { params: file, headers: {} })).rejects.toThrow(Failure);
  });
});
