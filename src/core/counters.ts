/** Counters kept while the process runs, with their help texts for `/metrics`. */
export const counterDescriptions = {
  log_lines_dropped: 'Lines of the log that could not be written.',
  broker_logins: 'Clients that signed in to the message broker.',
  broker_refusals: 'Connections, logins, topics and packets that the message broker rejected, by reason.',
  broker_messages: 'Messages that clients published to the built-in broker.',
  broker_cut: 'Connections that the built-in broker closed, by reason.',
  announcements: 'Announcements accepted by the message broker.',
  logs_taken: 'Logs from robots that were stored.',
  logs_dropped: 'Logs from robots that were not stored, by reason.',
  telemetries_taken: 'Telemetries from robots that were stored.',
  telemetries_dropped: 'Telemetries from robots that were not stored, by reason.',
} as const;

export type CounterName = keyof typeof counterDescriptions;

/** Counters of this process. A reason is a constant of the code, never client input. */
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

  /** Returns the counts by reason; `''` stands for no reason. */
  values(name: CounterName): ReadonlyMap<string, number> {
    return this.#values.get(name) ?? new Map();
  }

  /** Returns the sum over all reasons. */
  total(name: CounterName): number {
    let sum = 0;
    for (const value of this.values(name).values()) sum += value;
    return sum;
  }
}
