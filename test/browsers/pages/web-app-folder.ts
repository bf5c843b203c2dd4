import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** The two layouts of the vendor's build. */
export const layouts = ['dist', 'parcel'] as const;

export type Layout = (typeof layouts)[number];

const source = (name: string): string => readFileSync(join(import.meta.dirname, 'in-browser', name), 'utf8');

/** The browser build of MQTT.js. */
const mqttFile = join(dirname(createRequire(import.meta.url).resolve('mqtt/package.json')), 'dist/mqtt.min.js');

const marking = (name: string): string => `document.body.dataset.bundle = '${name}';\n`;

/** The bundles of small pages: their names in the two layouts. */
const smallPages = [
  ['demo', 'demo/index'],
  ['try_farmbot', 'try_farmbot/index'],
  ['promo', 'promo/index'],
  ['os_download', 'os_download/index'],
  ['tos_update', 'tos_update/index'],
  ['password_reset', 'password_reset/index'],
  ['terminal', 'terminal/index'],
] as const;

/** Files of a small app in one layout, by their paths. */
function filesOf(layout: Layout): Record<string, string> {
  const shared = {
    'app-resources/languages/en.json': '{"translated": {}, "untranslated": {}, "other_translations": {}}',
    'FEATURE_MIN_VERSIONS.json': '{}',
    'RELEASE_NOTES.md': '# v1\n',
    'robots.txt': 'User-agent: *\n',
    'images/tomato.avif': 'no picture',
    '3D/robot.glb': 'no model',
    'assets/monaco/draco.wasm': 'no program',
    'assets/monaco/index.html': '<script>alert(1)</script>',
    '.env': 'SECRET=1',
    'api/points': 'never shown',
    'app/main.js': 'never shown',
    'docs/index.html': 'never shown',
    'direct_upload/temp/a.jpg': 'never shown',
    'pages/page.js': 'never shown',
    logout: 'never shown',
    'plan (1) + é 100%.txt': 'odd names',
    'crops & seeds/dill #2?.txt': 'odd names',
    'demo/start.txt': 'beside a page',
  };
  const style = 'body { background: rgb(1, 2, 3); }';
  if (layout === 'dist')
    return {
      ...shared,
      'assets/dist/css/_index.css': style,
      'assets/dist/css/xterm.css': '.xterm {}',
      'assets/dist/front_page-index.js': source('front-page.js'),
      // A module that imports the others.
      'assets/dist/main_app-index.js': "import './mqtt-7f3a9c21.js';\nimport './start-2BADCAF3.js';\n",
      // Not a module: its variable is global.
      'assets/dist/mqtt-7f3a9c21.js': `${readFileSync(mqttFile, 'utf8')}\nglobalThis.mqtt = mqtt;\n`,
      'assets/dist/start-2BADCAF3.js': source('main-app.js'),
      ...Object.fromEntries(smallPages.map(([name]) => [`assets/dist/${name}-index.js`, marking(name)])),
    };
  return {
    ...shared,
    'assets/parcel/css/_index.css': style,
    'assets/parcel/terminal/index.css': '.xterm {}',
    'assets/parcel/front_page/index.js': source('front-page.js'),
    'assets/parcel/entry.js': `${readFileSync(mqttFile, 'utf8')}\n${source('main-app.js')}`,
    ...Object.fromEntries(smallPages.map(([name, path]) => [`assets/parcel/${path}.js`, marking(name)])),
  };
}

/** Writes a small app, laid out as the vendor's build, into a temporary folder; returns its path. */
export function makeWebApp(layout: Layout): string {
  const folder = mkdtempSync(join(tmpdir(), `potager-web-app-${layout}-`));
  for (const [path, content] of Object.entries(filesOf(layout))) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return folder;
}
