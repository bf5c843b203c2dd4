import { describe, expect, it } from 'vitest';
import { leftOut } from './exchanges/left-out.ts';
import { report, runScenario } from './exchanges/runner.ts';
import { recordings, scenariosOf } from './exchanges/scenario.ts';
import { describeEngines } from './support/engines.ts';
import { suiteServer } from './support/servers.ts';

const all = recordings.flatMap((file) => scenariosOf(file).map((scenario) => ({ file, scenario })));
const isLeftOut = (file: string, name: string): boolean =>
  leftOut.some((entry) => entry.file === file && entry.name === name);
const patience = 120_000;

describeEngines('recorded exchanges', (engine) => {
  const server = suiteServer(engine, { EMAIL_VERIFICATION: 'required', RATE_LIMITS: 'off' });

  it.each([...new Set(leftOut.map(({ waitsFor }) => waitsFor))])('%s is not there yet', async (endpoint) => {
    const [method = '', path = ''] = endpoint.split(' ');
    // Once it is, its scenarios have to pass: take them off the list in left-out.ts.
    expect((await server().client.send(method, path)).status).toBe(404);
  });

  describe.concurrent('as recorded', () => {
    for (const { file, scenario } of all) {
      if (isLeftOut(file, scenario.name)) {
        it(`${file}: ${scenario.name} (left out)`, { timeout: patience }, async () => {
          const wrong = await runScenario(scenario, server());
          if (wrong.length === 0) throw new Error('it passes now: take it off the list in left-out.ts');
        });
        continue;
      }
      it(`${file}: ${scenario.name}`, { timeout: patience }, async () => {
        const wrong = await runScenario(scenario, server());
        if (wrong.length > 0) throw new Error(report(wrong));
      });
    }
  });
});
