import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { releases } from '../../src/device/releases.ts';
import { layouts, makeWebApp } from '../browsers/pages/web-app-folder.ts';
import type { TestApp } from '../support/app.ts';
import { password, startApp } from '../support/app.ts';
import { prepareServer } from '../support/servers.ts';

const html = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

for (const layout of layouts)
  describe(`files and pages of the vendor's web app in the layout ${layout}`, () => {
    let folder: string;
    let server: TestApp;
    const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
      server.call(method, path, { headers });

    beforeAll(async () => {
      folder = makeWebApp(layout);
      server = await startApp('sqlite', { WEB_APP_DIR: folder });
    });
    afterAll(async () => {
      await server.close();
      rmSync(folder, { recursive: true, force: true });
    });

    it('have the content types that browsers require', async () => {
      const script = layout === 'dist' ? '/assets/dist/main_app-index.js' : '/assets/parcel/entry.js';
      const types = {
        [script]: 'text/javascript; charset=utf-8',
        [`/assets/${layout}/css/_index.css`]: 'text/css; charset=utf-8',
        '/images/tomato.avif': 'image/avif',
        '/3D/robot.glb': 'model/gltf-binary',
        '/assets/monaco/draco.wasm': 'application/wasm',
        '/app-resources/languages/en.json': 'application/json; charset=utf-8',
        '/FEATURE_MIN_VERSIONS.json': 'application/json; charset=utf-8',
        '/RELEASE_NOTES.md': 'text/markdown; charset=utf-8',
        '/robots.txt': 'text/plain; charset=utf-8',
      };
      for (const [path, type] of Object.entries(types)) {
        const { status, headers } = await get(`${path}?version=1a2b`);
        expect([path, status, headers['content-type'], headers['x-content-type-options']]).toEqual([
          path,
          200,
          type,
          'nosniff',
        ]);
      }
    });

    it('include a webcam picture of demo gardens, unless the app has its own', async () => {
      const path = '/app-resources/img/demo_accounts/Genesis_Demo_Webcam.jpg';
      expect((await get(path)).headers['content-type']).toBe('image/svg+xml');
      const file = join(folder, path);
      mkdirSync(join(file, '..'), { recursive: true });
      writeFileSync(file, 'the picture of the app');
      expect((await get(path)).text).toBe('the picture of the app');
    });

    it('have cache headers', async () => {
      const path = `/assets/${layout}/css/_index.css`;
      const { headers, text } = await get(path);
      expect(text).toBe('body { background: rgb(1, 2, 3); }');
      expect(headers['cache-control']).toBe('public, no-cache');
      const again = await get(path, { 'if-none-match': String(headers.etag) });
      expect([again.status, again.text, again.headers.etag]).toEqual([304, '', headers.etag]);
      const head = await get(path, {}, 'HEAD');
      expect([head.status, head.text, head.headers['content-length']]).toEqual([200, '', '34']);
      if (layout === 'dist')
        expect((await get('/assets/dist/start-2BADCAF3.js')).headers['cache-control']).toContain('immutable');
      expect((await get('/app', html)).headers['cache-control']).toBe('no-store');
    });

    it('are served whatever their names', async () => {
      for (const path of ['plan (1) + é 100%.txt', 'crops & seeds/dill #2?.txt']) {
        const spelled = `/${path.split('/').map(encodeURIComponent).join('/')}`;
        const { status, text } = await get(spelled);
        expect([path, status, text]).toEqual([path, 200, 'odd names']);
      }
      expect((await get('/plan%20(1)%20+%20%C3%A9%20100%25.txt')).status).toBe(200);
      expect((await get('/demo/start.txt')).text).toBe('beside a page');
    });

    it('are not served from outside the folder', async () => {
      const escapes = [
        '/assets',
        '/assets/',
        `/assets/${layout}`,
        '/assets/../.env',
        '/assets/%2e%2e/.env',
        '/assets/..%2f.env',
        '/assets/%2e%2e%2f%2e%2e%2fetc/passwd',
        '/assets/%252e%252e/.env',
        '/assets/..%5c.env',
        '/assets/%00',
        '/assets/%ff',
        '/.env',
        '/%2eenv',
        '/images/none.avif',
        '/nothing.txt',
        '/..%2f..%2fetc%2fpasswd',
        '/images%2f..%2f.env',
        '/images/../.env',
        '/images%5ctomato.avif',
        `/images/${'a'.repeat(2000)}`,
      ];
      for (const path of escapes) {
        const { status, text } = await get(path, html);
        expect([path, status]).toEqual([path, status === 400 ? 400 : 404]);
        expect(text).not.toContain('SECRET');
      }
    });

    it('never replace routes of the server', async () => {
      expect((await get('/api/points')).status).toBe(401);
      const unknown = await get('/api/main.js', html);
      expect([unknown.status, unknown.headers['content-type']]).toEqual([404, 'application/json; charset=utf-8']);
      const taken = [
        '/docs/index.html',
        '/docs%2findex.html',
        '/%64ocs/index.html',
        '/api%2fpoints',
        '/direct_upload/temp/a.jpg',
        '/direct_upload%2ftemp%2fa.jpg',
        '/pages/page.js',
      ];
      for (const path of taken) {
        const { status, text } = await get(path);
        expect([path, status]).toEqual([path, 404]);
        expect(text).not.toContain('never shown');
      }
      expect((await get('/logout', html)).headers.location).toBe('/console/sign-out');
      expect((await get('/docs', html)).text).toContain('API documentation · Potager');
    });

    it('are HTML for browsers only', async () => {
      const paths = ['/', '/app', '/app/designer/plants', '/os', '/tos_update', '/password_reset/a.b.c', '/demo'];
      for (const path of paths) {
        for (const accept of ['*/*', 'application/json']) {
          const { status, text } = await get(path, { accept });
          expect([status, text]).toEqual([200, '']);
        }
        expect((await get(path, html)).headers['content-type']).toBe('text/html; charset=utf-8');
      }
      // Paths of the app, whatever their form.
      for (const path of ['/app/designer/plants/1.5,2', '/app/main.js'])
        expect((await get(path, html)).text).toContain('globalConfig');
    });

    it('have their elements in the order that the app needs', async () => {
      const { text } = await get('/terminal', html);
      const order = [
        '<meta name="viewport"',
        `href="/assets/${layout}/css/_index.css"`,
        layout === 'dist' ? '/assets/dist/css/xterm.css' : '/assets/parcel/terminal/index.css',
        'font-awesome/4.7.0',
        'window.globalConfig = {',
        'window.process = {env: {NODE_ENV: "production"}};',
        'window.logStore = {',
        '</head>',
        '<div id="root"></div>',
        layout === 'dist'
          ? '<script type="module" src="/assets/dist/terminal-index.js">'
          : '<script src="/assets/parcel/terminal/index.js">',
        '</body>',
      ].map((part) => text.indexOf(part));
      expect(order).toEqual([...order].sort((a, b) => a - b));
      expect(order).not.toContain(-1);
    });

    it('show that they are loading until their bundle has run, except where it would stay', async () => {
      expect((await get('/app', html)).text).toContain('<p class="initial-loading-text">Loading …</p>');
      expect((await get('/terminal', html)).text).not.toContain('Loading');
    });

    it('get the alert of a new account that the set-up wizard of this layout waits for', async () => {
      const { email, token } = await server.signUp();
      const tags = async (ownToken: string) =>
        (await server.call('GET', '/api/alerts', { token: ownToken })).json.map(
          ({ problem_tag, priority }: { problem_tag: string; priority: number }) => [problem_tag, priority],
        );
      const usual = [
        ['api.user.not_welcomed', 100],
        ['api.documentation.unread', 400],
      ];
      const wanted = layout === 'parcel' ? [...usual, ['api.seed_data.missing', 200]] : usual;
      expect(await tags(token)).toEqual(wanted);
      // A new device of the same account.
      expect((await server.call('POST', '/api/device', { token, body: { name: 'Second' } })).status).toBe(200);
      const body = { user: { email, password } };
      expect(await tags((await server.call('POST', '/api/tokens', { body })).json.token.encoded)).toEqual(wanted);
    });

    it('may connect to the URLs in tokens and to the hosts of this layout', async () => {
      const policy = String(
        (await get('/app', { ...html, host: 'garden.example:3000' })).headers['content-security-policy'],
      );
      const connect = /connect-src ([^;]*)/.exec(policy)?.[1]?.split(' ');
      expect(connect).toEqual(expect.arrayContaining(["'self'", 'http://garden.example:3000', 'ws:', 'wss:']));
      expect(connect?.includes('https://openfarm.cc')).toBe(layout === 'parcel');
      // HTML files keep the strict policy.
      const otherHtml = await get('/assets/monaco/index.html');
      expect(otherHtml.headers['content-security-policy']).toContain("default-src 'self'");
      expect(otherHtml.headers['content-security-policy']).not.toContain("script-src 'self' 'unsafe-inline'");
    });

    it('contain the newest release, escaped', async () => {
      const insert = (version: string, channel: string, dot_img_url: string | null) =>
        server.app
          .server()
          .insert(releases, { image_url: 'https://x.example/f.fw', version, platform: 'rpi4', channel, dot_img_url });
      await insert('17.0.0', 'stable', 'https://x.example/</script>.img');
      await insert('18.0.0-rc1', 'beta', 'https://x.example/beta.img');
      const { text } = await get('/os', html);
      const config = /window\.globalConfig = (.*);\n/.exec(text)?.[1] ?? '';
      expect(JSON.parse(config)).toMatchObject({
        rpi4_release_url: 'https://x.example/</script>.img',
        rpi4_release_tag: '17.0.0',
        rpi3_release_url: null,
      });
      expect(text.match(/<\/script>/g)).toHaveLength(2);
    });
  });

