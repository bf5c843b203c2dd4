import { MqttTestClient } from './mqtt-test-client.ts';

/** An MQTT client that behaves as a robot as far as a test says. */
export class ScriptedRobot {
  readonly #client: MqttTestClient;
  readonly #topic: string;

  private constructor(client: MqttTestClient, bot: string) {
    this.#client = client;
    this.#topic = `bot/${bot}`;
  }

  /** Connects with a robot's client id. With `clean: false` it is a 15.4 that comes back: it does not subscribe again to a kept session. */
  static async connect(
    mqtt: string,
    { bot, token }: { readonly bot: string; readonly token: string },
    clientId = `${bot}_15.4.11`,
    { clean = true } = {},
  ): Promise<ScriptedRobot> {
    const client = await MqttTestClient.connect(mqtt, { username: bot, password: token, clientId, clean });
    if (!client.isSessionPresent) await client.subscribe(`bot/${bot}/from_clients`);
    return new ScriptedRobot(client, bot);
  }

  publish(channel: string, message: object | string): Promise<void> {
    const payload = typeof message === 'string' ? message : JSON.stringify(message);
    return this.#client.publish(`${this.#topic}/${channel}`, payload);
  }

  /** Returns the requests received so far. */
  requests(): { readonly label: string; readonly body: readonly { readonly kind: string; readonly args: object }[] }[] {
    return this.#client.received.map(({ text }) => {
      const { args, body } = JSON.parse(text);
      return { label: args.label, body };
    });
  }

  /** Waits until `count` requests were received, and returns the last of them. */
  async request(count = 1) {
    await this.#client.waitUntil((received) => received.length >= count, `${count} requests`);
    const request = this.requests()[count - 1];
    if (!request) throw new Error('no request');
    return request;
  }

  end(): Promise<void> {
    return this.#client.end();
  }
}
