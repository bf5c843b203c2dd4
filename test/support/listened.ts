import type { Clock } from '../../src/core/clock.ts';
import { systemClock } from '../../src/core/clock.ts';
import type { Event } from '../../src/core/events.ts';
import { Announcements } from '../exchanges/announcements.ts';
import type { Account, Answer, TestApp } from './app.ts';
import { startApp } from './app.ts';
import type { Engine } from './engines.ts';
import { example } from './examples.ts';

/** An answer, and what its request announced. */
export interface Told extends Answer {
  readonly told: readonly Event[];
}

/** One account on a server whose announcements are listened to. */
export class Listened {
  readonly server: TestApp;
  readonly account: Account;
  readonly #announcements: Announcements;

  private constructor(server: TestApp, account: Account, announcements: Announcements) {
    this.server = server;
    this.account = account;
    this.#announcements = announcements;
  }

  static async start(
    engine: Engine,
    environment: Record<string, string> = {},
    clock: Clock = systemClock,
  ): Promise<Listened> {
    const server = await startApp(engine, environment, clock);
    const announcements = await Announcements.of(server.app);
    const listened = new Listened(server, await server.account(), announcements);
    await listened.take();
    return listened;
  }

  /** What was announced since this was asked last. */
  take(): Promise<readonly Event[]> {
    return this.#announcements.events([this.account.deviceId]);
  }

  /** Asks under the request id `L` and waits for what that announces. */
  async ask(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Told> {
    await this.take();
    const options = { token: this.account.token, headers: { 'x-farmbot-rpc-id': 'L', ...headers } };
    const answer = await this.server.call(method, path, body === undefined ? options : { ...options, body });
    return { ...answer, told: await this.take() };
  }

  /** The same; throws unless it succeeds. */
  async must(method: string, path: string, body?: unknown): Promise<Told> {
    const answer = await this.ask(method, path, body);
    if (answer.status !== 200) throw new Error(`${method} ${path} answered ${answer.status} ${answer.text}`);
    return answer;
  }

  /** Makes a record of a resource and gives its id. */
  async make(resource: string, changes: object = {}): Promise<number> {
    const body = { ...(await example(this.server, resource, this.account)), ...changes };
    return (await this.must('POST', `/api/${resource}`, body)).json.id;
  }
}

/** Events in short: `Tool 3`, `Tool 3 gone`; with the label where it is not the request's. In their order. */
export const inShort = (events: readonly Event[]): string[] =>
  events.map(({ resource, recordId, body, label }) =>
    [resource, recordId, ...(body === null ? ['gone'] : []), ...(label === 'L' ? [] : ['labelled otherwise'])].join(
      ' ',
    ),
  );
