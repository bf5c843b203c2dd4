import type { Clock } from '../core/clock.ts';
import { toPrintable, type Vector } from './nodes.ts';
import { osVersion } from './robot-api.ts';
import type { MessageType } from './step-context.ts';

/** Words that robots keep to themselves: a log with one is never sent. [client FBOS] */
const secrets = /WPA|PSK|PASSWORD|NERVES/i;

/** Logs that are kept while there is no connection; the oldest go first. */
const mostKept = 100;

const [major = 0, minor = 0, patch = 0] = osVersion.split('.').map(Number);

export interface LogSenderOptions {
  readonly clock: Clock;
  readonly position: () => Vector;
  /** Says whether it could be sent. */
  readonly send: (payload: string) => boolean;
  /** For whoever runs the robot. */
  readonly log: (line: string) => void;
}

/** The robot's own messages, as robots send them. */
export class LogSender {
  readonly #options: LogSenderOptions;
  #kept: string[] = [];

  constructor(options: LogSenderOptions) {
    this.#options = options;
  }

  log(type: MessageType, message: string, channels: readonly string[] = [], verbosity = 1): void {
    const { clock, position, send, log } = this.#options;
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
      meta: { assertion_passed: null, assertion_type: null },
      message,
    });
    if (!send(payload)) this.#kept = [...this.#kept, payload].slice(-mostKept);
  }

  /** Sends what was kept. */
  flush(): void {
    const kept = this.#kept;
    this.#kept = [];
    for (const payload of kept) this.#options.send(payload);
  }
}