describe('unknown paths', () => {
  it('respond with a page to browsers, and with JSON to other clients and in the API', async () => {
    const server = await startApp('sqlite');
    const request = (method: string, path: string, headers: Record<string, string>) =>
      server.call(method, path, { headers });
    for (const path of ['/nothing', '/nothing/at/all.html', '/app/main.js', '/docs/more', '/pages/page.js']) {
      const shown = await request('GET', path, html);
      expect([path, shown.status, shown.headers['content-type']]).toEqual([path, 404, 'text/html; charset=utf-8']);
      expect(shown.text).toContain('{"to":"/not-found"}');
      for (const headers of [{ accept: '*/*' }, { accept: 'application/json' }]) {
        const { status, json } = await request('GET', path, headers);
        expect([path, status, json]).toEqual([path, 404, { error: 'This address was not found.' }]);
      }
    }
    for (const [method, path] of [
      ['GET', '/api'],
      ['GET', '/api/nothing'],
      ['GET', '/api/nothing/at/all'],
      ['POST', '/nothing'],
      ['DELETE', '/nothing/at/all'],
    ] as const) {
      const { status, json, headers } = await request(method, path, { ...html, origin: 'https://elsewhere.example' });
      expect([path, status, json]).toEqual([path, 404, { error: 'This address was not found.' }]);
      // Other origins must be able to read it.
      expect(headers['access-control-allow-origin']).toBe(path.startsWith('/api') ? '*' : undefined);
    }
    const head = await request('HEAD', '/nothing', html);
    expect([head.status, head.text]).toEqual([404, '']);
    await server.close();
  });
});

describe('a folder without a web app', () => {
  it('is an error at start that names the setting', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'potager-no-web-app-'));
    mkdirSync(join(folder, 'assets'));
    writeFileSync(join(folder, 'index.html'), 'hello');
    const server = await prepareServer('sqlite', { WEB_APP_DIR: folder });
    const { code, output } = await server.run(['serve']);
    expect(code).toBe(2);
    expect(output).toContain('WEB_APP_DIR must be');
    // Nothing was created.
    expect(existsSync(join(server.dataDir, 'potager.sqlite'))).toBe(false);
    await server.remove();
    rmSync(folder, { recursive: true, force: true });
  });
});
