import { setTimeout as sleep } from 'node:timers/promises';
import type { SoakAccount } from './account.ts';
import type { Fault, Installation } from './installation.ts';
import type { Random } from './random.ts';
import type { SoakReport } from './soak-report.ts';

/** Maximum time until everything works after a fault, in ms: much longer than documented, for busy machines. */
const recoveryTimeout = 90_000;
/** Pause between faults, in ms. */
const minPause = 200;
const maxPause = 6000;

/** Causes faults at random moments, and waits until the installation has recovered from each. */
export class FaultDriver {
  readonly #installation: Installation;
  readonly #account: SoakAccount;
  readonly #random: Random;
  readonly #report: SoakReport;
  /** Faults that were not caused yet: each is caused once before any is repeated. */
  #next: Fault[];
  #repeats = false;

  /** `account`: its records are written to find out whether the installation works. */
  constructor(installation: Installation, account: SoakAccount, random: Random, report: SoakReport) {
    this.#installation = installation;
    this.#account = account;
    this.#random = random;
    this.#report = report;
    this.#next = random.shuffled(installation.faults);
  }

  /** Whether each fault was caused at least once. */
  get hasCausedAll(): boolean {
    return this.#repeats || this.#next.length === 0;
  }

  /** Causes faults until a time, of `performance.now()`. */
  async run(end: number): Promise<void> {
    for (;;) {
      await sleep(this.#random.integer(minPause, maxPause));
      if (performance.now() >= end) return;
      const taken = this.#take();
      // Some faults coincide.
      const faults = this.#random.chance(0.25)
        ? [...taken, ...this.#take(({ part }) => part !== taken[0]?.part)]
        : taken;
      for (const { name } of faults) this.#report.fault(name);
      await Promise.all(faults.map((each) => this.#cause(each)));
      await this.recover();
    }
  }

  async #cause({ name, cause }: Fault): Promise<void> {
    try {
      await cause(this.#random.fork());
    } catch (error) {
      this.#report.violation(`after "${name}" the part did not work again: ${String(error).slice(0, 1000)}`);
    }
  }

  /** Takes a fault that is next and suits, if there is one. */
  #take(suits: (fault: Fault) => boolean = () => true): readonly Fault[] {
    if (this.#next.length === 0) {
      this.#repeats = true;
      this.#next = this.#random.shuffled(this.#installation.faults);
    }
    const index = this.#next.findLastIndex(suits);
    return index < 0 ? [] : this.#next.splice(index, 1);
  }

  /** Waits until every server is healthy and accepts writes. */
  async recover(): Promise<void> {
    const start = performance.now();
    for (const server of this.#installation.api.servers) {
      for (;;) {
        const health = await server.get('/health').catch(() => null);
        const written =
          health?.status === 200 &&
          (await server
            .send('PATCH', '/api/fbos_config', {
              token: this.#account.token,
              body: { safe_height: -this.#random.integer(1, 1000) },
            })
            .catch(() => null));
        if (written && written.status === 200) break;
        if (performance.now() - start > recoveryTimeout) {
          this.#report.violation(`${server.base} did not recover: /health ${health?.status} ${health?.text}`);
          return;
        }
        await sleep(50);
      }
    }
    this.#report.recovery(performance.now() - start);
  }
}
