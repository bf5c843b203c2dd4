/** What is counted while the process runs, with a sentence for whoever reads the figures. Shown at /metrics. */
export const counterDescriptions = {
  broker_logins: 'Clients that signed in to the message broker.',
  broker_refusals: 'Connections, logins, topics and packets that the message broker refused, by reason.',
  broker_messages: 'Messages that clients published on the built-in broker.',
  broker_cut: 'Connections that the built-in broker ended, by reason.',
  announcements: 'Announcements that the message broker took.',
  logs_taken: 'Logs from robots that were stored.',
  logs_dropped: 'Logs from robots that were not stored, by reason.',
  telemetries_taken: 'Telemetries from robots that were stored.',
  telemetries_dropped: 'Telemetries from robots that were not stored, by reason.',
} as const;

export type CounterName = keyof typeof counterDescriptions;

/** Counters of this process. A reason is a short word from the code, never text of a client's. */
export class Counters {
  readonly #values = new Map<CounterName, Map<string, number>>();

  add(name: CounterName, reason = '', by = 1): void {
    let values = this.#values.get(name);
    if (!values) {
      values = new Map();
      this.#values.set(name, values);
    }
    values.set(reason, (values.get(reason) ?? 0) + by);
  }

  /** How often so far, by reason; `''` where none was given. */
  values(name: CounterName): ReadonlyMap<string, number> {
    return this.#values.get(name) ?? new Map();
  }

  /** How often so far, for all reasons together. */
  total(name: CounterName): number {
    let sum = 0;
    for (const value of this.values(name).values()) sum += value;
    return sum;
  }
}
