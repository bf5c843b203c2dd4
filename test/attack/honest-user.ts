import { setTimeout as sleep } from 'node:timers/promises';
import { numberAt } from '../support/json.ts';
import { MqttTestClient } from '../support/mqtt-test-client.ts';
import type { AttackedAccount, AttackedServer } from './attacked-server.ts';

/** The measurements of a regular user during an attempt. */
export interface Measurement {
  readonly requests: number;
  /** Requests and messages that did not succeed. */
  readonly failures: readonly string[];
  /** The slowest request, in ms. */
  readonly slowest: number;
}

/** Milliseconds between two requests and a message: fewer than the 1,000 requests a minute that a network may send. */
const pause = 200;

/** A regular user with a robot, in a network of their own, while others attack the server. */
export class HonestUser {
  readonly account: AttackedAccount;
  /** The address from which they always sign in. */
  readonly address: string;
  readonly #server: AttackedServer;
  readonly #point: number;
  readonly #robot: MqttTestClient;

  private constructor(
    server: AttackedServer,
    account: AttackedAccount,
    { address, point, robot }: { address: string; point: number; robot: MqttTestClient },
  ) {
    this.#server = server;
    this.account = account;
    this.address = address;
    this.#point = point;
    this.#robot = robot;
  }

  static async create(server: AttackedServer): Promise<HonestUser> {
    const account = await server.createAccount('honest');
    const address = server.newAddress();
    // A network that has signed in before.
    const signedIn = await server.signIn(address, account.email, account.password);
    if (signedIn.status !== 200) throw new Error(`sign-in: ${signedIn.status} ${signedIn.text}`);
    const body = { pointer_type: 'Plant', name: 'Lettuce', x: 1, y: 1 };
    const created = await server.proxy.post('/api/points', body, account.token);
    const robot = await MqttTestClient.connect(server.mqtt, { username: account.bot, password: account.token });
    await robot.subscribe(`bot/${account.bot}/status`);
    return new HonestUser(server, account, { address, point: numberAt(created.json, 'id'), robot });
  }

  /** Works until the returned function is called, which returns the measurements. */
  work(): () => Promise<Measurement> {
    const failures: string[] = [];
    let slowest = 0;
    let requests = 0;
    const over = new AbortController();
    const step = async (name: string, send: () => Promise<string | null>): Promise<void> => {
      const start = performance.now();
      const failure = await send().catch((error: unknown) => String(error));
      slowest = Math.max(slowest, performance.now() - start);
      requests++;
      if (failure !== null) failures.push(`${name}: ${failure}`);
    };
    const loop = async (): Promise<void> => {
      // At least once, also if the attempt is faster.
      do {
        await step('reading the device', () => this.#request('GET', '/api/device'));
        await step('moving a plant', () => this.#request('PATCH', `/api/points/${this.#point}`, { x: requests % 100 }));
        await step('a message of the robot', () => this.#sendMessage(requests));
        await sleep(pause, undefined, { signal: over.signal }).catch(() => undefined);
      } while (!over.signal.aborted);
    };
    const worked = loop();
    return async () => {
      over.abort();
      await worked;
      return { requests, failures, slowest };
    };
  }

  /** Signs in from the usual network and returns the status. */
  async signIn(): Promise<number> {
    return (await this.#server.signIn(this.address, this.account.email, this.account.password)).status;
  }

  async end(): Promise<void> {
    await this.#robot.end();
  }

  async #request(method: string, path: string, body?: { x: number }): Promise<string | null> {
    const { status, text } = await this.#server.send(this.address, method, path, {
      token: this.account.token,
      ...(body && { body }),
    });
    return status === 200 ? null : `${status} ${text.slice(0, 200)}`;
  }

  async #sendMessage(number: number): Promise<null> {
    await this.#robot.publish(`bot/${this.account.bot}/status`, String(number));
    await this.#robot.waitUntil((received) => received.some(({ text }) => text === String(number)), 'its own message');
    this.#robot.take();
    return null;
  }
}
