import { describe, it } from 'vitest';
import type { Installation } from './installation.ts';
import { Random } from './random.ts';
import { startServerGroup } from './server-group.ts';
import { startSingleServer } from './single-server.ts';
import { SoakReport } from './soak-report.ts';
import { Soak } from './soak-run.ts';

const minutes = Number(process.env.SOAK_MINUTES ?? 1);
/** As many are enough once each fault was caused. */
const enough = Number(process.env.SOAK_ENOUGH ?? minutes);
const seed = Number(process.env.SEED ?? 1);
/** Time for the start, for the rest of the work after the load, and for comparing, in ms. */
const margin = 15 * 60_000;

const installations = [
  ['sqlite', startSingleServer],
  ['postgres', startServerGroup],
] as const;
const { ONLY } = process.env;
const chosen = installations.filter(([name]) => ONLY === undefined || ONLY === name);

const running = new Set<Installation>();
/** Leaves no processes and folders when the soak is interrupted. */
async function interrupt(): Promise<void> {
  await Promise.allSettled([...running].map((installation) => installation.remove()));
  process.exit(1);
}
// Ctrl+C reaches every process; of another signal to the first process, this one notices the end of the connection.
for (const event of ['SIGINT', 'SIGTERM', 'SIGHUP', 'disconnect']) process.once(event, () => void interrupt());

describe.concurrent(`${minutes} minutes of load and faults, SEED=${seed}`, () => {
  it.each(chosen)('nothing is lost on %s', { timeout: minutes * 60_000 + margin }, async (name, start) => {
    const report = new SoakReport(name);
    const installation = await start(report);
    running.add(installation);
    try {
      const soak = new Soak(installation, report, new Random(seed));
      await soak.run(minutes * 60_000, enough * 60_000);
    } finally {
      report.print();
      await installation.remove();
      running.delete(installation);
    }
    if (report.violations.length > 0) throw new Error(`lost or wrong:\n${report.violations.slice(0, 100).join('\n')}`);
  });
});
