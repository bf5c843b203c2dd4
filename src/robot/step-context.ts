import type { Clock } from '../core/clock.ts';
import type { Message } from '../core/message.ts';
import type { AccountData } from './account-data.ts';
import type { Camera } from './camera.ts';
import type { GardenReader } from './garden-reader.ts';
import type { JobList } from './job-list.ts';
import type { Machine } from './machine.ts';
import { type RobotNode, StepError } from './nodes.ts';
import type { RobotApi } from './robot-api.ts';
import type { RunningPrograms } from './running-programs.ts';
import type { SequenceCache } from './sequence-cache.ts';
import type { StateTree } from './status.ts';

/** Maximum number of steps that one request may run, including the steps of sequences. */
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

export interface LogOptions {
  readonly channels?: readonly string[];
  /** From 1, always shown, to 3, details; 1 by default. */
  readonly verbosity?: number;
  /** The result of an `assertion`. */
  readonly assertion?: { readonly passed: boolean; readonly type: string };
}

/** The actions of steps, except for the machine's. */
export interface RobotActions {
  /** Publishes a log. */
  log(type: MessageType, message: string | Message, options?: LogOptions): void;
  publishStatus(): void;
  /** Fetches the account's data again. */
  sync(): Promise<void>;
  /** Sets environment variables of the robot; null deletes one. */
  setEnvironment(values: ReadonlyMap<string, string | null>): Promise<void>;
  /** Resets the firmware settings to their defaults. */
  resetFirmware(): Promise<void>;
  /** Disconnects and signs in again after a pause. */
  reboot(): Promise<void>;
  /** Stops the robot; `reason` is a sentence. */
  end(reason: Message): Promise<void>;
  /** Stops the robot and deletes its token; `reason` is a sentence. */
  factoryReset(reason: Message): Promise<void>;
}

/** Fetches a URL for a script, safely. Rejects if that is not possible; the message is for the log. */
export type RobotFetch = (
  url: string,
) => Promise<{ readonly status: number; readonly body: string; readonly headers: Readonly<Record<string, string>> }>;

/** The context in which steps run. */
export interface StepContext {
  readonly machine: Machine;
  readonly api: RobotApi;
  /** The account's settings and environment variables. */
  readonly account: AccountData;
  readonly garden: GardenReader;
  readonly camera: Camera;
  readonly jobs: JobList;
  readonly running: RunningPrograms;
  /** Returns the robot's state tree. */
  readonly state: () => StateTree;
  readonly clock: Clock;
  readonly actions: RobotActions;
  readonly sequences: SequenceCache;
  /** Number of nested sequences; 0 outside sequences. */
  readonly depth: number;
  readonly budget: StepBudget;
  /** Values of variables by label; empty outside sequences. */
  readonly variables: ReadonlyMap<string, RobotNode>;
  /** Aborted when the work must stop; the reason is a {@link StepError}. */
  readonly signal: AbortSignal;
  /** Fetches for `http` in scripts; null: scripts cannot reach other servers. */
  readonly fetch: RobotFetch | null;
  /** Runs Lua in a context and returns its first result. Throws {@link StepError}. */
  readonly runLua: (code: string, context: StepContext) => Promise<unknown>;
  /** Returns a number in [0, 1). */
  readonly random: () => number;
  /** Runs work after the response was sent. */
  readonly afterwards: (work: () => Promise<void>) => void;
}
