import type { GardenReader } from './garden-reader.ts';
import type { Machine } from './machine.ts';
import { type RobotNode, StepError } from './nodes.ts';
import type { SequenceCache } from './sequence-cache.ts';

/** Maximum number of steps that one request may run, including those of sequences. */
const maxSteps = 10_000;

/** Ends requests whose sequences run each other endlessly. */
export class StepBudget {
  #remaining = maxSteps;

  /** Uses one step. Throws {@link StepError} if none is left. */
  use(): void {
    if (--this.#remaining < 0) throw new StepError(`One request runs at most ${maxSteps} steps.`);
  }
}

/** The types of a robot's log messages. */
export type MessageType = 'assertion' | 'busy' | 'debug' | 'error' | 'fun' | 'info' | 'success' | 'warn';

/** The actions of steps, except for those of the machine. */
export interface RobotActions {
  /** Publishes a log. `verbosity`: from 1, always shown, to 3, details. */
  log(type: MessageType, message: string, options?: { channels?: readonly string[]; verbosity?: number }): void;
  publishStatus(): void;
  /** Fetches the account's data again. */
  sync(): Promise<void>;
  /** Sets environment variables of the robot; null deletes one. */
  setEnvironment(values: ReadonlyMap<string, string | null>): Promise<void>;
  /** Sends a sensor reading to the server. */
  recordReading(pin: number, mode: number, value: number): Promise<void>;
  /** Resets the firmware settings to their defaults. */
  resetFirmware(): Promise<void>;
  /** Disconnects and signs in again after a pause. */
  reboot(): Promise<void>;
  /** Stops the robot; `reason` is a sentence. */
  end(reason: string): Promise<void>;
  /** Stops the robot and deletes its token; `reason` is a sentence. */
  factoryReset(reason: string): Promise<void>;
}

/** Which logs of sequences are always shown, from the account's settings. [rule R16] */
export interface SequenceLogs {
  /** `sequence_init_log` */
  readonly begin: boolean;
  /** `sequence_body_log` */
  readonly steps: boolean;
  /** `sequence_complete_log` */
  readonly end: boolean;
}

/** The context in which steps run. */
export interface StepContext {
  readonly machine: Machine;
  readonly garden: GardenReader;
  readonly actions: RobotActions;
  readonly sequences: SequenceCache;
  readonly sequenceLogs: () => SequenceLogs;
  /** Number of nested sequences; 0 outside sequences. */
  readonly depth: number;
  readonly budget: StepBudget;
  /** Values of variables by label; empty outside sequences. */
  readonly variables: ReadonlyMap<string, RobotNode>;
  /** Aborted when the work must stop; the reason is a {@link StepError}. */
  readonly signal: AbortSignal;
  /** From the account's settings, in mm. */
  readonly heights: () => { readonly safeHeight: number; readonly soilHeight: number };
  /** The setting `default_axis_order`. */
  readonly axisOrder: () => string;
  /** Returns a number in [0, 1). */
  readonly random: () => number;
  /** Runs work after the response was sent. */
  readonly afterwards: (work: () => Promise<void>) => void;
}
