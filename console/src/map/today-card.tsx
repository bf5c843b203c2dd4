import { queryOptions, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { api, bodyOf } from '../data/api.ts';
import type { components } from '../data/generated/api.ts';
import { onChange, onRobotMessage } from '../data/live.ts';
import { textOfIds } from '../data/point-ids.ts';
import { queryClient } from '../data/query-client.ts';
import { getLanguage } from '../ui/language.ts';
import styles from './today.module.css';
import { todayText } from './today-text.ts';

type Item = components['schemas']['Today']['items'][number];

/** How often the sentences are read without a reason, and the delay after one, in ms: changes come in groups. */
const [interval, delay] = [600_000, 5000];

const todayQuery = () =>
  queryOptions({
    queryKey: ['today', getLanguage()],
    queryFn: () => bodyOf(api.GET('/api/today')),
    staleTime: interval,
    refetchInterval: interval,
  });

/** The records that the sentences follow from. */
const causes: ReadonlySet<string> = new Set(['Device', 'FarmEvent', 'Notification', 'Point', 'Regimen', 'Run']);

/** Reads the sentences again after changes, and after messages of the robot. */
function useFreshness(): void {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const refresh = (): void => {
      timer ??= setTimeout(() => {
        timer = undefined;
        void queryClient.invalidateQueries({ queryKey: ['today'] });
      }, delay);
    };
    const ends = [
      onChange(({ resource }) => {
        if (causes.has(resource)) refresh();
      }),
      onRobotMessage('logs', refresh),
    ];
    return () => {
      clearTimeout(timer);
      for (const end of ends) end();
    };
  }, []);
}

/** The key under which this browser notes that the card is folded. */
const foldedKey = 'today';

/** What is to be known of the garden today; nothing if there is nothing to say. Folded, it stays so in this browser. */
export function TodayCard() {
  useFreshness();
  const items = useQuery(todayQuery()).data?.items ?? [];
  const [isOpen, setOpen] = useState(() => localStorage.getItem(foldedKey) === null);
  if (items.length === 0) return null;
  return (
    <details
      className={styles.today}
      open={isOpen}
      onToggle={({ currentTarget: { open } }) => {
        setOpen(open);
        if (open) localStorage.removeItem(foldedKey);
        else localStorage.setItem(foldedKey, 'folded');
      }}
    >
      <summary>
        <h2>{todayText().title}</h2>
      </summary>
      <ul>
        {items.map((item) => (
          <li key={`${item.kind} ${item.at} ${item.message}`} data-kind={item.kind}>
            <Place item={item}>{item.message}</Place>
          </li>
        ))}
      </ul>
    </details>
  );
}

/** Leads to where more about a sentence is. */
function Place({ item: { kind, point_ids }, children }: { readonly item: Item; readonly children: ReactNode }) {
  const [point] = point_ids;
  if (point !== undefined)
    return (
      <Link to="/map" search={point_ids.length > 1 ? { points: textOfIds(point_ids) } : { point }}>
        {children}
      </Link>
    );
  return <Link to={kind === 'offline' ? '/robot' : '/schedule'}>{children}</Link>;
}
