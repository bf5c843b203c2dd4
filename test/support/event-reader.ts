import { EventSource } from 'eventsource';
import { expect } from 'vitest';

/** An event as it arrived. */
export interface ReceivedEvent {
  readonly name: string;
  readonly id: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests access events of any shape
  readonly data: any;
}

const names = ['Point', 'Tool', 'Sequence', 'Device', 'WebAppConfig', 'reset', 'status', 'logs', 'telemetry'];

/** An event stream, read by `eventsource`, which reconnects by itself. */
export class EventReader {
  readonly events: ReceivedEvent[] = [];
  readonly source: EventSource;
  /** Statuses of refusals. */
  readonly refusals: (number | undefined)[] = [];

  /** `token`: null if the URL has a ticket. */
  constructor(url: string, token: string | null, headers: Readonly<Record<string, string>> = {}) {
    this.source = new EventSource(url, {
      fetch: (input, init) =>
        fetch(input, {
          ...init,
          headers: { ...init.headers, ...(token !== null && { authorization: token }), ...headers },
        }),
    });
    this.source.addEventListener('error', ({ code }) => this.refusals.push(code));
    for (const name of names)
      this.source.addEventListener(name, ({ data, lastEventId }) =>
        this.events.push({ name, id: lastEventId, data: JSON.parse(data) }),
      );
  }

  /** Opens a stream and waits until it is open. */
  static async open(...parameters: ConstructorParameters<typeof EventReader>): Promise<EventReader> {
    const reader = new EventReader(...parameters);
    await expect.poll(() => reader.source.readyState).toBe(EventSource.OPEN);
    return reader;
  }

  get isOpen(): boolean {
    return this.source.readyState === EventSource.OPEN;
  }

  /** The names of the records in events of a resource. */
  recordNames(resource = 'Tool'): string[] {
    return this.events.filter(({ name }) => name === resource).map(({ data }) => data.record?.name ?? 'deleted');
  }

  close(): void {
    this.source.close();
  }
}
