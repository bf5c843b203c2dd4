import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '../support/engines.ts';
import { engines } from '../support/engines.ts';
import { suiteFixture } from '../support/suite-fixture.ts';
import { AttackContext } from './attack-context.ts';
import type { ReportLine } from './attack-report.ts';
import { attackReport } from './attack-report.ts';
import { AttackedServer, brokerPassword, metricsToken } from './attacked-server.ts';
import { newPassword } from './attempts/accounts.ts';
import { attemptGroups, attempts } from './attempts/list.ts';
import type { Measurement } from './honest-user.ts';
import { HonestUser } from './honest-user.ts';

// `npm run attack` sets ATTACK=full: all tries, on both engines.
const run = process.env.ATTACK === 'full' ? 'full' : 'short';
const attackedEngines: readonly Engine[] = run === 'full' ? engines : ['sqlite'];

describe.each(attackedEngines)('attacks on the built server (%s)', (engine) => {
  const server = suiteFixture(
    () => AttackedServer.start(engine),
    (started) => started.remove(),
  );
  let honest: HonestUser;
  let baseline: Measurement;
  const lines: ReportLine[] = [];

  beforeAll(async () => {
    honest = await HonestUser.create(server);
    const stop = honest.work();
    for (let i = 0; i < (run === 'full' ? 5 : 1); i++) await server.createAccount('baseline');
    baseline = await stop();
  });

  it.each(attempts.filter(({ tries }) => tries[run] > 0).map((attempt) => [attempt.name, attempt] as const))(
    '%s',
    async (_name, attempt) => {
      const context = new AttackContext(server, honest, attempt.tries[run], run === 'full');
      const stop = honest.work();
      let hasFailed = false;
      try {
        await attempt.run(context);
        hasFailed = true;
      } finally {
        const measured = await stop();
        hasFailed &&= measured.failures.length === 0;
        lines.push({ attempt, context, honest: measured, hasFailed });
        expect(measured.failures).toEqual([]);
      }
      expect(context.made).toBe(context.tries);
    },
    run === 'full' ? 600_000 : 60_000,
  );

  it('left no passwords and tokens in the log', () => {
    const { token, password } = honest.account;
    const logged = server.process.logs();
    expect(logged).toContain('"msg":"ready; ');
    for (const secret of [token, token.split('.')[2] ?? '', password, newPassword, metricsToken, brokerPassword])
      expect(logged).not.toContain(secret);
  });

  afterAll(async () => {
    await honest?.end();
    for (const { title, attempts: own } of attemptGroups)
      console.info(
        `${title}\n${attackReport(
          lines.filter(({ attempt }) => own.includes(attempt)),
          baseline,
        )}`,
      );
  });
});
