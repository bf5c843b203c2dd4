import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { api, bodyOf } from './api.ts';
import { useNow } from './garden-time.ts';
import type { components } from './generated/api.ts';
import { groupBy } from './groups.ts';
import { onChange } from './live.ts';
import { queryClient } from './query-client.ts';
import { reread } from './reread.ts';

/** A run of a program that the schedule causes. */
export type Occurrence = components['schemas']['Occurrence'];

const key = ['occurrences'] as const;
/** Records that runs follow from. */
const causes = ['FarmEvent', 'Regimen', 'Sequence', 'Device'];

onChange(({ resource }) => {
  if (causes.includes(resource)) reread(queryClient, key);
});

/** The query of the runs in a span; ISO 8601. */
export const occurrencesQuery = (from: string, to: string) =>
  queryOptions({
    queryKey: [...key, from, to],
    queryFn: () => bodyOf(api.GET('/api/farm_events/occurrences', { params: { query: { from, to } } })),
  });

/** How long the past counts as read, in ms: runs become past, and robots report what became of them. */
const pastInterval = 60_000;

/** The query of the runs in a span that were due until now, by the schedule as it was then; ISO 8601. */
export const pastOccurrencesQuery = (from: string, to: string) =>
  queryOptions({
    queryKey: [...key, 'past', from, to],
    queryFn: () => bodyOf(api.GET('/api/farm_events/occurrences/past', { params: { query: { from, to } } })),
    staleTime: pastInterval,
    refetchInterval: pastInterval,
  });

/** The query of the logs that robots report ends and errors of programs with. */
export const reportsQuery = queryOptions({
  queryKey: ['reports of runs'],
  queryFn: () => bodyOf(api.GET('/api/logs')),
  staleTime: pastInterval,
  refetchInterval: pastInterval,
});

const hourLength = 3_600_000;
const dayLength = 24 * hourLength;
/** How far ahead next runs are looked for, in days: first as far as weekly ones have some, then as far as the API looks. */
const lookahead = { near: 8, far: 366 } as const;

/**
 * Returns the next run of each program in each event of the schedule, if it `isWanted`, the earliest first; none until they
 * are known. `isScheduled`: whether there may be some.
 */
export function useNextRuns(isWanted: (run: Occurrence) => boolean, isScheduled = true): readonly Occurrence[] {
  const now = useNow();
  // From the full hour, so that all pages of an hour share an answer.
  const hour = now - (now % hourLength);
  const until = (days: number) => {
    const [from, to] = [hour, hour + days * dayLength].map((at) => new Date(at).toISOString());
    return { ...occurrencesQuery(from ?? '', to ?? ''), placeholderData: keepPreviousData };
  };
  const nextOf = (runs: readonly Occurrence[]): readonly Occurrence[] => {
    const coming = runs.filter((run) => Date.parse(run.at) >= now && isWanted(run));
    const byProgram = groupBy(coming, ({ farm_event_id, sequence_id }) => `${farm_event_id} ${sequence_id}`);
    return [...byProgram.values()].flatMap(([first]) => first ?? []);
  };
  const { data: near } = useQuery({ ...until(lookahead.near), enabled: isScheduled });
  const soon = near && nextOf(near);
  const { data: far } = useQuery({ ...until(lookahead.far), enabled: isScheduled && soon?.length === 0 });
  return soon?.length === 0 ? nextOf(far ?? []) : (soon ?? []);
}
