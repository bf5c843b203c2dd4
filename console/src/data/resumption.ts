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

/** Has new tabs of this browser open a session without the password, until it ends; not if the browser is shared. Tabs do so in turn: key and cookie are of one session. */
export const keepSession = (session: Session): Promise<void> =>
  // Missing over HTTP, as in a home network.
  'locks' in navigator ? navigator.locks.request('resumption', () => keep(session)) : keep(session);

async function keep(session: Session): Promise<void> {
  const request = (method: string): Promise<Response | null> =>
    fetch('/api/tokens/resumable', { method, headers: { authorization: session.token.encoded } }).catch(() => null);
  if (shared.get()) {
    storeResumption(null);
    await request('DELETE');
    return;
  }
  // A look at a demo garden does not replace one's own.
  if (isGuest(session) && storedResumption()) return;
  const response = await request('POST');
  // Without it, the tab is signed in all the same.
  if (!response?.ok) return;
  const { key }: components['schemas']['Resumption'] = await response.json();
  storeResumption({ key, user: session.user.id });
}

/**
 * Does what gives up the key of this browser, a new password, and keeps the session again if it was kept. A tab that opens meanwhile may
 * delete the key. Returns whether it was done.
 */
export async function keptThrough(session: Session | null, change: () => Promise<boolean>): Promise<boolean> {
  const isKept = session !== null && storedResumption()?.user === session.user.id;
  const isDone = await change();
  if (isDone && isKept) await keepSession(session);
  return isDone;
}

/** Signs this tab in, and this browser unless it is shared. */
export async function beginSession(session: Session): Promise<void> {
  setSession(session);
  await keepSession(session);
}

/** The key under which a browser notes the address of an account that was created in it, and that a mailed link confirms. */
const signUpKey = 'sign-up';

export const noteSignUp = (email: string): void => localStorage.setItem(signUpKey, email.trim().toLowerCase());

/**
 * Signs this tab in with the session of a mailed link, and this browser only if the account was created in it: the link may come from
 * an attacker who wants the user to work in the wrong account, and no form has asked whether the computer is shared.
 */
export async function beginLinkedSession(session: Session): Promise<void> {
  if (localStorage.getItem(signUpKey) !== session.user.email?.toLowerCase()) {
    setSession(session);
    return;
  }
  localStorage.removeItem(signUpKey);
  await beginSession(session);
}
