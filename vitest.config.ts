import { existsSync } from 'node:fs';
import { configDefaults, defineConfig } from 'vitest/config';
import { browserProgram } from './test/support/browser-program.ts';
import { LongestFirst } from './test/support/longest-first.ts';

/** Tests that need a program that only .ci/run installs. */
const needs = [
  { folder: 'test/peers/rabbitmq', program: '/usr/lib/rabbitmq' },
  { folder: 'test/peers/mosquitto', program: '/usr/bin/mosquitto_sub' },
  { folder: 'test/peers/home-assistant', program: '/usr/sbin/mosquitto' },
  { folder: 'test/browsers/pages', program: browserProgram },
  { folder: 'test/browsers/console', program: browserProgram },
  { folder: 'test/peers/shells', program: '/usr/bin/fish' },
  { folder: 'test/peers/postgresql-15', program: '/usr/lib/postgresql/15/bin/postgres' },
  // The others for it are installed with it.
  { folder: 'test/peers/deploy', program: '/usr/bin/caddy' },
].filter(({ program }) => !existsSync(program));
for (const { folder, program } of needs) console.info(`${program} is not on this machine: ${folder} is not tested`);

const exclude = [...configDefaults.exclude, ...needs.map(({ folder }) => `${folder}/**`)];

const common = {
  environment: 'node',
  // Only for a test that hangs: the others wait for states, also on a busy machine.
  testTimeout: 240_000,
  hookTimeout: 240_000,
  teardownTimeout: 20_000,
  allowOnly: false,
  isolate: false,
  expect: { poll: { timeout: 60_000 } },
} as const;

/** Starts servers on the default ports of all addresses, which server tests use on addresses of their own: it runs after them, beside unit tests, which use neither. */
const onDefaultPorts = 'test/default-ports/first-run.test.ts';

/** Tests with a browser. Playwright follows asynchronous calls with an AsyncLocalStorage, which makes every promise of its process slower: these have workers of their own. */
const inBrowsers = ['test/browsers/console/**', 'test/browsers/pages/**'];

export default defineConfig({
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    // Tests often wait for processes: four workers keep two cores busy.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          ...common,
          name: 'unit',
          include: ['src/**/*.test.ts', 'console/src/**/*.test.ts'],
          pool: 'threads',
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...common,
          name: 'server',
          include: ['test/**/*.test.ts'],
          exclude: [...exclude, onDefaultPorts, ...inBrowsers],
          pool: 'forks',
          // Recorded exchanges mostly wait for the server.
          maxConcurrency: 20,
        },
      },
      {
        test: {
          ...common,
          name: 'pages',
          include: inBrowsers.map((folder) => `${folder}/*.test.ts`),
          exclude,
          pool: 'forks',
        },
      },
      {
        test: {
          ...common,
          name: 'default ports',
          include: [onDefaultPorts],
          pool: 'forks',
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
