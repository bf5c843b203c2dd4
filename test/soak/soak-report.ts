/** The outcomes of requests of one kind. */
interface RequestCounts {
  acknowledged: number;
  /** Responses 4xx, by status. */
  readonly refused: Map<number, number>;
  unavailable: number;
  /** Without a response. */
  unknown: number;
  /** The connection was refused. */
  unsent: number;
}

/** Violations that are printed; more would only repeat them. */
const maxPrinted = 40;

const increment = <K>(counts: Map<K, number>, key: K, by = 1): void =>
  void counts.set(key, (counts.get(key) ?? 0) + by);

const quantile = (sorted: readonly number[], part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;

/** Counts everything that happens in one installation, and keeps the losses. */
export class SoakReport {
  readonly #name: string;
  readonly #startedAt = performance.now();
  readonly #requests = new Map<string, RequestCounts>();
  readonly #counts = new Map<string, number>();
  readonly #faults = new Map<string, number>();
  readonly #recoveries: number[] = [];
  readonly #violations: string[] = [];
  #lastFault = 'none';

  constructor(name: string) {
    this.#name = name;
  }

  get violations(): readonly string[] {
    return this.#violations;
  }

  request(kind: string): RequestCounts {
    const found = this.#requests.get(kind);
    if (found) return found;
    const counts = { acknowledged: 0, refused: new Map(), unavailable: 0, unknown: 0, unsent: 0 };
    this.#requests.set(kind, counts);
    return counts;
  }

  refused(kind: string, status: number): void {
    increment(this.request(kind).refused, status);
  }

  count(what: string, by = 1): void {
    increment(this.#counts, what, by);
  }

  fault(name: string): void {
    increment(this.#faults, name);
    this.#lastFault = `${name} at ${this.#time()}`;
    this.say(name);
  }

  /** Records the time from the end of a fault until the installation worked again, in ms. */
  recovery(duration: number): void {
    this.#recoveries.push(duration);
  }

  /** Records something that was lost or is wrong. */
  violation(what: string): void {
    const sentence = `${what} (at ${this.#time()}, last fault: ${this.#lastFault})`;
    this.#violations.push(sentence);
    if (this.#violations.length <= maxPrinted) this.say(`LOST ${sentence}`);
  }

  /** Prints a line. */
  say(line: string): void {
    console.info(`[${this.#name}] ${this.#time().padStart(8)}  ${line}`);
  }

  /** Prints all counts. */
  print(): void {
    const lines = [`${'requests'.padEnd(34)}acknowledged  refused  unavailable  unknown  unsent`];
    const total: RequestCounts = { acknowledged: 0, refused: new Map(), unavailable: 0, unknown: 0, unsent: 0 };
    for (const [kind, counts] of [...this.#requests].sort(([one], [other]) => one.localeCompare(other))) {
      lines.push(row(kind, counts));
      for (const name of ['acknowledged', 'unavailable', 'unknown', 'unsent'] as const) total[name] += counts[name];
      for (const [status, count] of counts.refused) increment(total.refused, status, count);
    }
    lines.push(row('all', total), '');
    for (const [what, count] of this.#counts) lines.push(`${what.padEnd(34)}${String(count).padStart(12)}`);
    lines.push('');
    for (const [name, count] of [...this.#faults].sort()) lines.push(`${name.padEnd(34)}${String(count).padStart(12)}`);
    const sorted = this.#recoveries.toSorted((one, other) => one - other);
    const [half, max] = [quantile(sorted, 0.5), sorted.at(-1) ?? 0].map((ms) => `${(ms / 1000).toFixed(1)} s`);
    lines.push(
      `${'recoveries'.padEnd(34)}${String(sorted.length).padStart(12)}  half within ${half}, all within ${max}`,
    );
    lines.push(`${'lost'.padEnd(34)}${String(this.#violations.length).padStart(12)}`);
    console.info(`\n[${this.#name}] after ${this.#time()}\n${lines.join('\n')}\n`);
  }

  #time(): string {
    return `${((performance.now() - this.#startedAt) / 1000).toFixed(1)} s`;
  }
}

function row(kind: string, { acknowledged, refused, unavailable, unknown, unsent }: RequestCounts): string {
  const statuses = [...refused].map(([status, count]) => `${count}×${status}`).join(' ') || '0';
  const numbers = [String(acknowledged).padStart(12), statuses.padStart(9)];
  return [
    kind.padEnd(33),
    ...numbers,
    String(unavailable).padStart(12),
    String(unknown).padStart(8),
    String(unsent).padStart(7),
  ].join(' ');
}
