import { showToast } from '../ui/toasts.tsx';
import { endSession, gardenId, getHomeSession, getSession, isSameGarden, type Session, setSession } from './session.ts';
import { dataText } from './text.ts';

let reopening: Promise<boolean> | null = null;

/** Opens the garden again with the session from which it was opened first. Returns whether the server did. */
async function reopen(): Promise<boolean> {
  const opener = getHomeSession();
  if (!opener) return false;
  const response = await fetch(`/api/gardens/${gardenId()}/token`, {
    method: 'POST',
    headers: { authorization: opener.token.encoded },
  }).catch(() => null);
  if (!response?.ok) return false;
  setSession((await response.json()) as Session);
  showToast({ text: dataText().reopened });
  return true;
}

/**
 * What follows when the server does not accept a session any more: a lower role ends the sessions of a garden, which is opened again
 * with the new rights, so that nothing typed is lost. Otherwise the tab is signed out. Returns whether there is a session of the same
 * garden, with which the request can be sent again.
 */
export async function afterEndOf(ended: Session): Promise<boolean> {
  if (getSession() === ended) {
    reopening ??= reopen().finally(() => {
      reopening = null;
    });
    if (!(await reopening) && getSession() === ended) endSession();
  }
  return isSameGarden(ended, getSession());
}
