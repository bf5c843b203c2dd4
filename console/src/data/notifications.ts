import { queryOptions } from '@tanstack/react-query';
import { sentenceOf } from '../../../src/notifications/notification-words.ts';
import { getLanguage } from '../ui/language.ts';
import { api, bodyOf } from './api.ts';
import { listQuery, type RecordOf } from './collections.ts';
import type { components } from './generated/api.ts';
import { queryClient } from './query-client.ts';

export type Notification = RecordOf<'notifications'>;
export type NotificationSettings = components['schemas']['NotificationSettings'];

/** The kinds of notifications that pages show the user, and how far the user has seen them. */
export const notificationSettings = queryOptions({
  queryKey: ['notification-settings'],
  queryFn: () => bodyOf(api.GET('/api/notification_settings')),
});

/** Changes the settings, and shows them at once. Throws an ApiError, with the settings as they were. */
export async function changeNotificationSettings(
  changes: Partial<Pick<NotificationSettings, 'kinds' | 'read_id'>>,
): Promise<void> {
  const { queryKey } = notificationSettings;
  const before = queryClient.getQueryData(queryKey);
  if (before) queryClient.setQueryData(queryKey, { ...before, ...changes });
  try {
    const body = changes.kinds ? { ...changes, kinds: [...changes.kinds] } : changes;
    queryClient.setQueryData(queryKey, await bodyOf(api.PATCH('/api/notification_settings', { body })));
  } catch (error) {
    if (before) queryClient.setQueryData(queryKey, before);
    throw error;
  }
}

/** The notifications of the garden, the newest first. */
export const notificationList = listQuery('notifications');

/** Returns the notifications that the user wants to see. */
export const wanted = (all: readonly Notification[], settings: NotificationSettings | undefined) =>
  all.filter(({ kind }) => settings?.kinds.includes(kind) ?? true).sort((a, b) => b.id - a.id);

/** Returns a notification as a sentence. `time`: the localized time at which it happened. */
export const notificationText = ({ kind, message }: Notification, time: string): string =>
  sentenceOf({ kind, message, time }, getLanguage());
