import { afterAll, beforeAll, describe, it } from 'vitest';
import { BrokerAnnouncements } from '../exchanges/announcements.ts';
import { liveScenarios } from '../exchanges/live-scenarios.ts';
import { report, runScenario } from '../exchanges/runner.ts';
import { describeEnginesConcurrently } from '../support/engines.ts';
import { RabbitMq } from '../support/rabbitmq.ts';
import { prepareServer, type ServerProcess } from '../support/servers.ts';

// The recorded announcements, received by clients of RabbitMQ, whose users are checked by the server under test.

describeEnginesConcurrently('RabbitMQ', (engine) => {
  let server: ServerProcess;
  let rabbitMq: RabbitMq;

  beforeAll(async () => {
    const prepared = await prepareServer(engine, { EMAIL_VERIFICATION: 'required', RATE_LIMITS: 'off' });
    rabbitMq = await RabbitMq.prepare(prepared.base);
    Object.assign(prepared.env, rabbitMq.settings);
    server = prepared;
    await Promise.all([rabbitMq.start(), server.start()]);
  }, 90_000);
  afterAll(async () => {
    await server?.remove();
    await rabbitMq?.remove();
  }, 60_000);

  describe('announces as recorded', () => {
    it.each(liveScenarios)('$file: $scenario.name', { timeout: 120_000 }, async ({ scenario }) => {
      const wrong = await runScenario(scenario, server, new BrokerAnnouncements(rabbitMq.mqttUrl));
      if (wrong.length > 0) throw new Error(report(wrong));
    });
  });
});
