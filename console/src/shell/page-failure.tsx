import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useRef } from 'react';
import { useLiveState } from '../data/live.ts';
import { queryClient } from '../data/query-client.ts';
import { Failure } from '../ui/failure.tsx';
import { isLoadError } from '../ui/load-error.ts';
import { reload, reloadAfterUpdate } from '../ui/reload.ts';

/** Shown instead of a page that failed. It retries on request, when the server is reachable again, and when it was updated. */
export function PageFailure({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const live = useLiveState();
  const before = useRef(live);
  const retry = (): void => {
    if (isLoadError(error)) return void reload();
    // Failed queries would fail again without a request.
    void queryClient.resetQueries({ predicate: ({ state }) => state.status === 'error' });
    reset();
    void router.invalidate();
  };
  const retryNow = useEffectEvent(retry);
  useEffect(() => {
    if (isLoadError(error)) void reloadAfterUpdate();
  }, [error]);
  useEffect(() => {
    if (live === 'live' && before.current !== 'live') retryNow();
    before.current = live;
  }, [live]);
  return <Failure error={error} retry={retry} />;
}
