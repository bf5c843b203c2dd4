import { api } from '../data/api.ts';
import type { Session } from '../data/session.ts';

/** The name of this browser's time zone. */
export const ownZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Gives a garden without a time zone that of this browser. `session`: of the garden, where it is not that of the tab. Throws an ApiError. */
export async function storeOwnZone(session?: Session): Promise<void> {
  const headers = session ? { authorization: session.token.encoded } : {};
  await api.PATCH('/api/device', { body: { timezone: ownZone() }, headers });
}
