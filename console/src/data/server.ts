import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { api, bodyOf } from './api.ts';
import type { components } from './generated/api.ts';

export type ServerInfo = components['schemas']['ServerInfo'];

/** Permissions of visitors on this server. */
export const serverQuery = queryOptions({ queryKey: ['server'], queryFn: () => bodyOf(api.GET('/api/server')) });

/** Returns the permissions of visitors on this server. Suspends. */
export const useServer = (): ServerInfo => useSuspenseQuery(serverQuery).data;

/** Whether a visitor may create an account, also if that needs a code. */
export const maySignUp = ({ sign_up, needs_code }: ServerInfo): boolean => sign_up === 'open' || needs_code;
