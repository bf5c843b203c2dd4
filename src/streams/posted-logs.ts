import type { DeviceScope } from '../db/scope.ts';

/** How streams read the logs of a device that did not come from the broker: sent over HTTP, or written by the server. */
export interface PostedLogReader {
  /** Returns the id of the last one; 0: there is none. */
  lastId(scope: DeviceScope): Promise<number>;
  /** Returns the ids of those after one, in the order of their commits; perhaps not all. */
  idsAfter(scope: DeviceScope, id: number): Promise<readonly number[]>;
  /** Returns the JSON of a log; undefined if it was deleted. */
  read(scope: DeviceScope, id: number): Promise<string | undefined>;
}
