import { setTimeout as sleep } from 'node:timers/promises';

/** Lets actors work in turns that can be paused together, so that their knowledge can be compared with the server. */
export class PausableLoad {
  #isPaused = false;
  #isOver = false;
  #active = 0;
  readonly #waiting: (() => void)[] = [];
  readonly #idle: (() => void)[] = [];

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Repeats `work`, with `pause` ms in between, until the end. Failures are passed to `onFailure`. */
  async repeat(pause: () => number, work: () => Promise<void>, onFailure: (error: unknown) => void): Promise<void> {
    while (!this.#isOver) {
      await this.#turn(work).catch(onFailure);
      await sleep(pause());
    }
  }

  /** Resolves when no actor works. */
  async pause(): Promise<void> {
    this.#isPaused = true;
    if (this.#active > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  resume(): void {
    this.#isPaused = false;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  /** Ends all repetitions. */
  end(): void {
    this.#isOver = true;
    this.resume();
  }

  async #turn(work: () => Promise<void>): Promise<void> {
    while (this.#isPaused) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    if (this.#isOver) return;
    this.#active++;
    try {
      await work();
    } finally {
      if (--this.#active === 0) for (const resolve of this.#idle.splice(0)) resolve();
    }
  }
}
