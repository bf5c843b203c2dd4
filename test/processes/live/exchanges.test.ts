import { describe, it } from 'vitest';
import { BrokerAnnouncements } from '../../exchanges/announcements.ts';
import { liveScenarios } from '../../exchanges/live-scenarios.ts';
import { report, runScenario } from '../../exchanges/runner.ts';
import { describeEnginesConcurrently } from '../../support/engines.ts';
import { anyPort, suiteServer } from '../../support/servers.ts';

// The recorded announcements, received by clients of the built-in broker.

describeEnginesConcurrently('the built-in broker', (engine) => {
  const server = suiteServer(engine, { EMAIL_VERIFICATION: 'required', RATE_LIMITS: 'off', MQTT_PORT: anyPort });

  describe('announces as recorded', () => {
    it.each(liveScenarios)('$file: $scenario.name', async ({ scenario }) => {
      const wrong = await runScenario(scenario, server, new BrokerAnnouncements(server.mqtt));
      if (wrong.length > 0) throw new Error(report(wrong));
    });
  });
});
