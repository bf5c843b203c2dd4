import { type Clock, timestamp } from '../core/clock.ts';
import type { Message } from '../core/message.ts';
import { LogSender } from './log-sender.ts';
import { createResponse } from './request-handler.ts';
import { measureHealth, type RobotHealth, type StateSources, stateTree, telemetryMessage } from './status.ts';
import { StatusThrottle } from './status-throttle.ts';
import type { LogOptions, MessageType } from './step-context.ts';

/** Minimum interval of states published after pings, in ms. [rule R8] */
const pingedStatusInterval = 3_000;

export interface ReportOptions extends StateSources {
  readonly clock: Clock;
  /** Minimum interval of states, in ms. */
  readonly statusInterval: number;
  /** Publishes on a channel, if connected; returns whether it was. */
  readonly publish: (channel: string, payload: string | Buffer) => boolean;
  /** Prints a line for the operator of the robot. */
  readonly print: (line: string) => void;
}

/** The messages of the robot: its state, telemetry, logs and responses. */
export class Reports {
  readonly #options: ReportOptions;
  readonly #status: StatusThrottle;
  readonly #logs: LogSender;
  readonly #startedAt: number;
  #pingedAt = -pingedStatusInterval;

  constructor(options: ReportOptions) {
    const { machine, version, clock, statusInterval, publish, print } = options;
    this.#options = options;
    this.#startedAt = clock.now();
    this.#status = new StatusThrottle(statusInterval, () => this.#sendState());
    this.#logs = new LogSender({
      version,
      clock,
      position: () => machine.position,
      send: (payload) => publish('logs', payload),
      log: print,
    });
  }

  /** Publishes the state, soon. */
  stateChanged(): void {
    this.#status.changed();
  }

  /** Publishes the state now. */
  publishState(): void {
    this.#status.publishNow();
  }

  /** Stops publishing the state, until it changes. */
  stop(): void {
    this.#status.stop();
  }

  log(type: MessageType, message: string | Message, options?: LogOptions): void {
    this.#logs.log(type, message, options);
  }

  /** Sends the logs and the state that were not sent while disconnected. */
  connected(): void {
    this.#logs.flush();
    this.publishState();
  }

  /** Responds to a request or announcement: with an error if there is a problem. */
  respond(label: string, problem: string | null): void {
    this.#options.publish('from_device', JSON.stringify(createResponse(label, problem)));
  }

  /** Responds to a ping. */
  pong(name: string, payload: Buffer): void {
    const { publish, clock } = this.#options;
    publish(`pong/${name}`, payload);
    const now = clock.now();
    if (now - this.#pingedAt < pingedStatusInterval) return;
    this.#pingedAt = now;
    this.publishState();
  }

  sendTelemetry(): void {
    const { publish, clock } = this.#options;
    publish('telemetry', JSON.stringify(telemetryMessage(this.#health(), timestamp(clock.now()))));
  }

  /** Returns the state tree. */
  state(): ReturnType<typeof stateTree> {
    return stateTree(this.#options, this.#health());
  }

  #sendState(): void {
    this.#options.publish('status', JSON.stringify(this.state()));
  }

  #health(): RobotHealth {
    return measureHealth(this.#options.clock.now() - this.#startedAt);
  }
}
