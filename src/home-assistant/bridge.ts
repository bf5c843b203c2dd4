import type { CommandRunnerOptions } from './command-runner.ts';
import type { GardenPublisherOptions } from './garden-publisher.ts';

/** Shows gardens in Home Assistant, and takes its commands. */
export interface Bridge {
  start(): Promise<void>;
  /** Publishes changes. Resolves when that is done; never rejects. */
  wake(): Promise<void>;
  /** Has a garden read again. */
  onChange(deviceId: number): void;
  stop(): Promise<void>;
}

/** The dependencies of every bridge. */
export type BridgeOptions = CommandRunnerOptions & Omit<GardenPublisherOptions, 'availabilityTopic' | 'publish'>;
