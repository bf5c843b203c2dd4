import { describe, expect, it } from 'vitest';
import { Failure } from '../core/errors.ts';
import type { ServerScope } from '../db/scope.ts';
import type { Call } from '../engine/route.ts';
import { Reply } from '../engine/route.ts';
import { openApiDocument } from '../http/openapi.ts';
import type { Admission, PageOptions } from './account-pages.ts';
import { pageRoutes } from './page-routes.ts';

const open: Admission = { signUp: 'open', isNew: false, needsCode: false };

const options: PageOptions = {
  termsUrl: 'https://garden.example/terms?a=1&b="',
  privacyUrl: null,
  verifies: true,
  sendsMail: false,
  robotAddress: () => 'http://192.168.1.20:3000',
  hasDemos: true,
  robots: [{ value: 'genesis_1.8', label: 'FarmBot Genesis 1.8' }],
  admission: async () => open,
  invitation: async () => null,
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
        tags: ['Pages'],
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
  '/demo',
  '/try_farmbot',
  '/account',
  '/import',
  '/seed',
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
      const [script, ...others] = text.match(/<script\b[^>]*>/g) ?? [];
      expect(script).toMatch(/^<script src="\/pages\/page\.[0-9a-f]{12}\.js">$/);
      for (const other of others) expect(other).toMatch(/^<script src="\/pages\/garden\.[0-9a-f]{12}\.js">$/);
      expect(text).not.toContain('<style');
      expect(text).not.toMatch(/ (on\w+|style)="/);
      expect(headers['cache-control']).toBe('no-store');
    }
  });

  it('have cacheable files', async () => {
    const { text } = await get('/app');
    const names = [...text.matchAll(/"\/pages\/([\w.]+)"/g)].map(([, name = '']) => name);
    expect(new Set(names).size).toBe(4);
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
    for (const path of [
      ...['/sign_in', '/sign_up', '/forgotten_password', '/password_reset/:token', '/tos_update'],
      ...['/demo', '/account', '/import', '/seed'],
    ]) {
      const { text } = await get(path);
      const inputs = [...text.matchAll(/<(?:input|select) id="([\w-]+)"[^>]*>/g)];
      expect(inputs.length, path).toBeGreaterThan(0);
      for (const [input, id] of inputs) {
        expect(text).toMatch(new RegExp(`<label for="${id}">|<label class="tick"><input id="${id}"`));
        expect(text).toContain(`<p class="problem" id="${id}-problem"></p>`);
        expect(input).toMatch(/autocomplete="|type="(checkbox|file)"|^<select/);
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
    const closed = { ...options, admission: async () => ({ ...open, signUp: 'closed' as const }) };
    expect((await get('/sign_up', {}, closed)).text).not.toContain('<form');
    for (const path of ['/', '/sign_in']) {
      const { text } = await get(path, {}, closed);
      expect(text).not.toContain('/sign_up');
      expect(text).not.toMatch(/create (an )?account/i);
      expect((await get(path)).text).toMatch(/create (an )?account/i);
    }
    expect((await get('/', {}, closed)).text).toContain('Ask the operator of this server for an account');
  });

  it('say where messages are', async () => {
    for (const path of ['/sign_up', '/forgotten_password']) {
      const sent = (await get(path, {}, { ...options, sendsMail: true })).text;
      expect(sent).toMatch(/we sent a message/i);
      expect(sent).not.toContain('outbox');
      const written = (await get(path, {}, { ...options, sendsMail: false })).text;
      expect(written).toContain('<code>outbox</code>');
      expect(written).not.toMatch(/we sent|check your e-mail/i);
    }
  });

  it('lead to the first account of a new server', async () => {
    const admitting = (admission: Partial<Admission>): PageOptions => ({
      ...options,
      hasDemos: false,
      admission: async () => ({ ...open, isNew: true, ...admission }),
    });
    const { text } = await get('/', {}, { ...admitting({}), hasDemos: true });
    expect(text).toContain('data-to="/api/users"');
    expect(text).toContain('data-to="/pages/demo"');
    expect(text).not.toContain('administrator_code');
    const without = (await get('/', {}, admitting({ signUp: 'closed' }))).text;
    expect(without).not.toContain('<form');
    expect(without).toContain('potager user create');
    for (const path of ['/', '/sign_up']) {
      const foreign = (await get(path, {}, admitting({ needsCode: true }))).text;
      expect(foreign).toMatch(/name="administrator_code" type="text" autocomplete="off" maxlength/);
      const only = (await get(path, {}, admitting({ signUp: 'closed', needsCode: true }))).text;
      expect(only).toMatch(/name="administrator_code" type="text" autocomplete="off" required/);
    }
    expect((await get('/')).text).not.toContain('data-to="/api/users"');
  });

  it('start demo gardens only where there are any', async () => {
    for (const path of ['/demo', '/try_farmbot']) {
      expect((await get(path)).text).toContain('<option value="genesis_1.8">FarmBot Genesis 1.8</option>');
      const without = (await get(path, {}, { ...options, hasDemos: false })).text;
      expect(without).toContain('DEMO_ACCOUNTS');
      expect(without).not.toContain('<form');
    }
    expect((await get('/', {}, { ...options, hasDemos: false })).text).not.toContain('/demo');
  });

  it('begin with the notice that they need JavaScript', async () => {
    for (const path of everyPage) expect((await get(path)).text).toMatch(/<main id="main">\n<noscript>/);
  });

  it('show a URL that a robot can reach', async () => {
    const shown = async (host: string, isSecure = false) =>
      /<code id="server">(.*?)<\/code>/.exec((await get('/app', { host, isSecure })).text)?.[1];
    expect(await shown('garden.example', true)).toBe('https://garden.example');
    expect(await shown('garden.example:443', true)).toBe('https://garden.example');
    expect(await shown('192.168.1.7:3000')).toBe('http://192.168.1.7:3000');
    for (const host of ['localhost:3000', '127.0.0.1:3000', '127.0.0.53', '[::1]:3000', '0.0.0.0:3000', '[::]:3000'])
      expect(await shown(host)).toBe('http://192.168.1.20:3000');
  });

  it('ask for another address where the server does not know its own', async () => {
    const inContainer = { ...options, robotAddress: () => null };
    for (const path of ['/app', '/os']) {
      const { text } = await get(path, { host: 'localhost:3000', isSecure: false }, inContainer);
      expect(text).toContain('Open this page under that address');
      expect(text).not.toContain('data-copy');
      const known = await get(path, { host: '192.168.1.7:3000', isSecure: false }, inContainer);
      expect(known.text).toContain('<code id="server">http://192.168.1.7:3000</code>');
    }
  });

  it('respond to paths of the web app, but not to its files', async () => {
    expect((await get('/app/*', { params: { '*': 'designer/plants' } })).status).toBe(200);
    const file = { '*': 'designer/main.js' };
    expect((await get('/app/*', { params: file })).status).toBe(404);
    await expect(get('/app/*', { params: file, headers: {} })).rejects.toThrow(Failure);
  });
});
