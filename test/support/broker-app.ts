import type { Clock } from '../../src/core/clock.ts';
import type { TestApp } from './app.ts';
import { startApp } from './app.ts';
import type { Engine } from './engines.ts';
import { freePort } from './free-port.ts';
import { MqttTestClient } from './mqtt-test-client.ts';
import { suiteFixture } from './suite-fixture.ts';

/** A server in this process with its broker, listening. */
export interface BrokerApp extends TestApp {
  /** `http://127.0.0.1:<port>`. */
  readonly base: string;
  /** Signs in to the broker. The client ends with the suite. */
  connect(username: string, password: string, clientId?: string): Promise<MqttTestClient>;
}

/** A server with the built-in broker for all tests of the suite. */
export const suiteBrokerApp = (engine: Engine, environment: Record<string, string> = {}, clock?: Clock): BrokerApp => {
  const clients: MqttTestClient[] = [];
  return suiteFixture(
    async () => {
      const port = await freePort();
      const app = await startApp(
        engine,
        { HOST: '127.0.0.1', PORT: '0', MQTT_PORT: String(port), ...environment },
        clock,
      );
      const { address: base } = await app.app.listen();
      return {
        ...app,
        base,
        async connect(username: string, password: string, clientId?: string) {
          const options = { username, password, ...(clientId === undefined ? {} : { clientId }) };
          const client = await MqttTestClient.connect(`mqtt://127.0.0.1:${port}`, options);
          clients.push(client);
          return client;
        },
      };
    },
    async (app) => {
      for (const client of clients.splice(0)) await client.end();
      await app.close();
    },
  );
};
