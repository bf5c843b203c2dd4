import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Route } from '../engine/route.ts';
import { pageRoutes } from './page-routes.ts';
import { openWebApp } from './web-app.ts';
import { appPolicy } from './web-app-page.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'potager-web-app-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A folder with these files, all of them empty. */
function folderOf(name: string, paths: readonly string[]): string {
  for (const path of paths) {
    mkdirSync(dirname(join(folder, name, path)), { recursive: true });
    writeFileSync(join(folder, name, path), '');
  }
  return join(folder, name);
}

const open = (path: string) =>
  openWebApp({
    folder: path,
    addresses: () => ({ iss: '//garden.example:443', mqttWs: 'wss://garden.example:443/ws' }),
    config: async () => ({}),
  });

const ours: readonly Route[] = [
  ...pageRoutes({
    termsUrl: null,
    privacyUrl: null,
    signUp: 'open',
    verifies: true,
    sendsMail: true,
    robotAddress: () => 'http://192.168.1.20:3000',
  }),
  {
    method: 'GET',
    path: '/direct_upload/temp/:name',
    access: 'public',
    tag: 'photos',
    summary: 'A photo',
    replies: { 200: 'binary' },
    handle: () => '',
  },
];

describe("the vendor's web app", () => {
  it('is recognised by its folder, the newer layout first', async () => {
    expect((await open(folderOf('new', ['assets/dist/a.js'])))?.layout.name).toBe('dist');
    expect((await open(folderOf('old', ['assets/parcel/a.js'])))?.layout.name).toBe('parcel');
    expect((await open(folderOf('both', ['assets/parcel/a.js', 'assets/dist/a.js'])))?.layout.name).toBe('dist');
    for (const path of [
      folderOf('neither', ['assets/main.js']),
      join(folder, 'nowhere'),
      join(folder, 'neither/assets/main.js'),
    ])
      expect(await open(path)).toBeNull();
  });

  it('takes the places of our pages for which it has its own, and leaves the rest', async () => {
    const app = await open(
      folderOf('part', [
        'assets/dist/front_page-index.js',
        'assets/dist/password_reset-index.js',
        'assets/dist/promo-index.js',
        'direct_upload/temp/a.jpg',
        'pages/page.js',
        'logout',
        'api/x',
        '.git/config',
        'images/a.png',
        'odd:name(1).txt',
        'favicon.ico',
      ]),
    );
    const routes = app?.routes(ours) ?? [];
    const paths = routes.map(({ path }) => path);
    expect(new Set(paths).size).toBe(paths.length);
    expect([...paths].sort()).toEqual([
      '/',
      '/app',
      '/app/*',
      '/assets/*',
      '/direct_upload/temp/:name',
      '/favicon.ico',
      '/featured',
      '/forgotten_password',
      '/images/*',
      '/logout',
      '/os',
      '/pages/:file',
      '/password_reset/*',
      '/promo',
      '/sign_in',
      '/sign_up',
      '/tos_update',
    ]);
  });

  it('may connect to its server and broker, spelled as policies can', () => {
    const connect = (iss: string, mqttWs: string) => /connect-src ([^;]*)/.exec(appPolicy({ iss, mqttWs }))?.[1];
    expect(connect('//garden.example:443', 'wss://broker.example/ws')).toBe(
      "'self' data: blob: http://garden.example:443 https://garden.example:443 wss://broker.example https://api.github.com https://raw.githubusercontent.com",
    );
    expect(connect('//[::1]:3000', 'ws://[::1]:3000/ws')).toBe(
      "'self' data: blob: https://api.github.com https://raw.githubusercontent.com",
    );
  });
});
