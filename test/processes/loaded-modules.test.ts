import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { prepareServer, program, type ServerProcess } from '../support/servers.ts';

/** A preloaded module that writes the URL of every module that is imported, and the path of every one that is required, to a file. */
const recorder = (file: string): string => `
  import { appendFileSync } from 'node:fs';
  import { createRequire, register } from 'node:module';
  const hook = \`import { appendFileSync } from 'node:fs';
    export const load = (url, context, next) => {
      appendFileSync(${JSON.stringify(file)}, url + '\\\\n');
      return next(url, context);
    };\`;
  register('data:text/javascript,' + encodeURIComponent(hook));
  const { cache } = createRequire('/');
  process.on('exit', () => appendFileSync(${JSON.stringify(file)}, Object.keys(cache).join('\\n') + '\\n'));
`;

interface Loaded {
  /** Modules of the program, which bundles name above their code. */
  readonly own: readonly string[];
  /** The program's dependencies. */
  readonly packages: readonly string[];
}

describe('modules that a command loads', () => {
  let server: ServerProcess;
  let dependencies: ReadonlySet<string>;
  beforeAll(async () => {
    server = await prepareServer('sqlite');
    await mkdir(server.dataDir, { recursive: true });
    const content = JSON.parse(await readFile(join(import.meta.dirname, '../../package.json'), 'utf8')) as {
      dependencies: object;
    };
    dependencies = new Set(Object.keys(content.dependencies));
  });
  afterAll(() => server.remove());

  const load = async (args: readonly string[], input = ''): Promise<Loaded> => {
    const name = args.join('-').replaceAll(/\W/g, '');
    const file = join(server.folder, `${name}.txt`);
    const preload = join(server.folder, `${name}.mjs`);
    await writeFile(preload, recorder(file));
    if (args.includes('list')) await server.run(['migrate'], { DATA_DIR: name });
    const result = await server.run(args, { NODE_OPTIONS: `--import=${preload}`, DATA_DIR: name }, input);
    expect(result).toMatchObject({ code: 0 });
    const paths = (await readFile(file, 'utf8')).trim().split('\n');
    const matches = (pattern: RegExp) => [...new Set(paths.flatMap((path) => pattern.exec(path)?.[1] ?? []))].sort();
    const bundles = await Promise.all(
      matches(/\/dist\/([^/]+\.js)$/).map((name) => readFile(join(dirname(program), name), 'utf8')),
    );
    return {
      own: bundles.flatMap((code) => [...code.matchAll(/^\/\/ src\/(.+)\.ts$/gm)].map(([, module = '']) => module)),
      packages: matches(/.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/).filter((each) => dependencies.has(each)),
    };
  };

  /** The modules that compose the server, and its parts that commands do not use. */
  const ofTheServer =
    /^(app|rooms|doctor|http\/http|(mqtt|health)\/.*|pages\/(?!web-app-layout$).*|(?!settings\/)([a-z]+)\/\3)$/;
  const database = ['better-sqlite3', 'commander', 'lru-cache', 'pino'];

  it.concurrent.each([
    { args: ['--version'], packages: ['commander'] },
    { args: ['complete', '--', 'user', ''], packages: ['commander'] },
    { args: ['settings'], packages: ['commander'] },
    { args: ['check', '-'], packages: ['commander'], input: '[]' },
    { args: ['migrate'], packages: database },
    { args: ['release', 'list'], packages: database },
    { args: ['bulletin', 'list'], packages: database },
    { args: ['user', 'list'], packages: ['@node-rs/argon2', ...database] },
  ])('are its own: $args', async ({ args, packages, input }) => {
    const loaded = await load(args, input);
    expect(loaded.own).toContain('main');
    expect(loaded.own.filter((file) => ofTheServer.test(file))).toEqual([]);
    expect(loaded.packages).toEqual(packages);
  });
});
