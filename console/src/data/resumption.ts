import { Store, useStore } from '../ui/store.ts';
import { storedResumption, storeResumption } from './first-requests.ts';
import type { components } from './generated/api.ts';
import { isGuest, type Session, setSession } from './session.ts';

/** The key under which a browser notes that several people use it; a sign-out leaves it. */
export const sharedKey = 'shared-computer';

const shared = new Store(localStorage.getItem(sharedKey) === 'true');

/** Returns whether several people use this browser: it stays signed in in the tab only. */
export const useIsShared = (): boolean => useStore(shared);

export function setShared(isShared: boolean): void {
  localStorage.setItem(sharedKey, String(isShared));
  shared.set(isShared);
}

/** Has new tabs of this browser open a session without the password, until it ends; not if the browser is shared. */
export async function keepSession(session: Session): Promise<void> {
  if (shared.get()) {
    storeResumption(null);
    return;
  }
  // A look at a demo garden does not replace one's own.
  if (isGuest(session) && storedResumption()) return;
  const headers = { authorization: session.token.encoded };
  const response = await fetch('/api/tokens/resumable', { method: 'POST', headers }).catch(() => null);
  // Without it, the tab is signed in all the same.
  if (!response?.ok) return;
  const { key }: components['schemas']['Resumption'] = await response.json();
  storeResumption({ key, user: session.user.id });
}

/** Keeps the session of this browser after its key was given up, for a new password. */
export async function keepAgain(session: Session | null): Promise<void> {
  if (session && storedResumption()?.user === session.user.id) await keepSession(session);
}

/** Signs this tab in, and this browser unless it is shared. */
export async function beginSession(session: Session): Promise<void> {
  setSession(session);
  await keepSession(session);
}
