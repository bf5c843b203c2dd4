import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const script = resolve(import.meta.dirname, '../../scripts/check-structure.mjs');

// Separates placeholders in fixtures from this file's.
const dollar = '$';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'potager-structure-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** Runs the check on a tree of these files. */
function check(files: Record<string, string>): { code: number | null; lines: string[] } {
  for (const [file, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), content);
  }
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, root], { encoding: 'utf8' });
  return { code: status, lines: (stdout + stderr).trim().split('\n') };
}

const violations = (files: Record<string, string>): string[] => {
  const { code, lines } = check(files);
  expect(code).toBe(1);
  return lines;
};

/** The front of a room. */
const front = (name: string): string => `export function open${name}() {}\n`;

const imports = (...specifiers: string[]): string => specifiers.map((each) => `import '${each}';\n`).join('');

describe('check-structure', () => {
  it('accepts subjects of the console that use its data and widgets, and refuses subjects that use each other', () => {
    expect(
      violations({
        'src/core/json.ts': '',
        'console/src/main.tsx': imports('./map/map-page.tsx', './shell/frame.tsx', './ui/button.tsx'),
        'console/src/map/map-page.tsx': imports(
          '../data/api.ts',
          '../ui/button.tsx',
          './bed.ts',
          './map.module.css',
          'react',
        ),
        'console/src/map/bed.ts': imports('../robot/jog.ts', '../shell/frame.tsx', '../../../src/core/errors.ts'),
        'console/src/robot/jog.ts': '',
        'console/src/shell/frame.tsx': imports('../data/api.ts'),
        'console/src/data/api.ts': imports('../../../src/core/json.ts', '../ui/button.tsx'),
        'console/src/ui/button.tsx': imports('../data/api.ts'),
      }),
    ).toEqual([
      'console/src/map/bed.ts: map may not import robot (console/src/robot/jog.ts)',
      'console/src/map/bed.ts: map may not import shell (console/src/shell/frame.tsx)',
      'console/src/map/bed.ts: imports ../../../src/core/errors.ts, which the console does not share',
      'console/src/ui/button.tsx: ui may not import data (console/src/data/api.ts)',
      'console/src/data/api.ts: is in an import cycle: console/src/data/api.ts → console/src/ui/button.tsx → console/src/data/api.ts',
    ]);
  });

  it('accepts one-way imports', () => {
    const result = check({
      'src/main.ts': imports('./commands/x-commands.ts', './settings/settings.ts', './core/errors.ts', 'commander'),
      'src/commands/x-commands.ts': imports('../app.ts', './terminal.ts', '../seeding/seeding.ts'),
      'src/commands/terminal.ts': '',
      'src/seeding/seeding.ts':
        imports('../resources.ts', '../garden/tools.ts', '../engine/resource.ts') + front('Seeding'),
      'src/app.ts': imports('./resources.ts', './rooms.ts', './http/http.ts', './db/open.ts', './settings/settings.ts'),
      'src/rooms.ts': imports('./seeding/seeding.ts', './garden/garden.ts', './live/live.ts', './foundation.ts'),
      'src/foundation.ts': imports('./db/open.ts', './settings/settings.ts'),
      'src/resources.ts': imports('./garden/tools.ts'),
      'src/http/http.ts': imports('find-my-way', '../garden/tools.ts', './context.ts'),
      'src/http/context.ts': imports('../core/errors.ts', '../settings/settings.ts'),
      'src/garden/tools.ts': imports('../engine/resource.ts', './points.ts'),
      'src/garden/garden.ts': imports('../foundation.ts', './tools.ts') + front('Garden'),
      'src/garden/points.ts': '',
      'src/garden/points.test.ts': imports('../resources.ts', '../../test/support/x.ts', 'find-my-way', 'pg'),
      'src/engine/resource.ts': imports('../db/open.ts'),
      'src/db/open.ts': imports('better-sqlite3', 'pg', '../core/errors.ts'),
      'src/db/migrations/0001-first.ts': imports('../open.ts', '../../core/errors.ts'),
      'src/settings/settings.ts': imports('../core/errors.ts'),
      'src/core/errors.ts': imports('node:fs', './clock.ts'),
      'src/core/clock.ts': '',
      'src/live/live.ts': imports('../mqtt/server.ts') + front('Live'),
      'src/mqtt/server.ts': imports('aedes', 'ws', '../core/clock.ts', './limits.ts'),
      'src/mqtt/limits.ts': '',
    });
    expect(result).toEqual({ code: 0, lines: ['structure: 23 files, no violations'] });
  });

  it.each([
    ['src/core/a.ts', '../db/b.ts', 'core may not import db (src/db/b.ts)'],
    ['src/core/a.ts', '../settings/b.ts', 'core may not import settings (src/settings/b.ts)'],
    ['src/core/a.ts', 'find-my-way', 'core may not import find-my-way (only http)'],
    ['src/core/a.ts', 'pg', 'core may not import pg (only db)'],
    ['src/engine/a.ts', 'better-sqlite3', 'engine may not import better-sqlite3 (only db)'],
    ['src/app.ts', 'find-my-way', 'app may not import find-my-way (only http)'],
    ['src/garden/a.ts', 'find-my-way', 'garden may not import find-my-way (only http)'],
    ['src/live/a.ts', 'aedes', 'live may not import aedes (only mqtt)'],
    ['src/live/a.ts', 'ws', 'live may not import ws (only mqtt)'],
    ['src/garden/a.ts', '../mqtt/b.ts', 'garden may not import mqtt (src/mqtt/b.ts)'],
    ['src/mqtt/a.ts', '../live/b.ts', 'mqtt may not import live (src/live/b.ts)'],
    ['src/mqtt/a.ts', '../db/b.ts', 'mqtt may not import db (src/db/b.ts)'],
    ['src/db/a.ts', '../engine/b.ts', 'db may not import engine (src/engine/b.ts)'],
    ['src/engine/a.ts', '../garden/b.ts', 'engine may not import garden (src/garden/b.ts)'],
    ['src/garden/a.ts', '../http/b.ts', 'garden may not import http (src/http/b.ts)'],
    ['src/garden/a.ts', '../settings/b.ts', 'garden may not import settings (src/settings/b.ts)'],
    ['src/garden/a.ts', '../resources.ts', 'garden may not import resources (src/resources.ts)'],
    ['src/garden/a.ts', '../device/b.ts', 'the room garden may not import the room device (src/device/b.ts)'],
    ['src/http/a.ts', '../app.ts', 'http may not import app (src/app.ts)'],
    ['src/http/a.ts', '../resources.ts', 'http may not import resources (src/resources.ts)'],
    ['src/main.ts', './http/b.ts', 'main may not import http (src/http/b.ts)'],
    ['src/garden/a.ts', '../../test/support/b.ts', 'imports ../../test/support/b.ts, which is outside src'],
    ['src/garden/a.ts', '../seeding/b.ts', 'garden may not import seeding (src/seeding/b.ts)'],
    ['src/seeding/a.ts', '../upkeep/b.ts', 'the spanning seeding may not import the spanning upkeep (src/upkeep/b.ts)'],
    ['src/garden/a.ts', './b.test.ts', 'imports the test src/garden/b.test.ts'],
  ])('refuses that %s imports %s', (file, specifier, sentence) => {
    expect(violations({ [file]: imports(specifier) })).toEqual([`${file}: ${sentence}`]);
  });

  it('lets rooms import the offers of others, which declare types only', () => {
    expect(check({ 'src/garden/a.ts': imports('../device/offer.ts'), 'src/device/offer.ts': '' }).code).toBe(0);
    expect(violations({ 'src/device/offer.ts': "import type { A } from './a.ts';\nexport const a = 1;\n" })).toEqual([
      'src/device/offer.ts: an offer declares types only',
    ]);
  });

  it('recognizes every form of import', () => {
    const forms = [
      "import a from '../db/a.ts';",
      "import type { B } from '../db/b.ts';",
      'import {\n  c, // from "nowhere"\n  type C as D,\n} from "../db/c.ts";',
      "import * as d from '../db/d.ts';",
      "export { e } from '../db/e.ts';",
      "export type { F } from '../db/f.ts';",
      "const g = await import('../db/g.ts');",
      "let h: import('../db/h.ts').H;",
      "import i, { j } from '../db/i.ts';",
      `const k = \`${dollar}{await import("../db/k.ts")} text\`;`,
    ];
    expect(violations({ 'src/core/x.ts': forms.join('\n') })).toEqual(
      [...'abcdefghik'].map((name) => `src/core/x.ts: core may not import db (src/db/${name}.ts)`),
    );
  });

  it('ignores comments, strings, templates and regular expressions', () => {
    const ignored = [
      "// import '../db/a.ts';",
      "/* import '../db/b.ts';\n export default 1; */",
      `const c = "import '../db/c.ts'";`,
      `const d = \`\nimport '../db/d.ts';\nexport default ${dollar}{'x'}\nexport * from\`;`,
      "const e = /import '..\\/db/.test('[/]') ? /[/'\"]/ : 4 / 2;",
      "const f = 'it\\'s import(';",
      "const g = { import: 1, from: 'x' }; g.import;",
      'const here = import.meta.dirname;',
      "const i = 1; i / 2; '/* ';",
      `export const j = \`${dollar}{\`it.only(${dollar}{1})\`}\`;`,
    ];
    expect(check({ 'src/core/x.ts': ignored.join('\n') }).lines).toEqual(['structure: 1 files, no violations']);
  });

  it('reports cycles once, cycles of types and of files loaded later included', () => {
    expect(
      violations({
        'src/core/b.ts': imports('./a.ts', './c.ts'),
        'src/core/a.ts': "import type { B } from './b.ts';",
        'src/core/c.ts': imports('./d.ts'),
        'src/core/d.ts': imports('./c.ts'),
        'src/core/self.ts': imports('./self.ts'),
        'console/src/map/routes.ts': "export const load = () => import('./map-page.tsx');",
        'console/src/map/map-page.tsx': imports('./routes.ts'),
        'test/support/e.ts': imports('./f.ts'),
        'test/support/f.ts': imports('./e.ts'),
      }),
    ).toEqual([
      'src/core/a.ts: is in an import cycle: src/core/a.ts → src/core/b.ts → src/core/a.ts',
      'src/core/c.ts: is in an import cycle: src/core/c.ts → src/core/d.ts → src/core/c.ts',
      'src/core/self.ts: is in an import cycle: src/core/self.ts → src/core/self.ts',
      'console/src/map/map-page.tsx: is in an import cycle: console/src/map/map-page.tsx → console/src/map/routes.ts → console/src/map/map-page.tsx',
      'test/support/e.ts: is in an import cycle: test/support/e.ts → test/support/f.ts → test/support/e.ts',
    ]);
  });

  it('requires a front file of every room', () => {
    expect(
      violations({
        'src/rooms.ts': '',
        'src/garden/points.ts': '',
        'src/live/live.ts': 'export function startLive() {}\n',
        'src/seeding/seeding.ts': front('Seeding'),
        'src/backup/archive.ts': '',
      }),
    ).toEqual(['src/garden/garden.ts: the room garden has no front file', 'src/live/live.ts: does not export open…']);
  });

  it('requires kebab-case and specific names', () => {
    expect(
      violations({
        'src/garden/camelCase.ts': '',
        'src/garden/index.ts': '',
        'src/garden/point-helpers.ts': '',
        'src/stray.ts': '',
        'src/utils/text.ts': '',
      }),
    ).toEqual([
      'src/garden/camelCase.ts: "camelCase.ts" is not in kebab-case',
      'src/garden/index.ts: an index file is a barrel',
      'src/garden/point-helpers.ts: "helpers" is too vague for a name',
      'src/stray.ts: only main.ts, app.ts, lifecycle.ts, operations.ts, rooms.ts, foundation.ts, resources.ts and folders of other names belong in src',
      'src/utils/text.ts: "utils" is too vague for a name',
    ]);
  });

  it('limits the length of files that are not tests', () => {
    expect(
      violations({
        'src/core/long.ts': 'const x = 1;\n'.repeat(401),
        'src/core/short.ts': 'const x = 1;\n'.repeat(400),
        'src/app.ts': '// A line.\n'.repeat(181),
        'src/core/long.test.ts': 'const x = 1;\n'.repeat(401),
        'src/db/migrations/20261121000000-first-schema.ts': 'const x = 1;\n'.repeat(401),
      }),
    ).toEqual(['src/app.ts: has 181 lines, more than 180', 'src/core/long.ts: has 401 lines, more than 400']);
  });

  it('requires named exports and static specifiers', () => {
    expect(
      violations({
        'src/core/a.ts':
          "export default 1;\nexport * from './b.ts';\nexport { c as default };\nexport * as d from './b.ts';",
        'src/core/b.ts': 'export const load = (name: string) => import(name);',
        'src/core/c.ts': "const files = import.meta.glob<string>('./*.txt', { eager: true });",
      }),
    ).toEqual([
      'src/core/a.ts:1: has a default export',
      'src/core/a.ts:2: re-exports everything of another file',
      'src/core/a.ts:3: has a default export',
      'src/core/a.ts:4: re-exports everything of another file',
      'src/core/b.ts:1: imports a module that is computed at run time',
      'src/core/c.ts:1: give the variable the type: import.meta.glob(…)',
    ]);
  });

  it('refuses replies whose messages are written before their reader is known', () => {
    expect(
      violations({
        'src/core/a.ts': "reply(jsonFor('api', { error }));\nreturn new Reply(JSON.stringify({ error }), type, 507);",
      }),
    ).toEqual([
      'src/core/a.ts:2: writes messages before it is known who reads them: return the object, or use jsonFor',
    ]);
  });

  it('refuses unfinished work, disabled tests and foreign paths', () => {
    const [todo, fixme, elsewhere, shared] = ['TO' + 'DO', 'FIX' + 'ME', `/${'work'}/x`, `../${'shared'}`];
    expect(
      violations({
        'src/core/a.ts': `// ${todo}: more\nconst autodoTODOS = 1;`,
        'test/b.test.ts': "it.skip('a', () => {});\ndescribe.each([1]).only('b', () => {});\nit.only.each([1])('c');",
        'test/d.test.ts': "vi.mock('node:fs');",
        'docs/c.md': `${fixme}\n\n${elsewhere}`,
        'README.md': `see ${shared}`,
      }).sort(),
    ).toEqual([
      `README.md:1: mentions ${shared}`,
      `docs/c.md:1: contains a ${fixme}`,
      `docs/c.md:3: mentions /${'work'}/`,
      `src/core/a.ts:1: contains a ${todo}`,
      'test/b.test.ts:1: disables a test or runs it alone',
      'test/b.test.ts:2: disables a test or runs it alone',
      'test/b.test.ts:3: disables a test or runs it alone',
      'test/d.test.ts:1: mocks a module',
    ]);
  });

  it('refuses tests that start a program in process, and tests that would run once on each engine', () => {
    const engines = "import { describeEngines, engines } from '../support/engines.ts';\n";
    expect(
      violations({
        'test/api/a.test.ts': `${engines}describe.each(engines)('a', () => {});\ndescribe('b', () => {});\nit('c');\n`,
        'test/api/b.test.ts': "describe('a', () => {});\nconst server = suiteServer('sqlite');\n",
        'src/core/c.test.ts': "import { ServerProcess } from '../../test/support/servers.ts';\n",
        'test/first/d.test.ts': `${engines}const server = suiteServer('sqlite');\nit.each([1])('a');\n`,
        'test/processes/e.test.ts': `${engines}const server = suiteServer('sqlite');\nit('a');\n`,
      }).sort(),
    ).toEqual([
      'src/core/c.test.ts:1: starts a program (ServerProcess): it belongs in test/processes',
      'test/api/a.test.ts:3: would run once on each engine: use describeAnyEngine or itAnyEngine',
      'test/api/a.test.ts:4: would run once on each engine: use describeAnyEngine or itAnyEngine',
      'test/api/b.test.ts:2: starts a program (suiteServer): it belongs in test/processes',
      'test/first/d.test.ts:3: would run once on each engine: use describeAnyEngine or itAnyEngine',
    ]);
  });
});
