import type { ServerScope } from '../db/scope.ts';

/** The people of a device, as the device asks for them. Accounts know them. */
export interface Owners {
  /** The e-mail addresses of the device's users; empty when nobody is left. */
  addresses(scope: ServerScope, deviceId: number): Promise<readonly string[]>;
  /** Gives a user another device. Part of the caller's transaction. */
  move(scope: ServerScope, userId: number, deviceId: number): Promise<void>;
}
