import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { Failure } from '../core/errors.ts';
import type { Call } from '../engine/route.ts';
import { Reply } from '../engine/route.ts';
import { noticePage, signedInPage } from './page.ts';
import { pageRoutes } from './page-routes.ts';

const facts = { termsUrl: 'https://garden.example/terms?a=1&b="', privacyUrl: null, signUp: 'open' } as const;

async function get(path: string, parameters: Record<string, string> = {}, accept = 'text/html,*/*'): Promise<Reply> {
  const route = pageRoutes(facts).find((one) => one.path === path);
  if (route?.access !== 'public') throw new Error(`no page ${path}`);
  const call = { params: parameters, headers: { accept } } as Partial<Call> as Call;
  // Pages ask for no data.
  const answer = await route.handle({} as Parameters<typeof route.handle>[0], call);
  if (!(answer instanceof Reply)) throw new Error('not a reply');
  return answer;
}

const hash = (text: string | undefined): string =>
  `'sha256-${createHash('sha256')
    .update(text ?? '')
    .digest('base64')}'`;

const everyPage = ['/', '/os', '/featured', '/tos_update', '/logout', '/app', '/app/*', '/password_reset/:token'];

describe('pages', () => {
  it('are empty for programs and HTML for browsers', async () => {
    for (const path of everyPage) {
      for (const accept of ['*/*', 'application/json', '']) expect((await get(path, {}, accept)).text).toBe('');
      const shown = await get(path);
      expect(shown.type).toBe('text/html; charset=utf-8');
      expect(shown.text).toMatch(/^<!doctype html>\n<html lang="en">/);
    }
  });

  it('run their own script and style and nothing else', async () => {
    for (const path of everyPage) {
      const { text, headers } = await get(path);
      const policy = headers['content-security-policy'] ?? '';
      expect(policy).toContain(`script-src ${hash(/<script>([\s\S]*?)<\/script>/.exec(text)?.[1])};`);
      expect(policy).toContain(`style-src ${hash(/<style>([\s\S]*?)<\/style>/.exec(text)?.[1])};`);
      expect(policy).toContain("default-src 'none'");
      expect(text).not.toMatch(/ (on\w+|style)="/);
      expect(headers['cache-control']).toBe('no-store');
    }
  });

  it('link to the terms, safely', async () => {
    expect((await get('/')).text).toContain('href="https://garden.example/terms?a=1&amp;b=&quot;"');
    expect((await get('/tos_update')).text).toContain('name="agree_to_terms"');
  });

  it('serve places of the web app, not its files', async () => {
    expect((await get('/app/*', { '*': 'designer/plants' })).status).toBe(200);
    await expect(get('/app/*', { '*': 'designer/main.js' })).rejects.toThrow(Failure);
  });

  it('keep a session as data that cannot become markup', () => {
    const { text } = signedInPage({ user: { name: '</script><script>alert(1)</script>' } });
    const data = /<script type="application\/json" id="session">(.*)<\/script>/.exec(text)?.[1] ?? '';
    expect(JSON.parse(data)).toEqual({ user: { name: '</script><script>alert(1)</script>' } });
    expect(text.match(/<script/g)).toHaveLength(2);
  });

  it('tell what went wrong with its status', () => {
    const { status, text } = noticePage(409, 'A <title>', 'It was & is.');
    expect(status).toBe(409);
    expect(text).toContain('<h1>A &lt;title&gt;</h1>');
    expect(text).toContain('<p>It was &amp; is.</p>');
  });
});
