import { useRouter } from '@tanstack/react-router';
import { isOwnAddress } from '../data/first-requests.ts';
import { storeAppSession } from '../data/initial-state.ts';
import { queryClient } from '../data/query-client.ts';
import { beginSession } from '../data/resumption.ts';
import { serverQuery } from '../data/server.ts';
import type { Session } from '../data/session.ts';

/**
 * Returns a function that signs in and opens `next`, an address of the console; without one the vendor's web app where it is
 * installed, else the first page.
 */
export function useSignIn(): (session: Session, next?: string) => Promise<void> {
  const router = useRouter();
  return async (session, next) => {
    const { web_app } = await queryClient.ensureQueryData(serverQuery);
    await beginSession(session);
    if (isOwnAddress(next)) router.history.replace(`/console${next}`);
    else if (web_app) {
      storeAppSession(session);
      location.assign('/app');
    } else await router.navigate({ to: '/', replace: true });
  };
}
