import { queryOptions } from '@tanstack/react-query';
import { api, bodyOf } from './api.ts';
import type { components } from './generated/api.ts';
import { onChange } from './live.ts';
import { queryClient } from './query-client.ts';

/** A run of a program that the schedule causes. */
export type Occurrence = components['schemas']['Occurrence'];

const key = ['occurrences'] as const;
/** Records that runs follow from. */
const causes = ['FarmEvent', 'Regimen', 'Sequence', 'Device'];

onChange(({ resource }) => {
  if (causes.includes(resource)) void queryClient.invalidateQueries({ queryKey: key });
});

/** The query of the runs in a span; ISO 8601. */
export const occurrencesQuery = (from: string, to: string) =>
  queryOptions({
    queryKey: [...key, from, to],
    queryFn: () => bodyOf(api.GET('/api/farm_events/occurrences', { params: { query: { from, to } } })),
  });
