import { existsSync } from 'node:fs';
import { configDefaults, defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.ts';

/** Tests that need a program that only .ci/run installs. */
const needs = [
  { folder: 'test/rabbitmq', program: '/usr/lib/rabbitmq' },
  { folder: 'test/mosquitto', program: '/usr/bin/mosquitto_sub' },
  { folder: 'test/pages', program: '/usr/bin/chromium' },
  { folder: 'test/postgresql-15', program: '/usr/lib/postgresql/15/bin/postgres' },
].filter(({ program }) => !existsSync(program));
for (const { folder, program } of needs) console.info(`${program} is not on this machine: ${folder} is not tested`);

const common = {
  environment: 'node',
  testTimeout: 60_000,
  hookTimeout: 60_000,
  teardownTimeout: 20_000,
  allowOnly: false,
  isolate: false,
  expect: { poll: { timeout: 15_000 } },
} as const;

export default defineConfig({
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    // Tests wait for processes a quarter of the time: three workers keep two cores busy.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    projects: [
      { test: { ...common, name: 'unit', include: ['src/**/*.test.ts'], pool: 'threads' } },
      {
        test: {
          ...common,
          name: 'server',
          include: ['test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...needs.map(({ folder }) => `${folder}/**`)],
          pool: 'forks',
          // Recorded exchanges mostly wait for the server.
          maxConcurrency: 20,
        },
      },
    ],
  },
});
