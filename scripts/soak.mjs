// Runs built servers under load while random parts fail, and compares the acknowledged records with the stored ones.
//   npm run soak -- 10           minutes (1)
//   npm run soak -- 2 1          one minute is enough if each fault was caused
// SEED repeats the choices of a run. ONLY is sqlite (one process) or postgres (two, with RabbitMQ, a bucket and a mail server).
// REPORT is a file for vitest's JSON report.
import { resolve } from 'node:path';
import { startVitest } from 'vitest/node';

const [minutes = '1', enough = minutes] = process.argv.slice(2);
if (!(Number(minutes) > 0 && Number(enough) > 0)) {
  console.error('Usage: npm run soak -- MINUTES [ENOUGH]');
  process.exit(1);
}
const { SEED = String(Date.now() % 1e9), REPORT } = process.env;
console.info(`To repeat these choices: SEED=${SEED} npm run soak -- ${minutes} ${enough}`);
Object.assign(process.env, { SEED, SOAK_MINUTES: minutes, SOAK_ENOUGH: enough });
const vitest = await startVitest('test', [], {
  config: false,
  root: resolve(import.meta.dirname, '..'),
  watch: false,
  include: ['test/soak/soak.ts'],
  pool: 'forks',
  teardownTimeout: 60_000,
  // The output is a running report.
  disableConsoleIntercept: true,
  reporters: ['default', ...(REPORT ? [['json', { outputFile: REPORT }]] : [])],
});
await vitest.close();
