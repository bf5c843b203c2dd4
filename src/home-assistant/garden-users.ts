import { createHash, randomBytes } from 'node:crypto';
import type { AccountsOffer } from '../accounts/offer.ts';
import type { DeviceScope, ServerScope } from '../db/scope.ts';
import { deviceOfTopic, discoveryPrefix, gardenTopic, root } from './garden-topics.ts';
import type { HomeAssistantRow } from './home-assistant-rows.ts';
import { homeAssistants } from './home-assistant-rows.ts';

const userForm = /^home_assistant_([1-9]\d{0,15})$/;
const passwordPrefix = 'ha_';

/** First levels of filters that may match retained topics of several gardens. Filters of devices do not. */
const retainedRoots: ReadonlySet<string> = new Set([discoveryPrefix, root, '#', '+']);

/** The user with which Home Assistant connects to the built-in broker for a garden. */
export const gardenUsername = (deviceId: number): string => `home_assistant_${deviceId}`;

/** 160 random bits need no slow hash. */
const hashOf = (password: string): string => createHash('sha256').update(password).digest('base64url');

/** A row whose garden is shown, and has a password for the built-in broker. */
export const mayConnect = ({ is_on, is_allowed, password_hash }: HomeAssistantRow): boolean =>
  is_on && is_allowed && password_hash !== null;

/** The rest of a row without a password. */
export const withoutPassword = { password_hash: null, password_by: null } as const;

/** Sets a new password for the scope's garden on behalf of one of its owners, inside a transaction. Returns it. */
export async function renewPassword(scope: DeviceScope, userId: number): Promise<string> {
  const password = `${passwordPrefix}${randomBytes(20).toString('base64url')}`;
  await scope.update(homeAssistants, { password_hash: hashOf(password), password_by: userId }, {});
  return password;
}

/** The users with which Home Assistant connects to the built-in broker. A password ends with the rights of the owner who created it. */
export const gardenUsers = (rightsOf: AccountsOffer['rightsOf']) => ({
  username: gardenUsername,

  /** Returns the device of a username; null for other names. */
  deviceOf(username: string): number | null {
    const id = Number(userForm.exec(username)?.[1]);
    return Number.isSafeInteger(id) ? id : null;
  },

  /** Returns the credential by which connections know a password. */
  credentialOf: hashOf,

  /** Returns the credential of the garden's valid password; null: none. */
  async validCredential(server: ServerScope, deviceId: number): Promise<string | null> {
    const scope = server.device(deviceId);
    const row = await scope.first(homeAssistants);
    if (!row || !mayConnect(row) || row.password_by === null) return null;
    return (await rightsOf(scope, row.password_by))?.role === 'owner' ? row.password_hash : null;
  },

  /** Whether a user may subscribe: Home Assistant looks for all devices, and {@link canReceive} decides about each message. */
  canSubscribe: (deviceId: number, filter: string): boolean =>
    filter.startsWith(`${discoveryPrefix}/`) || filter.startsWith(`${gardenTopic(deviceId)}/`),

  canReceive: (deviceId: number, topic: string): boolean => deviceOfTopic(topic) === deviceId,

  /** The retained messages on the built-in broker, by garden. */
  retention: {
    userOf(topic: string): string | null {
      const deviceId = deviceOfTopic(topic);
      return deviceId === null ? null : gardenUsername(deviceId);
    },
    usersOf(filter: string): readonly string[] | 'all' {
      const deviceId = deviceOfTopic(filter);
      if (deviceId !== null) return [gardenUsername(deviceId)];
      return retainedRoots.has(filter.split('/', 1)[0] ?? '') ? 'all' : [];
    },
  },
});
