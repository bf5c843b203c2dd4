import type { DeviceScope } from '../db/scope.ts';
import { hasGuestAddress } from './guests.ts';
import { emailAddresses, users } from './users.ts';

/** What publishing asks about users. */
export const authors = {
  /** Returns whether the device belongs to a demo account, which cannot publish. */
  isDemoDevice: async (scope: DeviceScope): Promise<boolean> => (await scope.rows(users)).some(hasGuestAddress),
  emailAddresses,
};
