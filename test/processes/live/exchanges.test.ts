import { describe, it } from 'vitest';
import { BrokerAnnouncements } from '../../exchanges/announcements.ts';
import { liveScenarios } from '../../exchanges/live-scenarios.ts';
import { report, runScenario } from '../../exchanges/runner.ts';
import { anyPort, suiteServer } from '../../support/servers.ts';

// The recorded announcements, received by clients of the built-in broker. RabbitMQ has them from PostgreSQL.

describe.concurrent('the built-in broker', () => {
  const server = suiteServer('sqlite', { EMAIL_VERIFICATION: 'required', RATE_LIMITS: 'off', MQTT_PORT: anyPort });

  describe('announces as recorded', () => {
    it.each(liveScenarios)('$file: $scenario.name', async ({ scenario }) => {
      const wrong = await runScenario(scenario, server, new BrokerAnnouncements(server.mqtt));
      if (wrong.length > 0) throw new Error(report(wrong));
    });
  });
});
