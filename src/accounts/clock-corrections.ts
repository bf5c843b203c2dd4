import type { Clock } from '../core/clock.ts';
import { timestamp } from '../core/clock.ts';
import type { Logger } from '../core/logger.ts';
import { PollLoop } from '../core/poll-loop.ts';
import type { ServerScope } from '../db/scope.ts';
import { isRobotSession, tokenIssuances } from './token-issuances.ts';
import { sessionLifetime } from './token-signer.ts';

/** Interval of checks, in ms. */
const interval = 10_000;
/** The smallest correction that counts, in ms. */
const minCorrection = 3_600_000;

/**
 * Moves the end of robots' sessions when the clock is set ahead. A machine without a hardware clock starts at the time of its
 * last stop, and robots sign in when they start only: after a winter, the correction would end their new sessions. [ADR 114]
 */
export class ClockCorrections {
  readonly #server: () => ServerScope;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #loop: PollLoop;
  /** Both were read at the same moment. */
  #time: number;
  #elapsed: number;
  /** Older sessions were not opened by this clock. */
  #lastOlder = 0;

  constructor(server: () => ServerScope, clock: Clock, log: Logger) {
    this.#server = server;
    this.#clock = clock;
    this.#log = log;
    this.#time = clock.now();
    this.#elapsed = clock.elapsed?.() ?? this.#time;
    this.#loop = new PollLoop({
      interval,
      work: () => this.#check(),
      onError: (error) => log.warn({ err: error }, 'could not move the ends of sessions'),
    });
  }

  async start(): Promise<void> {
    const [newest] = await this.#server().rows(tokenIssuances, { order: [['id', 'desc']], limit: 1 });
    this.#lastOlder = newest?.id ?? 0;
    await this.#loop.start();
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  async #check(): Promise<void> {
    const time = this.#clock.now();
    const elapsed = this.#clock.elapsed?.() ?? time;
    const expected = this.#time + elapsed - this.#elapsed;
    this.#time = time;
    this.#elapsed = elapsed;
    const correction = Math.floor((time - expected) / 1000);
    if (correction * 1000 < minCorrection) return;
    const server = this.#server();
    const opened = { id: { gt: this.#lastOlder }, created_at: { lte: timestamp(expected) } };
    for (const session of await server.rows(tokenIssuances, { where: opened })) {
      const { id, exp, created_at } = session;
      // Another process may have moved it.
      const isMoved = exp * 1000 > Date.parse(created_at) + sessionLifetime * 1000;
      if (isRobotSession(session) && !isMoved)
        await server.update(tokenIssuances, { exp: exp + correction }, { where: { id, exp } });
    }
    this.#log.warn(
      { seconds: correction },
      'the clock was set ahead; sessions of robots that began since the start continue',
    );
  }
}
