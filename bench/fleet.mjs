// The services of compose.fleet.yaml as processes of this machine: requests with one, two and three Potagers, and responses while each part
// is killed.
//   npm run bench:fleet
// SECONDS (5) per figure; ONLY is requests or kill.
import { resolve } from 'node:path';
import { startVitest } from 'vitest/node';

const vitest = await startVitest('test', [], {
  config: false,
  root: resolve(import.meta.dirname, '..'),
  watch: false,
  // As `npm run soak`: the fleet is written for tests.
  include: ['test/peers/deploy/fleet-bench.ts'],
  ...(process.env.ONLY && { testNamePattern: process.env.ONLY }),
  pool: 'forks',
  teardownTimeout: 60_000,
  disableConsoleIntercept: true,
  reporters: ['default'],
});
await vitest.close();
