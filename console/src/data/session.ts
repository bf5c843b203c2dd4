import { setDraftScope } from '../ui/draft.ts';
import { Store, useStore } from '../ui/store.ts';
import { sessionKey, storedSession } from './first-requests.ts';
import type { components } from './generated/api.ts';

export type Session = components['schemas']['Session'];

const current = new Store(storedSession());
/** The last session: pages of its garden are shown until the sign-in page is. */
let last = current.get();
let wasEnded = false;
if (last) setDraftScope(last.token.unencoded.bot);

/** The key under which the tab keeps the session with which it opened another garden. */
const homeKey = 'home-session';

/** The session from which another garden was opened, for the way back; null if there is none. */
let home = storedSession(homeKey);

/** Whether a session is of a demo account. */
export const isGuest = ({ user }: Session): boolean => user.email?.endsWith('@farmbot.guest') === true;

const gardenOf = ({ user, token }: Session): string => `${user.id} ${token.unencoded.bot}`;

/** Whether both sessions are of the same user in the same garden. */
export const isSameGarden = (a: Session | null, b: Session | null): boolean =>
  a !== null && b !== null && gardenOf(a) === gardenOf(b);

/** Returns the session from which the shown garden was opened, if that is another garden; null otherwise. */
export const getHomeSession = (): Session | null => home;

/** Whether the server ended the session of this tab, without a sign-in since. */
export const hasSessionEnded = (): boolean => wasEnded;

/** Signs this tab out because the server rejects its token. */
export function endSession(): void {
  wasEnded = true;
  setSession(null);
}

/** Returns the session of this tab; null without one. */
export const getSession = current.get;

function setHome(session: Session | null): void {
  home = session;
  if (session) sessionStorage.setItem(homeKey, JSON.stringify(session));
  else sessionStorage.removeItem(homeKey);
}

/** Signs this tab in, or out with null. */
export function setSession(session: Session | null): void {
  const opener = home ?? current.get();
  setHome(session && opener?.user.id === session.user.id && !isSameGarden(opener, session) ? opener : null);
  if (session) {
    last = session;
    wasEnded = false;
    setDraftScope(session.token.unencoded.bot);
  }
  if (session) sessionStorage.setItem(sessionKey, JSON.stringify(session));
  else sessionStorage.removeItem(sessionKey);
  current.set(session);
}

/** Calls `listener` when the session changes; returns a function that unsubscribes. */
export const onSession = current.subscribe;

/** Returns the session of this tab, and renders again when it changes. */
export const useSession = (): Session | null => useStore(current);

/** The id of the garden that the session is for, or was for before it ended. Throws where there was none. */
export function gardenId(): number {
  if (!last) throw new Error('not signed in');
  return Number(last.token.unencoded.bot.replace('device_', ''));
}
