import type { GardenReader } from './garden-reader.ts';
import type { Machine } from './machine.ts';
import type { RobotNode } from './nodes.ts';
import type { SequenceCache } from './sequence-cache.ts';
import type { StepBudget } from './step-allowance.ts';

/** Types of log messages that a robot publishes. */
export type MessageType = 'assertion' | 'busy' | 'debug' | 'error' | 'fun' | 'info' | 'success' | 'warn';

/** What steps make the robot do, beside moving the machine. */
export interface RobotActions {
  /** Publishes a log. `verbosity`: 1 is for everybody, 3 for the curious. */
  log(type: MessageType, message: string, options?: { channels?: readonly string[]; verbosity?: number }): void;
  publishStatus(): void;
  /** Reads the account's data again. */
  sync(): Promise<void>;
  /** Gives variables of the robot's environment a value, or takes it away (null). */
  setEnvironment(values: ReadonlyMap<string, string | null>): Promise<void>;
  /** Tells the server what a sensor measured. */
  recordReading(pin: number, mode: number, value: number): Promise<void>;
  /** Gives the machine's settings their defaults back. */
  resetFirmware(): Promise<void>;
  /** Ends its connection, and signs in again after a while. */
  reboot(): Promise<void>;
  /** Ends the robot; `reason` is a sentence. */
  end(reason: string): Promise<void>;
  /** The same, and forgets who it is. */
  factoryReset(reason: string): Promise<void>;
}

/** Which logs of sequences are for everybody, as the account's settings say. [Spec fbos_config] */
export interface SequenceLogs {
  /** `sequence_init_log` */
  readonly begin: boolean;
  /** `sequence_body_log` */
  readonly steps: boolean;
  /** `sequence_complete_log` */
  readonly end: boolean;
}

/** What steps work with. */
export interface StepContext {
  readonly machine: Machine;
  readonly garden: GardenReader;
  readonly actions: RobotActions;
  readonly sequences: SequenceCache;
  readonly sequenceLogs: () => SequenceLogs;
  /** How many sequences are under way that run each other; 0 for single steps. */
  readonly depth: number;
  readonly allowance: StepBudget;
  /** Values of variables by label; empty outside sequences. */
  readonly variables: ReadonlyMap<string, RobotNode>;
  /** Ends when the work must stop; its reason says why. */
  readonly signal: AbortSignal;
  /** From the account's settings, in millimetres. */
  readonly heights: () => { readonly safeHeight: number; readonly soilHeight: number };
  /** As the setting `default_axis_order`. */
  readonly axisOrder: () => string;
  /** From 0 up to 1. */
  readonly random: () => number;
  /** Does something after the request was answered. */
  readonly afterwards: (work: () => Promise<void>) => void;
}
