import { type CalendarDate, toCalendarDate, toZoned } from '@internationalized/date';
import { useQuery, useSuspenseQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import { epochSeconds } from '../../../src/core/time-formats.ts';
import { type Outcome, outcomesOf } from '../../../src/robot/run-outcomes.ts';
import { type RecordOf, useRecords } from '../data/collections.ts';
import { formatClock } from '../data/garden-time.ts';
import { notificationList } from '../data/notifications.ts';
import { type Occurrence, occurrencesQuery, pastOccurrencesQuery, reportsQuery } from '../data/occurrences.ts';
import { givenValues } from '../data/parameters.ts';
import { placeKey, usePlaces } from '../data/places.ts';
import type { Run as Tour } from '../data/runs.ts';
import { zoned } from '../data/zoned-days.ts';

/** Something that runs, or ran, with its display values. */
interface Shown {
  readonly day: CalendarDate;
  /** `7:30 AM`. */
  readonly clock: string;
  /** What became of it; null: it is to come, or in progress. */
  readonly outcome: Outcome | null;
}

/** A run that the schedule causes. */
export interface Run extends Occurrence, Shown {
  /** The purpose of its event: `3 × Tomato`; empty if it gives its program no place. */
  readonly where: string;
  /** Whether another event has a run in the same minute. */
  readonly overlaps: boolean;
  /** Whether its event was deleted since, or has ended. */
  readonly isGone: boolean;
}

/** A run over several places, which a person started. */
export interface StartedRun extends Shown, Pick<Tour, 'id' | 'name' | 'done' | 'total'> {
  /** When it was started; ISO 8601. */
  readonly at: string;
}

/** How far the clocks of browser and server may differ, in ms: a run between them is neither lost nor shown twice. */
const maxSkew = 600_000;

const keyOfRun = ({ farm_event_id, regimen_item_id, at }: Occurrence): string =>
  `${farm_event_id} ${regimen_item_id} ${at}`;

/** Returns the runs from a day up to another, which is not part of it, in order: past ones with their outcome. Suspends. */
export function useRuns(first: CalendarDate, end: CalendarDate, zone: string): readonly Run[] {
  const [from = '', to = ''] = [first, end].map((day) => toZoned(day, zone).toAbsoluteString());
  const [{ data: coming }, { data: past, dataUpdatedAt }] = useSuspenseQueries({
    queries: [occurrencesQuery(from, to), pastOccurrencesQuery(from, to)],
  });
  const outcomes = useOutcomes(past);
  const known = new Set(past.map(keyOfRun));
  const later = coming.filter((run) => Date.parse(run.at) >= dataUpdatedAt - maxSkew && !known.has(keyOfRun(run)));
  return runsOf([...past, ...later], outcomes, zone, usePlacesOfEvents());
}

/** Returns the outcomes of past runs; none until reports were read. */
function useOutcomes(past: readonly Occurrence[]): readonly (Outcome | null)[] {
  const enabled = past.length > 0;
  const { data: stored, dataUpdatedAt: now } = useQuery({ ...reportsQuery, enabled });
  const { data: notifications } = useQuery({ ...notificationList, enabled });
  return useMemo(() => {
    if (!stored || !notifications) return [];
    const logs = stored.map(({ created_at, type, message }) => ({
      at: (epochSeconds(created_at) ?? 0) * 1000,
      type,
      message,
    }));
    return outcomesOf(past, { now, logs, missed: notifications.filter(({ kind }) => kind === 'missed_run') });
  }, [past, stored, now, notifications]);
}

const statesOfTours = { done: 'done', stopped: 'stopped', interrupted: 'failed' } as const;

/** Returns the runs over several places that began from a day up to another, which is not part of it. Suspends. */
export function useStartedRuns(first: CalendarDate, end: CalendarDate, zone: string): readonly StartedRun[] {
  return useRecords('runs').flatMap((run) => {
    const { id, name, done, total, state, problem, created_at: at } = run;
    const day = toCalendarDate(zoned(at, zone));
    if (day.compare(first) < 0 || day.compare(end) >= 0) return [];
    const outcome =
      state === 'running' || state === 'stopping' ? null : { state: statesOfTours[state], reason: problem ?? '' };
    return [{ id, name, done, total, at, day, clock: formatClock(at, zone), outcome }];
  });
}

/** Returns the names of the places that events of the schedule give to their programs, by the ids of the events. Suspends. */
function usePlacesOfEvents(): ReadonlyMap<number, string> {
  const places = usePlaces();
  const namesOf = ({ body }: RecordOf<'farm_events'>): readonly string[] =>
    Object.values(givenValues(body)).flatMap((value) => places.get(placeKey(value))?.label ?? []);
  return new Map(useRecords('farm_events').map((event) => [event.id, namesOf(event).join(', ')]));
}

/** Adds days, times, places, overlaps and outcomes to the runs of the API. The first ones have outcomes. */
function runsOf(
  occurrences: readonly Occurrence[],
  outcomes: readonly (Outcome | null)[],
  zone: string,
  places: ReadonlyMap<number, string>,
): readonly Run[] {
  const events = new Map<string, Set<number>>();
  for (const { at, farm_event_id } of occurrences) {
    const minute = at.slice(0, 16);
    events.set(minute, (events.get(minute) ?? new Set()).add(farm_event_id));
  }
  return occurrences.map((occurrence, index) => {
    const at = zoned(occurrence.at, zone);
    return {
      ...occurrence,
      day: toCalendarDate(at),
      clock: formatClock(occurrence.at, zone),
      where: places.get(occurrence.farm_event_id) ?? '',
      isGone: !places.has(occurrence.farm_event_id),
      overlaps: (events.get(occurrence.at.slice(0, 16))?.size ?? 0) > 1,
      outcome: outcomes[index] ?? null,
    };
  });
}
