import type { Clock } from '../core/clock.ts';
import { FixedWindow } from '../core/fixed-window.ts';
import type { Logger } from '../core/logger.ts';
import type { ServerScope } from '../db/scope.ts';
import type { LiveOffer } from '../live/offer.ts';
import type { GardenCommand } from './garden-commands.ts';

const minute = 60_000;
/** Commands of a garden per minute; emergency stops and unlocks do not count. */
const maxCommands = 60;
/** Lines about refused commands of a garden in the log, per minute. */
const maxLogLines = 5;
/** How long a command waits for the robot, in seconds. */
const commandWait = 60;

export interface CommandRunnerOptions {
  readonly server: () => ServerScope;
  readonly clock: Clock;
  readonly log: Logger;
  readonly live: LiveOffer;
}

/** Has robots run the commands of Home Assistant, at a limited rate for each garden. */
export class CommandRunner {
  readonly #options: CommandRunnerOptions;
  readonly #commands = new FixedWindow(maxCommands, minute);
  readonly #logLines = new FixedWindow(maxLogLines, minute);

  constructor(options: CommandRunnerOptions) {
    this.#options = options;
  }

  /** Starts a command, and logs if it is refused. */
  run({ deviceId, program }: GardenCommand): void {
    const { server, clock, live } = this.#options;
    const isEmergency = typeof program === 'string';
    if (!isEmergency && !this.#commands.consume(String(deviceId), clock.now())) {
      this.#warn(deviceId, `More than ${maxCommands} commands within a minute.`);
      return;
    }
    const scope = server().device(deviceId);
    const sent = isEmergency
      ? live.commands.sendEmergency(scope, program)
      : live.commands.send(scope, program, { wait: commandWait });
    sent.catch((error: unknown) => this.#warn(deviceId, String(error)));
  }

  #warn(device: number, reason: string): void {
    const { log, clock } = this.#options;
    if (this.#logLines.consume(String(device), clock.now()))
      log.warn({ device, reason }, 'a command of Home Assistant was refused');
  }
}
