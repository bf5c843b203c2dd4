import type { LocalText } from '../core/catalog.ts';
import type { DeviceScope } from '../db/scope.ts';
import type { LogType } from './logs.ts';

/** A message from the server to the owner of a device. */
export interface Notice {
  readonly message: LocalText;
  /** `info` if left out. */
  readonly type?: LogType;
  /** The places that show it besides the list of logs: `toast`, `error`, `fatal_email`, … */
  readonly channels?: readonly string[];
}

/** Sends a notice to the owner of a device, in the caller's transaction or in its own. */
export type Notify = (scope: DeviceScope, notice: Notice) => Promise<void>;
