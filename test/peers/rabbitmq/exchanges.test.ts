import { afterAll, beforeAll, describe, it } from 'vitest';
import { BrokerAnnouncements } from '../../exchanges/announcements.ts';
import { liveScenarios } from '../../exchanges/live-scenarios.ts';
import { report, runScenario } from '../../exchanges/runner.ts';
import { freePort } from '../../support/free-port.ts';
import { RabbitMq } from '../../support/rabbitmq.ts';
import { type ServerProcess, startServer } from '../../support/servers.ts';

// The recorded announcements, received by clients of RabbitMQ, whose users are checked by the server under test. The server
// has PostgreSQL here; events.test.ts compares the announcements of SQLite.

let rabbitMq: RabbitMq;
let isStarted: Promise<void>;
let port: string;
beforeAll(async () => {
  port = String(await freePort());
  rabbitMq = await RabbitMq.prepare(`http://127.0.0.1:${port}`);
  // The first server starts in the meantime.
  isStarted = rabbitMq.start();
  isStarted.catch(() => undefined);
});
afterAll(async () => rabbitMq?.remove());

describe('RabbitMQ', () => {
  let server: ServerProcess;

  beforeAll(async () => {
    const settings = { EMAIL_VERIFICATION: 'required', RATE_LIMITS: 'off', PORT: port, ...rabbitMq.settings };
    server = await startServer('postgres', settings);
    await isStarted;
  });
  afterAll(async () => server?.remove());

  describe.concurrent('announces as recorded', () => {
    it.each(liveScenarios)('$file: $scenario.name', async ({ scenario }) => {
      const wrong = await runScenario(scenario, server, new BrokerAnnouncements(rabbitMq.mqttUrl));
      if (wrong.length > 0) throw new Error(report(wrong));
    });
  });
});
