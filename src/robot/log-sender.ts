import type { Clock } from '../core/clock.ts';
import type { Message } from '../core/message.ts';
import { toPrintable, type Vector } from './nodes.ts';
import type { OsVersion } from './os-version.ts';
import type { LogOptions, MessageType } from './step-context.ts';

/** Messages with one of these words are never sent. [rule R10] */
const secrets = /WPA|PSK|PASSWORD|NERVES/i;

/** Maximum number of logs kept while disconnected; the oldest are dropped. */
const maxKept = 100;

export interface LogSenderOptions {
  readonly version: OsVersion;
  readonly clock: Clock;
  readonly position: () => Vector;
  /** Returns whether it was sent. */
  readonly send: (payload: string) => boolean;
  /** Prints a line for the operator of the robot. */
  readonly log: (line: string) => void;
}

/** Sends the robot's logs. */
export class LogSender {
  readonly #options: LogSenderOptions;
  #kept: string[] = [];

  constructor(options: LogSenderOptions) {
    this.#options = options;
  }

  log(type: MessageType, sent: string | Message, { channels = [], verbosity = 1, assertion }: LogOptions = {}): void {
    const { version, clock, position, send, log } = this.#options;
    const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
    const message = String(sent);
    log(`${type}: ${toPrintable(message)}`);
    if (secrets.test(message)) return;
    const { x, y, z } = position();
    const payload = JSON.stringify({
      type,
      x,
      y,
      z,
      verbosity,
      major_version: major,
      minor_version: minor,
      patch_version: patch,
      created_at: Math.floor(clock.now() / 1000),
      channels,
      meta: { assertion_passed: assertion?.passed ?? null, assertion_type: assertion?.type ?? null },
      message,
    });
    if (!send(payload)) this.#kept = [...this.#kept, payload].slice(-maxKept);
  }

  /** Sends the logs kept while disconnected. */
  flush(): void {
    const kept = this.#kept;
    this.#kept = [];
    for (const payload of kept) this.#options.send(payload);
  }
}
