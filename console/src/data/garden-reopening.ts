import { showToast } from '../ui/toasts.tsx';
import { endSession, gardenId, getHomeSession, getSession, isSameGarden, type Session, setSession } from './session.ts';
import { dataText } from './text.ts';

/** Where the tab notes over a reload that the user was removed from a garden. */
const removalKey = 'removed-from-garden';

let reopening: Promise<boolean> | null = null;

/** Opens the own garden of a user who is no member of the shown one any more. */
function goHome(opener: Session): void {
  setSession(opener);
  sessionStorage.setItem(removalKey, 'true');
  // Everything that is shown is of the garden that was left.
  location.assign(`${import.meta.env.BASE_URL}map`);
}

/** Says why another garden is shown, after {@link goHome}. */
export function explainRemoval(): void {
  if (sessionStorage.getItem(removalKey) === null) return;
  sessionStorage.removeItem(removalKey);
  showToast({ text: dataText().removed, isLasting: true });
}

/**
 * Opens the garden again with the session from which it was opened first, or that session's garden where the user is no member of the
 * other any more. Returns whether there is a session.
 */
async function reopen(): Promise<boolean> {
  const opener = getHomeSession();
  if (!opener) return false;
  const response = await fetch(`/api/gardens/${gardenId()}/token`, {
    method: 'POST',
    headers: { authorization: opener.token.encoded },
  }).catch(() => null);
  if (response?.status === 404) goHome(opener);
  if (!response?.ok) return response?.status === 404;
  setSession((await response.json()) as Session);
  showToast({ text: dataText().reopened });
  return true;
}

/**
 * What follows when the server does not accept a session any more: a lower role ends the sessions of a garden, which is opened again
 * with the new rights, so that nothing typed is lost; who was removed from it is led to the own garden. Otherwise the tab is signed out.
 * Returns whether there is a session of the same garden, with which the request can be sent again.
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
