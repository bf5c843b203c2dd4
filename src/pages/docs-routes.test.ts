import { expect, it } from 'vitest';
import type { ServerScope } from '../db/scope.ts';
import type { Call } from '../engine/route.ts';
import { Reply } from '../engine/route.ts';
import { docsRoutes } from './docs-routes.ts';
import { pageFileContent } from './page-files.ts';

async function reply(path: string): Promise<Reply> {
  const call = { headers: {} } as Call;
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

it('the viewer is sandboxed by its policy, too, and cannot connect to other servers', async () => {
  const { headers } = await reply('/docs/viewer');
  expect(directives(headers['content-security-policy'])).toEqual([
    'sandbox allow-scripts allow-forms allow-downloads',
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
    'report-uri /csp_reports',
  ]);
});

it('all files of the viewer are served by this server', async () => {
  const { text } = await reply('/docs/viewer');
  expect(text).not.toMatch(/https?:/);
  const files = [...text.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map((match) => match[1] ?? '');
  expect(files).toHaveLength(6);
  for (const file of files) {
    const name = /^\/pages\/(.+)$/.exec(file)?.[1];
    const { status, type } = (await pageFileContent(name ?? '')?.reply({ headers: {} })) ?? {};
    expect([file, status, type]).toEqual([file, 200, expect.stringMatching(/^(text\/(javascript|css);|image\/svg)/)]);
  }
});
