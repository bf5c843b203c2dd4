import { describe, expect, it } from 'vitest';
import { noticePage, page, signedInPage } from './page.ts';

describe('a page', () => {
  it('allows its own script and stylesheet, and no frames', () => {
    const { headers } = page({ title: 'Title', content: '<h1>Title</h1>' });
    expect(headers['content-security-policy']?.split('; ')).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "connect-src 'self'",
      "img-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      'report-uri /csp_reports',
    ]);
    expect(headers['cache-control']).toBe('no-store');
    expect(headers['referrer-policy']).toBe('no-referrer');
  });

  it('embeds a session as escaped JSON', () => {
    const { text } = signedInPage({ user: { name: '</script><script>alert(1)</script>' } });
    const data = /<script type="application\/json" id="session">(.*)<\/script>/.exec(text)?.[1] ?? '';
    expect(JSON.parse(data)).toEqual({ user: { name: '</script><script>alert(1)</script>' } });
    expect(text.match(/<script/g)).toHaveLength(2);
  });

  it('shows an error with its status', () => {
    const { status, text } = noticePage(404, 'A <title>', 'It was & is.');
    expect(status).toBe(404);
    expect(text).toContain('<h1>A &lt;title&gt;</h1>');
    expect(text).toContain('<p>It was &amp; is.</p>');
    expect(text).toContain('<a class="button" href="/">Home</a>');
  });

  it('shows 409 as already done', () => {
    const { status, text } = noticePage(409, 'This did not work', 'It was verified.');
    expect(status).toBe(409);
    expect(text).toContain('<h1>Already done</h1>');
    expect(text).not.toContain('This did not work');
    expect(text).toContain('<a class="button when-out" href="/sign_in">Sign in</a>');
    expect(text).toContain('<a class="button when-in" href="/app">My garden</a>');
  });
});
