import { useEffect, useState } from 'react';

const prefix = 'link:';

/**
 * Returns the secret of the mailed link that opened the page, from the fragment of its address, and a function that removes it.
 * It moves from the address into the tab, which keeps it over a sign-in. '' without one.
 */
export function useLinkToken(kind: 'reset' | 'invitation'): readonly [string, () => void] {
  const [token] = useState(() => {
    const sent = decodeURIComponent(location.hash.slice(1));
    if (sent !== '') sessionStorage.setItem(prefix + kind, sent);
    return sent || (sessionStorage.getItem(prefix + kind) ?? '');
  });
  useEffect(() => {
    if (location.hash !== '') history.replaceState(history.state, '', location.pathname + location.search);
  }, []);
  const [remove] = useState(() => () => sessionStorage.removeItem(prefix + kind));
  return [token, remove];
}

/** Whether the tab keeps the secret of an invitation that was neither accepted nor declined. */
export const isInvited = (): boolean => sessionStorage.getItem(`${prefix}invitation`) !== null;

/** Returns the address that a link for a password was sent to; '' if it cannot be read. */
export function addressOf(token: string): string {
  try {
    const { sub } = JSON.parse(atob((token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/')));
    return typeof sub === 'string' && sub.includes('@') ? sub : '';
  } catch {
    return '';
  }
}
