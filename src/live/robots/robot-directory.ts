import { LRUCache } from 'lru-cache';
import type { Clock, Timestamp } from '../../core/clock.ts';
import { timestamp } from '../../core/clock.ts';
import type { Broker, RobotClient } from '../broker.ts';
import { maxMessageSize } from '../ingestion/robot-message.ts';
import type { RobotMessage } from './robot-messages.ts';
import { parseRobotStatus } from './robot-status.ts';
import type { RobotStatus } from './status-message.ts';

/** Maximum size of the last statuses of all robots in memory, in bytes; beyond it, the least recent ones are dropped. */
const maxStatusBytes = 64 * 1024 * 1024;

/** Whether a robot is connected, and its last status. */
export interface RobotState {
  readonly connected: boolean;
  readonly connected_since: Timestamp | null;
  readonly status: (RobotStatus & { readonly received_at: Timestamp }) | null;
}

/** The robots that are connected to the broker, and the last status of each, in memory. */
export class RobotDirectory {
  readonly #clock: Clock;
  readonly #broker: () => Broker | null;
  readonly #statuses = new LRUCache<number, { readonly payload: Buffer; readonly at: number }>({
    maxSize: maxStatusBytes,
    sizeCalculation: ({ payload }) => payload.length + 100,
  });

  /** `broker` returns null without a broker. */
  constructor(clock: Clock, broker: () => Broker | null) {
    this.#clock = clock;
    this.#broker = broker;
  }

  /** Stores a status; it is parsed when it is read. */
  record({ deviceId, channel, payload }: RobotMessage): void {
    if (channel !== 'status' || payload.length > maxMessageSize) return;
    this.#statuses.set(deviceId, { payload: Buffer.from(payload), at: this.#clock.now() });
  }

  /** Returns since when a robot of the device is connected, in ms since the epoch; null: none is. */
  connectedSince(deviceId: number): number | null {
    const robots = this.robots(deviceId);
    return robots.length === 0 ? null : Math.min(...robots.map(({ since }) => since));
  }

  /** Returns the connected robots of a device. */
  robots(deviceId: number): readonly RobotClient[] {
    return this.#broker()?.robots(deviceId) ?? [];
  }

  state(deviceId: number): RobotState {
    const since = this.connectedSince(deviceId);
    const last = this.#statuses.get(deviceId);
    const status = last ? parseRobotStatus(last.payload) : null;
    return {
      connected: since !== null,
      connected_since: since === null ? null : timestamp(since),
      status: status && last ? { received_at: timestamp(last.at), ...status } : null,
    };
  }
}
