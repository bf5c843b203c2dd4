import { useEffect } from 'react';
import { storedResumption, storeResumption } from '../data/first-requests.ts';
import { getAppSession } from '../data/initial-state.ts';
import { sharedKey } from '../data/resumption.ts';
import { getHomeSession, getSession } from '../data/session.ts';
import { Page } from '../ui/page.tsx';
import { authText } from './text.ts';

/** Timeout of the server, in ms. */
const timeout = 3000;

/** Keys that stay in this browser after a sign-out: drafts, the appearance of the console, and that others use it, too. */
const kept = new RegExp(`^draft:|^(?:language|theme|${sharedKey})$`);

function clear(storage: Storage): void {
  for (const key of Object.keys(storage)) if (!kept.test(key)) storage.removeItem(key);
}

/** Ends the session of this tab, the one from which it opened another garden, and the vendor's web app's, here and on the server. */
async function signOut(): Promise<void> {
  const tokens = [getSession(), getHomeSession(), getAppSession()].flatMap((session) => session?.token?.encoded ?? []);
  const [resumption, own] = [storedResumption(), getSession()];
  clear(localStorage);
  // Another account of this browser stays signed in. Without a session it is the own one, which could not be resumed.
  if (resumption && own && resumption.user !== own.user.id) storeResumption(resumption);
  clear(sessionStorage);
  await Promise.allSettled(
    [...new Set(tokens)].map((authorization) =>
      fetch('/api/tokens', { method: 'DELETE', headers: { authorization }, signal: AbortSignal.timeout(timeout) }),
    ),
  );
  // The router stores the scroll positions of pages when the page is left.
  addEventListener('pagehide', () => clear(sessionStorage));
  // Also clears the memory of the page. The start would open the garden of another account that stays signed in.
  location.replace(storedResumption() ? `${import.meta.env.BASE_URL}sign-in` : '/');
}

/** Signs out. */
export function SignOutPage() {
  const text = authText();
  useEffect(() => void signOut(), []);
  return (
    <Page title={text.signingOut} width="narrow">
      <p role="status">{text.signingOut}</p>
    </Page>
  );
}
