import { api } from '../data/api.ts';
import type { Session } from '../data/session.ts';

/** The name of this browser's time zone. */
export const ownZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Sets the time zone of a garden that has none to the browser's. `session`: the garden's session, if it is not the tab's. Throws an ApiError. */
export async function storeOwnZone(session?: Session): Promise<void> {
  const headers = session ? { authorization: session.token.encoded } : {};
  await api.PATCH('/api/device', { body: { timezone: ownZone() }, headers });
}
