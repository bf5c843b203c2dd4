import { ApiError } from '../data/api-error.ts';
import { listQuery } from '../data/collections.ts';
import { queryClient } from '../data/query-client.ts';
import { serverQuery } from '../data/server.ts';
import { getSession } from '../data/session.ts';
import { ownGarden, singleQueries } from '../data/singles.ts';
import { isInvited } from './link-token.ts';

/** Whether the garden has nothing of what a set-up or an import creates. */
async function isEmpty(): Promise<boolean> {
  const lists = (['points', 'tools', 'sequences'] as const).map((name) => queryClient.ensureQueryData(listQuery(name)));
  return (await Promise.all(lists)).every((records) => records.length === 0);
}

/** Returns the page with which the console begins: set-up where there is no account or no garden yet, else the map or the sign-in. */
export async function firstPage() {
  if (!getSession()) {
    const { is_new, web_app } = await queryClient.ensureQueryData(serverQuery);
    if (is_new) return { to: '/set-up' } as const;
    // Without `next`, a sign-in opens the vendor's web app where there is one.
    return { to: '/sign-in', search: web_app ? { next: '/' } : {} } as const;
  }
  try {
    const [device, gardens] = await Promise.all([
      queryClient.ensureQueryData(singleQueries.device),
      queryClient.ensureQueryData(singleQueries.gardens),
    ]);
    if (device.account_seeded_at === null && ownGarden(gardens)?.role === 'owner') {
      // An account that was just created, and confirmed, with an invitation is for the garden of the invitation.
      if (isInvited()) return { to: '/invitation' } as const;
      if (await isEmpty()) return { to: '/set-up' } as const;
    }
  } catch (error) {
    // The map shows the problem; it is also where an ended session leads to the sign-in.
    if (!(error instanceof ApiError)) throw error;
  }
  return { to: '/map' } as const;
}
