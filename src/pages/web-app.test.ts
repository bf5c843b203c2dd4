import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Call, Reply, Route } from '../engine/route.ts';
import { ConsolePage } from './console-page.ts';
import { pageRedirects } from './page-redirects.ts';
import { openWebApp } from './web-app.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'potager-web-app-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Creates a folder with empty files. */
function folderOf(name: string, paths: readonly string[]): string {
  for (const path of paths) {
    mkdirSync(dirname(join(folder, name, path)), { recursive: true });
    writeFileSync(join(folder, name, path), '');
  }
  return join(folder, name);
}

const console = await ConsolePage.open({ broker: () => 'ws://garden.example/ws', folder: '/nowhere' });

const open = (path: string) =>
  openWebApp({
    folder: path,
    console,
    addresses: () => ({ iss: '//garden.example:443' }),
  });

const ownRoutes: readonly Route[] = [
  ...pageRedirects(console),
  {
    method: 'GET',
    path: '/direct_upload/temp/:name',
    access: 'public',
    tag: 'Photos',
    description: 'It is used by tests only.',
    summary: 'A photo',
    replies: { 200: 'binary' },
    handle: () => '',
  },
];

describe("the vendor's web app", () => {
  it('is recognized by its folder, the current layout first', async () => {
    expect((await open(folderOf('new', ['assets/dist/a.js'])))?.layout.name).toBe('dist');
    expect((await open(folderOf('old', ['assets/parcel/a.js'])))?.layout.name).toBe('parcel');
    expect((await open(folderOf('both', ['assets/parcel/a.js', 'assets/dist/a.js'])))?.layout.name).toBe('dist');
    // Leftovers of a failed build, and a system file.
    const empty = folderOf('empty-then-old', ['assets/parcel/deep/a.js', 'assets/dist/.DS_Store']);
    mkdirSync(join(empty, 'assets/dist/css'));
    expect((await open(empty))?.layout.name).toBe('parcel');
    mkdirSync(join(folder, 'hollow/assets/dist/css'), { recursive: true });
    for (const path of [
      join(folder, 'hollow'),
      folderOf('neither', ['assets/main.js']),
      join(folder, 'nowhere'),
      join(folder, 'neither/assets/main.js'),
    ])
      expect(await open(path)).toBeNull();
  });

  it('links the manifest and the icons that a build of the current layout has', async () => {
    const linksOf = async (path: string) => {
      const app = await open(path);
      const page = app?.routes([], async () => ({})).find((route) => route.path === '/app');
      const call = { headers: { accept: 'text/html' }, query: {}, params: {} } as unknown as Call;
      const reply = (await page?.handle({} as never, call)) as Reply;
      return [...reply.text.matchAll(/<link rel="(manifest|icon|apple-touch-icon)" href="([^"]*)">/g)].map(
        ([, rel, href]) => [rel, href],
      );
    };
    const files = ['manifest.local.json', 'favicon.ico', 'images/favicon.png'];
    expect(await linksOf(folderOf('phone', ['assets/dist/main_app-index.js', ...files]))).toEqual([
      ['manifest', '/manifest.local.json'],
      ['icon', '/favicon.ico'],
      ['apple-touch-icon', '/images/favicon.png'],
    ]);
    expect(await linksOf(folderOf('icon', ['assets/dist/main_app-index.js', 'favicon.ico']))).toEqual([
      ['icon', '/favicon.ico'],
    ]);
    expect(await linksOf(folderOf('former', ['assets/parcel/entry.js', ...files]))).toEqual([]);
  });

  it('replaces the built-in pages that it also has', async () => {
    const app = await open(
      folderOf('part', [
        'assets/dist/front_page-index.js',
        'assets/dist/password_reset-index.js',
        'assets/dist/promo-index.js',
      ]),
    );
    const routes = app?.routes(ownRoutes, async () => ({})) ?? [];
    const paths = routes.map(({ path }) => path);
    expect(new Set(paths).size).toBe(paths.length);
    expect([...paths].sort()).toEqual([
      '/',
      '/:first(^(?!api$).+)',
      '/:first(^(?!api$).+)/*',
      '/account',
      '/app',
      '/app/*',
      '/demo',
      '/direct_upload/temp/:name',
      '/featured',
      '/forgotten_password',
      '/import',
      '/invitation/:token',
      '/logout',
      '/os',
      '/password_reset/*',
      '/promo',
      '/seed',
      '/sign_in',
      '/sign_up',
      '/take_back/:token',
      '/tos_update',
      '/try_farmbot',
    ]);
  });
});
