import { timestamp } from '../core/clock.ts';
import type { DeviceScope } from '../db/scope.ts';
import { ownDevice } from '../device/devices.ts';
import { insertRecord } from '../engine/records.ts';
import type { JobQueue } from '../jobs/queue.ts';
import { enqueueDelivery } from './deliverer.ts';
import { keptNotifications, notifications } from './notification-resource.ts';
import { notificationRules } from './notification-rules.ts';
import type { NotificationKind } from './notification-words.ts';

const minute = 60_000;
/** The same is reported once within this time, in ms: a robot in trouble repeats itself. */
const repetitionTime = 10 * minute;
/** Notifications of a garden within an hour; the logs have everything. */
const maxPerHour = 60;
/** In characters. */
const maxMessage = 500;

/** A log as it is stored. */
export interface StoredLog {
  readonly type: string;
  readonly message: string;
  readonly channels: readonly string[];
}

/** Sentences of robots about assertions that held. */
const passed = /\bpassed\b/i;

/** Returns the kind of the notification of a log; null: none. */
export function kindOfLog({ type, message, channels }: StoredLog): NotificationKind | null {
  if (type === 'error') return 'error';
  if (type === 'assertion' && !passed.test(message)) return 'assertion';
  return channels.includes('toast') ? 'message' : null;
}

/** Something to notify people of; `at` in ms. */
export interface Happened {
  readonly kind: NotificationKind;
  readonly message: string;
  readonly at: number;
}

/** Stores a notification, and enqueues its deliveries, inside a transaction; not if it repeats another, or there are too many. */
export async function recordNotification(scope: DeviceScope, queue: JobQueue, happened: Happened): Promise<void> {
  const { kind, at } = happened;
  const message = happened.message.slice(0, maxMessage).toWellFormed();
  const now = scope.clock.now();
  const since = (span: number) => ({ created_at: { gte: timestamp(now - span) } });
  if (await scope.count(notifications, { where: { kind, message, ...since(repetitionTime) } })) return;
  if ((await scope.count(notifications, { where: since(60 * minute) })) >= maxPerHour) return;
  const { id } = await insertRecord(scope, notifications, { kind, message, at: timestamp(at) });
  await trim(scope);
  const { timezone: zone } = await ownDevice(scope);
  for (const rule of await scope.rows(notificationRules, { where: { active: true } })) {
    if (rule.way === 'page' || !rule.kinds.includes(kind)) continue;
    await enqueueDelivery(scope, queue, rule, { rule_id: rule.id, notification_id: id, attempt: 0 }, { at: now, zone });
  }
}

/** Deletes notifications beyond those that are kept. */
async function trim(scope: DeviceScope): Promise<void> {
  const surplus = await scope.rows(notifications, { order: [['id', 'desc']], limit: 100, offset: keptNotifications });
  if (surplus.length === 0) return;
  await scope.delete(notifications, { where: { id: surplus.map(({ id }) => id) } });
  for (const { id } of surplus) scope.events.deleted('Notification', id);
}
