import {
  type InfiniteData,
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useInfiniteQuery,
} from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { api, bodyOf } from '../data/api.ts';
import type { components, paths } from '../data/generated/api.ts';
import { onChange } from '../data/live.ts';
import { queryClient } from '../data/query-client.ts';
import { withNew } from './requests.ts';

export type Entry = components['schemas']['HistoryEntry'];
export type Change = components['schemas']['HistoryChange'];

/** Whether a change can be reverted on its own: a change of a photo cannot, because of its files, nor an old copy that changed nothing. */
export const isReversible = ({ resource, action }: Entry): boolean => resource !== 'Image' && action !== 'kept';

type Query = NonNullable<paths['/api/history']['get']['parameters']['query']>;

/** The listed changes. */
export type Filter = Pick<Query, 'resource' | 'record_id' | 'actor' | 'from' | 'to'>;

const pageSize = 50;
/** How long changes are gathered before new ones are read, in ms. */
const gathering = 200;

/** Reads changes, newest first. Throws an ApiError. */
export const readEntries = (query: Query): Promise<readonly Entry[]> =>
  bodyOf(api.GET('/api/history', { params: { query } }));

const entriesQuery = (filter: Filter) =>
  infiniteQueryOptions({
    queryKey: ['history', filter],
    queryFn: ({ pageParam }) =>
      readEntries({ ...filter, limit: pageSize, ...(pageParam === null ? {} : { before_id: pageParam }) }),
    initialPageParam: null as number | null,
    getNextPageParam: (page) => (page.length < pageSize ? null : page.at(-1)?.id),
    // New ones are only received while the page is shown.
    staleTime: 0,
    placeholderData: keepPreviousData,
  });

/** The query of one change with its difference. */
export const changeQuery = (id: number) =>
  queryOptions({
    queryKey: ['history change', id],
    queryFn: () => bodyOf(api.GET('/api/history/{id}', { params: { path: { id } } })),
  });

/** Reads newer changes, and prepends them. */
async function readNew(filter: Filter): Promise<void> {
  const { queryKey } = entriesQuery(filter);
  const newest = await readEntries({ ...filter, limit: pageSize });
  const data = queryClient.getQueryData<InfiniteData<readonly Entry[], number | null>>(queryKey);
  if (!data) return;
  const [first = [], ...others] = data.pages;
  const pages = withNew(first, newest, pageSize);
  if (pages) queryClient.setQueryData(queryKey, { ...data, pages: [pages, ...others] });
  else await queryClient.resetQueries({ queryKey });
}

/** Returns the changes that match a filter, page by page; new ones are added automatically. */
export function useEntries(filter: Filter) {
  const key = JSON.stringify(filter);
  // The same object for the same values.
  const same = useMemo(() => JSON.parse(key) as Filter, [key]);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = onChange(() => {
      timer ??= setTimeout(() => {
        timer = undefined;
        // After a failure they are read with the next change, or when the page is opened again.
        readNew(same).catch(() => undefined);
      }, gathering);
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [same]);
  const query = useInfiniteQuery(entriesQuery(same));
  return { ...query, entries: useMemo(() => query.data?.pages.flat() ?? [], [query.data]) };
}
