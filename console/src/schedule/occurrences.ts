import { type CalendarDate, toCalendarDate, toZoned } from '@internationalized/date';
import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { api, bodyOf } from '../data/api.ts';
import { zoned } from '../data/garden-time.ts';
import type { components } from '../data/generated/api.ts';
import { onChange } from '../data/live.ts';
import { queryClient } from '../data/query-client.ts';

export type Occurrence = components['schemas']['Occurrence'];

const key = ['occurrences'] as const;
/** Records that runs follow from. */
const causes = ['FarmEvent', 'Regimen', 'Sequence', 'Device'];

onChange(({ resource }) => {
  if (causes.includes(resource)) void queryClient.invalidateQueries({ queryKey: key });
});

const occurrencesQuery = (from: string, to: string) =>
  queryOptions({
    queryKey: [...key, from, to],
    queryFn: () => bodyOf(api.GET('/api/farm_events/occurrences', { params: { query: { from, to } } })),
  });

/** A run, with what the pages show of it. */
export interface Run extends Occurrence {
  readonly day: CalendarDate;
  /** `07:30`. */
  readonly clock: string;
  /** Whether another event runs something in the same minute. */
  readonly overlaps: boolean;
}

/** Returns the runs from a day up to another, which is not part of it, in order. Suspends. */
export function useRuns(first: CalendarDate, end: CalendarDate, zone: string): readonly Run[] {
  const [from, to] = [first, end].map((day) => toZoned(day, zone).toAbsoluteString());
  const occurrences = useSuspenseQuery(occurrencesQuery(from ?? '', to ?? '')).data;
  return runsOf(occurrences, zone);
}

/** Adds days, times and overlaps to the runs of the API. */
export function runsOf(occurrences: readonly Occurrence[], zone: string): readonly Run[] {
  const events = new Map<string, Set<number>>();
  for (const { at, farm_event_id } of occurrences) {
    const minute = at.slice(0, 16);
    events.set(minute, (events.get(minute) ?? new Set()).add(farm_event_id));
  }
  return occurrences.map((occurrence) => {
    const at = zoned(occurrence.at, zone);
    const { hour, minute } = at;
    return {
      ...occurrence,
      day: toCalendarDate(at),
      clock: `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`,
      overlaps: (events.get(occurrence.at.slice(0, 16))?.size ?? 0) > 1,
    };
  });
}
