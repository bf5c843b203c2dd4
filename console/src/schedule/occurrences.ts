import { type CalendarDate, toCalendarDate, toZoned } from '@internationalized/date';
import { useSuspenseQuery } from '@tanstack/react-query';
import { type RecordOf, useRecords } from '../data/collections.ts';
import { formatClock } from '../data/garden-time.ts';
import { type Occurrence, occurrencesQuery } from '../data/occurrences.ts';
import { givenValues } from '../data/parameters.ts';
import { placeKey, usePlaces } from '../data/places.ts';
import { zoned } from '../data/zoned-days.ts';

/** A run with its display values. */
export interface Run extends Occurrence {
  readonly day: CalendarDate;
  /** `7:30 AM`. */
  readonly clock: string;
  /** The purpose of its event: `3 × Tomato`; empty if it gives its program no place. */
  readonly where: string;
  /** Whether another event has a run in the same minute. */
  readonly overlaps: boolean;
}

/** Returns the runs from a day up to another, which is not part of it, in order. Suspends. */
export function useRuns(first: CalendarDate, end: CalendarDate, zone: string): readonly Run[] {
  const [from, to] = [first, end].map((day) => toZoned(day, zone).toAbsoluteString());
  const occurrences = useSuspenseQuery(occurrencesQuery(from ?? '', to ?? '')).data;
  return runsOf(occurrences, zone, usePlacesOfEvents());
}

/** Returns the names of the places that events of the schedule give to their programs, by the ids of the events. Suspends. */
function usePlacesOfEvents(): ReadonlyMap<number, string> {
  const places = usePlaces();
  const namesOf = ({ body }: RecordOf<'farm_events'>): readonly string[] =>
    Object.values(givenValues(body)).flatMap((value) => places.get(placeKey(value))?.label ?? []);
  return new Map(useRecords('farm_events').map((event) => [event.id, namesOf(event).join(', ')]));
}

/** Adds days, times, places and overlaps to the runs of the API. */
function runsOf(occurrences: readonly Occurrence[], zone: string, places: ReadonlyMap<number, string>): readonly Run[] {
  const events = new Map<string, Set<number>>();
  for (const { at, farm_event_id } of occurrences) {
    const minute = at.slice(0, 16);
    events.set(minute, (events.get(minute) ?? new Set()).add(farm_event_id));
  }
  return occurrences.map((occurrence) => {
    const at = zoned(occurrence.at, zone);
    return {
      ...occurrence,
      day: toCalendarDate(at),
      clock: formatClock(occurrence.at, zone),
      where: places.get(occurrence.farm_event_id) ?? '',
      overlaps: (events.get(occurrence.at.slice(0, 16))?.size ?? 0) > 1,
    };
  });
}
