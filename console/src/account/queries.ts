import { queryOptions } from '@tanstack/react-query';
import { api, bodyOf } from '../data/api.ts';
import { changesWith } from '../data/confirmation.ts';
import { queryClient } from '../data/query-client.ts';
import { singleQueries } from '../data/singles.ts';

/** The change feed does not include these, so they are read again whenever a page shows them. */
const staleTime = 0;
const key = 'account';
/** Interval between reads of data that other people change, in ms: they accept and decline invitations. */
const refetchInterval = 10_000;

/** Queries of the account's pages. */
export const accountQueries = {
  users: queryOptions({ queryKey: [key, 'users'], staleTime, queryFn: () => bodyOf(api.GET('/api/users')) }),
  sessions: queryOptions({ queryKey: [key, 'sessions'], staleTime, queryFn: () => bodyOf(api.GET('/api/sessions')) }),
  tokens: queryOptions({
    queryKey: [key, 'tokens'],
    staleTime,
    queryFn: () => bodyOf(api.GET('/api/personal_tokens')),
  }),
  rules: queryOptions({
    queryKey: [key, 'rules'],
    staleTime,
    refetchInterval,
    queryFn: () => bodyOf(api.GET('/api/notification_rules')),
  }),
  members: queryOptions({
    queryKey: [key, 'members'],
    staleTime,
    refetchInterval,
    queryFn: () => bodyOf(api.GET('/api/members')),
  }),
  invitations: queryOptions({
    queryKey: [key, 'invitations'],
    staleTime,
    refetchInterval,
    queryFn: () => bodyOf(api.GET('/api/invitations')),
  }),
  webhooks: queryOptions({ queryKey: [key, 'webhooks'], staleTime, queryFn: () => bodyOf(api.GET('/api/webhooks')) }),
  homeAssistant: queryOptions({
    queryKey: [key, 'home-assistant'],
    staleTime,
    queryFn: () => bodyOf(api.GET('/api/home_assistant')),
  }),
  calendar: queryOptions({
    queryKey: [key, 'calendar'],
    staleTime,
    queryFn: () => bodyOf(api.GET('/api/calendar_feed')),
  }),
} as const;

/** Reads the data of the account's pages again. */
export async function reloadAccount(): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: [key] });
  await queryClient.invalidateQueries({ queryKey: singleQueries.gardens.queryKey });
}

/** Carries out a change that the account's pages show. */
export const changeAccount = changesWith(reloadAccount);
