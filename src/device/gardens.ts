import type { Language } from '../core/languages.ts';
import type { DeviceScope, ServerScope } from '../db/scope.ts';
import type { Recipient } from '../mail/message.ts';
import type { DeviceRow } from './devices.ts';
import type { Notify } from './notice.ts';

/** Optional fields of a new device. */
export type DeviceInput = Partial<Pick<DeviceRow, 'name' | 'timezone' | 'lat' | 'lng' | 'indoor' | 'rpi'>>;

/** The beginning, end and owners of gardens. Many rooms have a part in it; `upkeep` implements it. [ADR 100] */
export interface Gardens {
  /** Creates a device with its alerts and configs, inside a transaction, and returns its id. Not announced: it has no subscribers yet. [decision 35] */
  create(server: ServerScope, input?: DeviceInput): Promise<number>;
  /** Deletes the rows of a device's largest tables in small steps; called before the device is deleted, outside of a transaction. */
  empty(scope: DeviceScope): Promise<void>;
  /** Deletes all records of a device with the files of its photos, whether in use or not, and announces it. Requires a transaction. */
  clear(scope: DeviceScope): Promise<void>;
  /** Deletes a device with all of its data, including files, inside a transaction. */
  destroy(server: ServerScope, deviceId: number): Promise<void>;
  /** Prepares a garden whose account will be deleted by a job. In a transaction. */
  prepareDeletion(scope: DeviceScope): Promise<void>;
  /** Copies the limits and counters of an account to a new device, inside a transaction: replacing the device must not reset them. */
  copyLimits(from: DeviceScope, to: DeviceScope): Promise<void>;
  /** Returns the owners of a device as recipients of mails. */
  recipients(server: ServerScope, deviceId: number): Promise<readonly Recipient[]>;
  /** Whether the scope's device belongs to a demo account. */
  isDemo(scope: DeviceScope): Promise<boolean>;
  /** Returns the language of the server's texts in a garden: its first owner's. */
  languageOf(scope: DeviceScope): Promise<Language>;
  /** Whether the device is the home garden of the scope's user, not an additional one. */
  isHome(scope: DeviceScope): Promise<boolean>;
  /** Moves a user to another device, inside a transaction. */
  move(server: ServerScope, userId: number, deviceId: number): Promise<void>;
  /** Removes the address of a deleted user from published sequences. */
  anonymizeAuthor(server: ServerScope, email: string): Promise<void>;
  /** Ends a person's calendar feed and rules of notifications of the scope's garden. */
  endFeed(scope: DeviceScope, userId: number): Promise<void>;
  /** Revokes access that a user granted in all gardens and that needs no session: invitations, calendar feeds, webhooks. Requires a transaction. */
  endDelegatedAccess(server: ServerScope, userId: number, notify: Notify): Promise<void>;
}
