import type { DeviceScope, ServerScope } from '../db/scope.ts';

/** A log that did not come from the broker: it was sent over HTTP, or written by the server. */
export interface PostedLog {
  /** Ascending in the order of a device's commits. */
  readonly id: number;
  readonly deviceId: number;
}

/** How streams read posted logs. */
export interface PostedLogReader {
  /** Returns the id of the device's last posted log; 0: it has none. */
  lastId(scope: DeviceScope): Promise<number>;
  /** Returns the last ones of all devices, in their order. */
  recent(server: ServerScope): Promise<readonly PostedLog[]>;
  /** Returns a value that changes with every posted log; null on PostgreSQL. */
  version(server: ServerScope): string | null;
  /** Returns the JSON of a log; undefined if it was deleted. */
  read(scope: DeviceScope, log: PostedLog): Promise<string | undefined>;
}
