import { queryOptions } from '@tanstack/react-query';
import { api, bodyOf } from '../data/api.ts';
import { changesWith } from '../data/confirmation.ts';
import type { components } from '../data/generated/api.ts';
import { queryClient } from '../data/query-client.ts';

const key = 'administration';
/** Interval between reads of values that change without a request of this page, in ms. */
const refetchInterval = 10_000;
/** Milliseconds from one sample of figures to the next. */
const sampleInterval = 60_000;

type Backups = components['schemas']['ServerBackups'];

const backupsKey = [key, 'backups'];

/** Reads the backups, and the state again where they changed: it has the time of the last one, and may have been read before it ended. */
async function readBackups(): Promise<Backups> {
  const before = queryClient.getQueryData<Backups>(backupsKey);
  const backups = await bodyOf(api.GET('/api/admin/backups'));
  if (before?.running !== backups.running || before.files[0]?.name !== backups.files[0]?.name)
    void queryClient.invalidateQueries({ queryKey: serverQueries.state.queryKey });
  return backups;
}

/** Queries of the server's pages. They fail unless the user is an administrator. */
export const serverQueries = {
  state: queryOptions({
    queryKey: [key, 'server'],
    staleTime: 0,
    refetchInterval,
    queryFn: () => bodyOf(api.GET('/api/admin/server')),
  }),
  figures: queryOptions({
    queryKey: [key, 'figures'],
    staleTime: 0,
    refetchInterval: sampleInterval,
    queryFn: () => bodyOf(api.GET('/api/admin/figures')),
  }),
  backups: queryOptions({
    queryKey: backupsKey,
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data?.running ? 1000 : refetchInterval),
    queryFn: readBackups,
  }),
  jobs: queryOptions({
    queryKey: [key, 'jobs'],
    staleTime: 0,
    refetchInterval,
    queryFn: () => bodyOf(api.GET('/api/admin/jobs')),
  }),
  invitations: queryOptions({
    queryKey: [key, 'invitations'],
    staleTime: 0,
    queryFn: () => bodyOf(api.GET('/api/admin/invitations')),
  }),
  users: (search: string) =>
    queryOptions({
      queryKey: [key, 'users', search],
      staleTime: 0,
      queryFn: () => bodyOf(api.GET('/api/admin/users', { params: { query: search === '' ? {} : { search } } })),
    }),
  limits: (id: number) =>
    queryOptions({
      queryKey: [key, 'limits', id],
      staleTime: 0,
      queryFn: () => bodyOf(api.GET('/api/admin/users/{id}/limits', { params: { path: { id } } })),
    }),
  quotas: (id: number) =>
    queryOptions({
      queryKey: [key, 'quotas', id],
      staleTime: 0,
      queryFn: () => bodyOf(api.GET('/api/admin/users/{id}/quotas', { params: { path: { id } } })),
    }),
} as const;

/** Reads the data of the server's pages again. */
export const reloadServer = (): Promise<void> => queryClient.invalidateQueries({ queryKey: [key] });

/** Carries out a change that the server's pages show. */
export const changeServer = changesWith(reloadServer);
