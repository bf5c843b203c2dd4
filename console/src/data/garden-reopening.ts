import { showToast } from '../ui/toasts.tsx';
import { resumeSession } from './first-requests.ts';
import { endSession, gardenId, getHomeSession, getSession, isSameGarden, type Session, setSession } from './session.ts';
import { dataText } from './text.ts';

/** The key of the session storage that notes, across a reload, that the user was removed from a garden. */
const removalKey = 'removed-from-garden';

let reopening: Promise<boolean> | null = null;

/** Opens the user's own garden after the user was removed from the shown one. */
function goHome(opener: Session): void {
  setSession(opener);
  sessionStorage.setItem(removalKey, 'true');
  // All shown data are of the previous garden.
  location.assign(`${import.meta.env.BASE_URL}map`);
}

/** Shows a message with the reason for another garden, after {@link goHome}. */
export function explainRemoval(): void {
  if (sessionStorage.getItem(removalKey) === null) return;
  sessionStorage.removeItem(removalKey);
  showToast({ text: dataText().removed, isLasting: true });
}

/** Signs in with the session that this browser resumes, if it is of the same user and garden: another tab signed in again. */
async function resumeAs(ended: Session | null): Promise<boolean> {
  const session = await resumeSession();
  if (!isSameGarden(session, ended)) return false;
  setSession(session);
  return true;
}

/**
 * Opens the garden again with the session from which it was opened first, or that session's garden if the user was removed from the
 * other. Returns whether there is a session.
 */
async function reopen(): Promise<boolean> {
  const opener = getHomeSession();
  if (!opener) return resumeAs(getSession());
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
 * Handles the end of a session: a change of the role ends the sessions of a garden, which is opened again
 * with the new rights, so that no input is lost; after a removal, the user's own garden is opened. Otherwise the tab is signed out.
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
