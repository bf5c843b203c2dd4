import { describe, expect, it } from 'vitest';
import { appPages } from './web-app-layout.ts';
import { appPage, appPolicy } from './web-app-page.ts';

const iss = '//garden.example:443';

const layout = {
  name: 'dist',
  bundles: 'assets/dist',
  isModule: true,
  connects: [],
  links: {},
  needsSeedAlert: false,
} as const;

const [page] = appPages;
if (!page) throw new Error('no pages');

const shown = (config: object): string =>
  appPage({
    page,
    layout,
    style: null,
    icons: null,
    links: [],
    config,
    addresses: { iss },
  }).text;

describe("a page of the vendor's web app", () => {
  it('embeds settings as escaped JSON', () => {
    const config = { TOS_URL: '</script><script>alert(1)</script><!--<script>', LINES: '\u2028\u2029' };
    const text = shown(config);
    const data = /window\.globalConfig = (.*);\n/.exec(text)?.[1] ?? '';
    expect(data).not.toMatch(/[<\u2028\u2029]/);
    expect(JSON.parse(data)).toEqual(config);
    expect(text.match(/<\/?script/g)).toEqual(shown({}).match(/<\/?script/g));
  });

  it('has a policy that allows the needs of the app', () => {
    const policy = new Map(
      appPolicy({ iss }, layout)
        .split('; ')
        .map((one) => {
          const [name = '', ...sources] = one.split(' ');
          return [name, sources];
        }),
    );
    const needed = {
      'default-src': "https: 'self'",
      'base-uri': "'self'",
      'form-action': "'self'",
      'manifest-src': "'self'",
      'connect-src': `http:${iss} https:${iss} ws: wss: https://api.github.com https://raw.githubusercontent.com blob:`,
      'font-src': "'self' data: https:",
      'frame-src': '*',
      'img-src': '* data:',
      'script-src': "'self' 'unsafe-inline' 'unsafe-eval' blob: https://cdnjs.cloudflare.com",
      'style-src': "'self' 'unsafe-inline' https:",
      'report-uri': '/csp_reports',
    };
    for (const [name, sources] of Object.entries(needed))
      expect(policy.get(name), name).toEqual(expect.arrayContaining(sources.split(' ')));
    expect(policy.get('frame-ancestors')).toEqual(["'self'"]);
    expect(policy.get('object-src')).toEqual(["'none'"]);
  });

  it('omits IPv6 addresses from the policy', () => {
    // `'self'` covers the server.
    expect(appPolicy({ iss: '//[::1]:3000' }, layout)).not.toContain('[');
    expect(appPolicy({ iss: '//[::1]:3000' }, layout)).toMatch(/connect-src 'self' /);
  });
});
