import { describe, it } from 'vitest';
import { report, runScenario } from '../exchanges/runner.ts';
import { recordings, scenariosOf } from '../exchanges/scenario.ts';
import { describeEngines } from '../support/engines.ts';
import { suiteJobs } from '../support/job-completion.ts';
import { suiteServer } from '../support/servers.ts';

const all = recordings.flatMap((file) => scenariosOf(file).map((scenario) => ({ file, scenario })));

describeEngines('recorded exchanges', (engine) => {
  const server = suiteServer(engine, { EMAIL_VERIFICATION: 'required', RATE_LIMITS: 'off' });

  const jobs = suiteJobs(server);

  describe.concurrent('as recorded', () => {
    for (const { file, scenario } of all)
      it(`${file}: ${scenario.name}`, async () => {
        const wrong = await runScenario(scenario, server, null, (deviceId) => jobs.whenDone(deviceId));
        if (wrong.length > 0) throw new Error(report(wrong));
      });
  });
});
