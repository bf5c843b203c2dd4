import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { aboutWater } from '../../../src/core/about-water.ts';
import { useRecords } from '../data/collections.ts';
import { useFormatTime } from '../data/garden-time.ts';
import { membersOf } from '../data/group-criteria.ts';
import { useNextRuns } from '../data/occurrences.ts';
import styles from './map.module.css';
import { morningText } from './morning-text.ts';
import type { Point } from './points.ts';
import { type Schedule, visitsOf } from './visits.ts';

interface VisitListProps {
  readonly chosen: readonly Point[];
  /** Of the garden. */
  readonly points: readonly Point[];
}

/** Returns the schedule, with the members of the groups that it visits. `points`: of the garden. Suspends. */
export function useSchedule(points: readonly Point[]): Schedule {
  const [now] = useState(Date.now);
  return {
    events: useRecords('farm_events'),
    sequences: useRecords('sequences'),
    regimens: useRecords('regimens'),
    groups: useRecords('point_groups').map((group) => ({
      id: group.id,
      memberIds: new Set(membersOf(group, points, now).map(({ id }) => id)),
    })),
  };
}

/** The programs that the schedule runs at these points, with their next runs. */
export function VisitList({ chosen, points }: VisitListProps) {
  const text = morningText();
  const formatTime = useFormatTime();
  const [now] = useState(Date.now);
  const schedule = useSchedule(points);
  const visits = visitsOf(chosen, schedule, now);
  // Not there, as with more runs than the API counts: the links lead to them nevertheless.
  const runs = useNextRuns(
    ({ farm_event_id }) => visits.some(({ event }) => event.id === farm_event_id),
    visits.length > 0,
  );
  if (visits.length === 0) return null;
  return (
    <ul className={styles.list}>
      {visits.map(({ event, name }) => {
        const later = event.start_time !== null && Date.parse(event.start_time) > now ? event.start_time : undefined;
        const next = runs.find(({ farm_event_id }) => farm_event_id === event.id)?.at ?? later;
        const isRegimen = event.executable_type === 'Regimen';
        return (
          <li key={event.id}>
            {aboutWater.test(name) ? text.wateredBy : text.scheduledWith}{' '}
            {isRegimen ? (
              <Link to="/regimens" search={{ id: event.executable_id }}>
                {name}
              </Link>
            ) : (
              <Link to="/programs/$id" params={{ id: String(event.executable_id) }}>
                {name}
              </Link>
            )}
            {' – '}
            <Link to="/schedule" search={{ event: event.id }}>
              {next === undefined ? text.inSchedule : text.nextRun(formatTime(next))}
            </Link>
          </li>
        );
      })}
    </ul>
  );
}
