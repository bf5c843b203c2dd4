import { column } from '../db/columns.ts';
import type { DeviceScope } from '../db/scope.ts';
import type { RowOf } from '../db/table.ts';
import { table } from '../db/table.ts';
import type { NotificationKind } from './notification-words.ts';
import { notificationKinds } from './notification-words.ts';

/** Ways to notify a person who is away from the pages. */
export const awayWays = ['email', 'web_push', 'ntfy', 'webhook'] as const;

export type AwayWay = (typeof awayWays)[number];

/** The keys of a browser that receives pushes, as `PushSubscription` has them. */
export interface PushKeys {
  readonly p256dh: string;
  readonly auth: string;
}

/** THE rules by which a person is notified of a garden: on its pages, one rule, and away from them. [ADR 126] */
export const notificationRules = table(
  'notification_rules',
  {
    device_id: column.bigint().references('devices'),
    user_id: column.bigint().references('users'),
    way: column.text(),
    kinds: column.json<readonly NotificationKind[]>(),
    /** Of a receiver; it may contain a secret. Null for pages and e-mail. */
    address: column.text().nullable(),
    /** Of `web_push`. */
    push_keys: column.json<PushKeys>().nullable(),
    /** Signs what a webhook gets, or signs in to an ntfy server. Never shown. */
    secret: column.text().nullable(),
    /** The name of the browser or receiver. */
    description: column.text().nullable(),
    /** Local times of the garden between which deliveries wait: `22:00`; both or neither. */
    quiet_from: column.text().nullable(),
    quiet_to: column.text().nullable(),
    active: column.boolean(),
    /** Why the last delivery failed; null: it did not. */
    last_error: column.text().nullable(),
    /** Of `page`: the newest notification that the person has seen. */
    read_id: column.bigint(),
  },
  { reach: 'both', indexes: [['device_id'], ['user_id']] },
);

export type RuleRow = RowOf<typeof notificationRules>;

/** Rules of a person in a garden, besides that of the pages. */
export const maxRules = 10;

/** The rule of pages of a person who has set none. */
export const defaultPageRule = { kinds: [...notificationKinds] as readonly NotificationKind[], read_id: 0 };

/** Returns the person's rule of pages in the garden; undefined: the default. */
export const pageRule = (scope: DeviceScope, userId: number): Promise<RuleRow | undefined> =>
  scope.first(notificationRules, { where: { user_id: userId, way: 'page' } });
