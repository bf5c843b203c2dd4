import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { engines } from './test/support/engines.ts';
import { LongestFirst } from './test/support/longest-first.ts';

/** Returns the test files in a folder that declare suites of engines. */
const onEngines = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((file) => file.endsWith('.test.ts'))
    .filter((file) => /^import \{[^}]*\} from '[^']*\/support\/engines\.ts'/m.test(readFileSync(file, 'utf8')));

const testsIn = (...folders: string[]): string[] => folders.map((folder) => `${folder}/**/*.test.ts`);

/**
 * Options of Node.js for workers, which run much code briefly: a larger young generation copies fewer objects, and V8 of Node.js
 * 20 optimizes only functions that run four times as long. Later versions have no such option.
 */
const shortLived = [
  '--min-semi-space-size=64',
  '--max-semi-space-size=64',
  ...(process.versions.node.startsWith('20.') ? ['--interrupt-budget=300000'] : []),
];

const common = {
  environment: 'node',
  execArgv: shortLived,
  // Only for a test that hangs: the others wait for states, also on a busy machine.
  testTimeout: 240_000,
  hookTimeout: 240_000,
  teardownTimeout: 20_000,
  allowOnly: false,
  isolate: false,
  expect: { poll: { timeout: 60_000 } },
} as const;

/** Recorded exchanges mostly wait for the server. */
const inForks = { ...common, pool: 'forks', maxConcurrency: 20 } as const;

const setupFiles = ['test/support/message-equality.ts'];

/** What `npm test` runs, by the beginning of the name. */
const onSqlite = [
  { ...inForks, name: 'first stories', include: testsIn('test/first') },
  { ...inForks, name: 'first api', include: testsIn('test/api') },
  {
    ...inForks,
    name: 'first unit',
    include: testsIn('src', 'console/src', 'test/support', 'test/documents', 'test/exchanges', 'test/soak'),
    sequence: { groupOrder: 1 },
  },
].map((test) => ({ ...test, setupFiles, env: { ENGINES: 'sqlite' } }));

/** The same suites on PostgreSQL, and its own. */
const onPostgres = {
  ...inForks,
  name: 'postgres',
  include: [...['src', 'test/api', 'test/first'].flatMap(onEngines), ...testsIn('test/postgres')],
  setupFiles,
  env: { ENGINES: 'postgres' },
};

/** Tests that say which of their programs is not on this machine. */
const withPrograms = { ...inForks, setupFiles: ['test/support/needed-programs.ts'] };

export default defineConfig({
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    // Each project would transform the same modules again.
    experimental: { fsModuleCache: true },
    // Tests often wait for processes: four workers keep two cores busy.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    projects: [
      ...(engines.includes('sqlite') ? onSqlite : []),
      ...(engines.includes('postgres') ? [onPostgres] : []),
      { ...withPrograms, name: 'peers', include: testsIn('test/peers') },
      { ...inForks, name: 'processes', include: testsIn('test/processes', 'test/attack') },
      // Servers on the default ports of all addresses, which others use on addresses of their own: beside pages, which use neither.
      { ...common, name: 'default ports', include: testsIn('test/default-ports'), sequence: { groupOrder: 1 } },
      // Playwright follows asynchronous calls with an AsyncLocalStorage, which makes every promise of its process slower: these have workers of their own.
      { ...withPrograms, name: 'browsers', include: testsIn('test/browsers'), sequence: { groupOrder: 1 } },
    ].map((test) => ({ test })),
  },
});
