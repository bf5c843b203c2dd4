import { randomBytes } from 'node:crypto';
import { secretDigest } from '../core/secret.ts';
import { column } from '../db/columns.ts';
import type { DeviceScope, ServerScope } from '../db/scope.ts';
import type { RowOf } from '../db/table.ts';
import { table } from '../db/table.ts';

/** Secret addresses of calendars, at most one for each person and garden. [ADR 61] */
export const calendarFeeds = table(
  'calendar_feeds',
  {
    device_id: column.bigint().references('devices'),
    user_id: column.bigint().references('users'),
    /** SHA-256 of the secret, in hexadecimal digits; the secret itself is not stored. */
    secret_hash: column.text(),
  },
  { reach: 'both', unique: [['device_id', 'user_id'], ['secret_hash']] },
);

export type CalendarFeed = RowOf<typeof calendarFeeds>;

const secretBytes = 24;

const hashOf = (secret: string): string => secretDigest(secret).toString('hex');

/** Returns the person's feed of the garden. */
export const ownFeed = (scope: DeviceScope, userId: number): Promise<CalendarFeed | undefined> =>
  scope.first(calendarFeeds, { where: { user_id: userId } });

/** Creates the person's feed of the garden, or gives it another secret. Returns the secret. */
export async function renewFeed(scope: DeviceScope, userId: number): Promise<{ feed: CalendarFeed; secret: string }> {
  const secret = randomBytes(secretBytes).toString('base64url');
  await deleteFeed(scope, userId);
  const feed = await scope.insert(calendarFeeds, { user_id: userId, secret_hash: hashOf(secret) });
  return { feed, secret };
}

/** Ends the person's feed of the garden, if there is one. */
export async function deleteFeed(scope: DeviceScope, userId: number): Promise<void> {
  await scope.delete(calendarFeeds, { where: { user_id: userId } });
}

/** Finds the feed of a secret. */
export const feedOfSecret = (server: ServerScope, secret: string): Promise<CalendarFeed | undefined> =>
  server.first(calendarFeeds, { where: { secret_hash: hashOf(secret) } });
