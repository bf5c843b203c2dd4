import { QueryClient } from '@tanstack/react-query';
import { ApiError } from './api-error.ts';
import { getSession, isSameGarden, onSession } from './session.ts';

const isFinal = (error: unknown): boolean => error instanceof ApiError && error.status >= 400 && error.status < 500;

/** The one cache. The change feed keeps lists current, so they are read once, and again after a gap. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: Number.POSITIVE_INFINITY,
      gcTime: 30 * 60_000,
      refetchOnWindowFocus: false,
      networkMode: 'always',
      retry: (count, error) => !isFinal(error) && count < 3,
    },
    mutations: { networkMode: 'always', retry: false },
  },
});

let shown = getSession();

// The cache is cleared when the garden changes. A session with other rights in the same garden reads again, and pages stay.
onSession(() => {
  const session = getSession();
  if (isSameGarden(shown, session)) void queryClient.invalidateQueries();
  else queryClient.clear();
  shown = session;
});
