import { VirtualRobot, type VirtualRobotOptions } from '../../src/robot/virtual-robot.ts';
import { uniqueEmail } from './accounts.ts';
import { startApp } from './app.ts';
import type { Engine } from './engines.ts';
import { HttpClient } from './http-client.ts';
import { numberAt, textAt } from './json.ts';
import { seedAccount } from './seeded-garden.ts';
import { suiteFixture } from './suite-fixture.ts';

/** An account whose token contains the server's own address. */
export interface RobotAccount {
  readonly email: string;
  readonly password: string;
  /** The encoded token. */
  readonly token: string;
  readonly bot: string;
  readonly deviceId: number;
}

/** A server with its broker on a separate loopback address, so that port 1883 is free for it. */
export interface RobotServer {
  /** `http://host:port`. */
  readonly base: string;
  /** `mqtt://host:1883`. */
  readonly mqtt: string;
  readonly http: HttpClient;
  signUp(): Promise<RobotAccount>;
  /** Creates the garden of a product line. */
  seed(gardener: RobotAccount, product_line: string): Promise<void>;
  /** Starts a robot of the account. By default it moves fast and reconnects soon. */
  robot(
    gardener: RobotAccount,
    options?: Partial<VirtualRobotOptions>,
  ): Promise<{ robot: VirtualRobot; lines: string[] }>;
  /** Stops the robots, then the server. */
  close(): Promise<void>;
}

/** Starts a server on a loopback address (`127.0.0.x`) that no other test file uses. */
export async function startRobotServer(engine: Engine, host: string): Promise<RobotServer> {
  const server = await startApp(engine, { HOST: host, PORT: '0', MQTT_PORT: '1883' });
  const { address: base } = await server.app.listen();
  const http = new HttpClient(base);
  const robots: VirtualRobot[] = [];
  return {
    base,
    mqtt: `mqtt://${host}:1883`,
    http,
    async signUp() {
      const email = uniqueEmail('gardener');
      const password = 'password123';
      const body = { name: 'Gardener', email, password, password_confirmation: password, agree_to_terms: true };
      await http.post('/api/users', body);
      const reply = (await http.post('/api/tokens', { user: { email, password } })).json;
      const [token, bot] = [textAt(reply, 'token.encoded'), textAt(reply, 'token.unencoded.bot')];
      return { email, password, token, bot, deviceId: numberAt(reply, 'user.device_id') };
    },
    seed: (gardener, product_line) => seedAccount(server, gardener, { product_line }),
    async robot({ email, password }, options = {}) {
      const lines: string[] = [];
      const robot = new VirtualRobot({
        server: base,
        credentials: { email, password },
        log: (line) => lines.push(line),
        speed: 2000,
        statusInterval: 50,
        backOff: { first: 50, max: 400 },
        restartTime: 50,
        ...options,
      });
      robots.push(robot);
      await robot.start();
      return { robot, lines };
    },
    async close() {
      for (const robot of robots) await robot.stop();
      http.close();
      await server.close();
    },
  };
}

/** A server of {@link startRobotServer} for all tests of the suite. */
export const suiteRobotServer = (engine: Engine, host: string): RobotServer =>
  suiteFixture(
    () => startRobotServer(engine, host),
    (server) => server.close(),
  );

/** Waits until a condition holds. Throws after a minute. */
export async function waitUntil(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const end = Date.now() + 60_000;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`timed out waiting for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
