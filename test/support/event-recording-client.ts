import type { Clock } from '../../src/core/clock.ts';
import { systemClock } from '../../src/core/clock.ts';
import type { Event } from '../../src/core/events.ts';
import { Announcements } from '../exchanges/announcements.ts';
import type { Account, TestApp, TestResponse } from './app.ts';
import { startApp } from './app.ts';
import type { Engine } from './engines.ts';
import { example } from './examples.ts';
import { suiteFixture } from './suite-fixture.ts';

/** A response and the events of its request. */
export interface RecordedResponse extends TestResponse {
  readonly events: readonly Event[];
}

/** A client of one account that records the events of its server. */
export class EventRecordingClient {
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
  ): Promise<EventRecordingClient> {
    const server = await startApp(engine, environment, clock);
    const announcements = await Announcements.of(server.app);
    const listened = new EventRecordingClient(server, await server.signUp(), announcements);
    await listened.takeEvents();
    return listened;
  }

  /** Returns the events since the last call. */
  takeEvents(): Promise<readonly Event[]> {
    return this.#announcements.events([this.account.deviceId]);
  }

  /** Sends a request with the request id `L` and waits for its events. */
  async request(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<RecordedResponse> {
    await this.takeEvents();
    const options = { token: this.account.token, headers: { 'x-farmbot-rpc-id': 'L', ...headers } };
    const response = await this.server.call(method, path, body === undefined ? options : { ...options, body });
    return { ...response, events: await this.takeEvents() };
  }

  /** Sends a request like {@link request}; throws unless it succeeds. */
  async requestOk(method: string, path: string, body?: unknown): Promise<RecordedResponse> {
    const response = await this.request(method, path, body);
    if (response.status !== 200) throw new Error(`${method} ${path}: ${response.status} ${response.text}`);
    return response;
  }

  /** Creates a record of a resource and returns its id. */
  async create(resource: string, changes: object = {}): Promise<number> {
    const body = { ...(await example(this.server, resource, this.account)), ...changes };
    return (await this.requestOk('POST', `/api/${resource}`, body)).json.id;
  }
}

/** A client of {@link EventRecordingClient.start} for all tests of the suite. */
export const suiteEventClient = (...options: Parameters<typeof EventRecordingClient.start>): EventRecordingClient =>
  suiteFixture(
    () => EventRecordingClient.start(...options),
    (client) => client.server.close(),
  );

/** Summarizes events in their order: `Tool 3`, `Tool 3 deleted`; marked if the label is not the request's. */
export const eventSummaries = (events: readonly Event[]): string[] =>
  events.map(({ resource, recordId, body, label }) =>
    [resource, recordId, ...(body === null ? ['deleted'] : []), ...(label === 'L' ? [] : ['with another label'])].join(
      ' ',
    ),
  );
