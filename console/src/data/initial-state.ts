import { beginLinkedSession } from './resumption.ts';
import { getSession, isGuest, type Session } from './session.ts';

/** The data that the server embeds in the page if the console is opened at an address outside of it. */
interface InitialState {
  readonly to: string;
  readonly session?: Session;
  readonly app?: string;
}

/** The key under which the vendor's web app stores its session. */
const appKey = 'session';

/** Signs in to the vendor's web app, too. */
export const storeAppSession = (session: Session): void => localStorage.setItem(appKey, JSON.stringify(session));

/** Returns the session of the vendor's web app in this browser. */
export function getAppSession(): Session | null {
  try {
    return JSON.parse(localStorage.getItem(appKey) ?? 'null');
  } catch {
    return null;
  }
}

/** A session that a mailed link opened while another account is signed in. */
export interface OfferedSession {
  readonly session: Session;
  readonly current: string;
  /** A page of the vendor's web app. */
  readonly app: string | undefined;
}

let offered: OfferedSession | null = null;

/** Returns the session that the user has yet to choose; null after a reload. */
export const getOfferedSession = (): OfferedSession | null => offered;

/** Signs in with the session of a mailed link. */
export function signInWith(session: Session, app: string | undefined): void {
  if (app === undefined) void beginLinkedSession(session);
  else {
    storeAppSession(session);
    location.replace(app);
  }
}

/** Applies the state that the server embedded in the page, if there is one, before the router reads the address. */
function applyInitialState(): void {
  const text = document.getElementById('initial-state')?.textContent;
  if (!text) return;
  const { to, session, app }: InitialState = JSON.parse(text);
  // The address may contain the secret of a link.
  history.replaceState(null, '', `/console${to}`);
  if (!session) return;
  const current = app === undefined ? getSession() : getAppSession();
  // The link may come from an attacker who wants the user to work in the wrong account.
  if (current && !isGuest(current) && current.user.email !== session.user.email)
    offered = { session, current: current.user.email ?? '', app };
  else signInWith(session, app);
}

applyInitialState();
