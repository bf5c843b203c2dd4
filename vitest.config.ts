import { existsSync } from 'node:fs';
import { configDefaults, defineConfig } from 'vitest/config';

/** Tests that need a program of the system, which the README's commands do not: .ci/run installs them. */
const needs = [
  { folder: 'test/rabbitmq', program: '/usr/lib/rabbitmq' },
  { folder: 'test/mosquitto', program: '/usr/bin/mosquitto_sub' },
  { folder: 'test/pages', program: '/usr/bin/chromium' },
].filter(({ program }) => !existsSync(program));
for (const { folder, program } of needs) console.info(`${program} is not on this machine: ${folder} is not tested`);

export default defineConfig({
  test: {
    environment: 'node',
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...needs.map(({ folder }) => `${folder}/**`)],
    globalSetup: ['test/support/global-setup.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 20_000,
    teardownTimeout: 20_000,
    allowOnly: false,
  },
});
