import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useFormatTime } from '../data/garden-time.ts';
import { onChange } from '../data/live.ts';
import {
  changeNotificationSettings,
  type Notification,
  notificationList,
  notificationSettings,
  notificationText,
  wanted,
} from '../data/notifications.ts';
import { queryClient } from '../data/query-client.ts';
import { singleQueries } from '../data/singles.ts';
import { Actions } from '../ui/actions.tsx';
import { Entries, Entry } from '../ui/entries.tsx';
import { formatInstant } from '../ui/time-format.ts';
import { showProblem, showToast } from '../ui/toasts.tsx';
import styles from './notices.module.css';
import { noticesText } from './notices-text.ts';

/** Notifications that the inbox shows; the logs have all. */
const maxShown = 50;

/** Returns the notifications that the user wants to see, and how many of them are new. Never suspends. */
export function useInbox(): { readonly entries: readonly Notification[]; readonly unseen: number } {
  const settings = useQuery(notificationSettings).data;
  const entries = wanted(useQuery(notificationList).data ?? [], settings);
  const readId = settings?.read_id;
  return { entries, unseen: readId === undefined ? 0 : entries.filter(({ id }) => id > readId).length };
}

/** Returns the local time of the garden at which it happened; of this browser, if the garden's is not known yet. */
function timeOf({ at }: Notification): string {
  const zone = queryClient.getQueryData(singleQueries.device.queryKey)?.timezone;
  return formatInstant(at, zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone, { timeStyle: 'short' });
}

/** Shows each new notification that the user wants to see, on any page. */
function showNew({ resource, action, record }: Parameters<Parameters<typeof onChange>[0]>[0]): void {
  if (resource !== 'Notification' || action !== 'created' || !record) return;
  const notification = record as Notification;
  void queryClient.ensureQueryData(notificationSettings).then(
    (settings) => {
      if (wanted([notification], settings).length === 0) return;
      showToast({
        text: notificationText(notification, timeOf(notification)),
        tone: notification.kind === 'message' ? 'plain' : 'problem',
        link: { to: '/logs', search: {}, label: noticesText().toLogs },
      });
    },
    () => undefined,
  );
}

/** Shows messages for new notifications while it is mounted. */
export function useNotificationToasts(): void {
  useEffect(() => onChange(showNew), []);
}

/** What the robot said, the newest first. Opening it marks all as seen. */
export function Inbox({ onLeave }: { readonly onLeave: () => void }) {
  const text = noticesText();
  const formatTime = useFormatTime();
  const { entries, unseen } = useInbox();
  const newest = entries[0]?.id;
  useEffect(() => {
    if (unseen > 0 && newest !== undefined) changeNotificationSettings({ read_id: newest }).catch(showProblem);
  }, [unseen, newest]);
  return (
    <section aria-label={text.fromRobot}>
      <h3 className={styles.part}>{text.fromRobot}</h3>
      {entries.length === 0 ? <p>{text.nothing}</p> : null}
      <Entries label={text.fromRobot}>
        {entries.slice(0, maxShown).map((entry) => (
          <Entry
            key={entry.id}
            title={notificationText(entry, formatTime(entry.at))}
            details={[formatTime(entry.created_at)]}
          />
        ))}
      </Entries>
      <Actions>
        <Link to="/logs" search={{}} className={styles.link} onClick={onLeave}>
          {text.toLogs}
        </Link>
        <Link to="/account" search={{ part: 'notifications' }} className={styles.link} onClick={onLeave}>
          {text.choose}
        </Link>
      </Actions>
    </section>
  );
}
