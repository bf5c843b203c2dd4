import { useSyncExternalStore } from 'react';
import { sessionKey, storedSession } from './first-requests.ts';
import type { components } from './generated/api.ts';

export type Session = components['schemas']['Session'];

const listeners = new Set<() => void>();
let current = storedSession();

/** Returns the session of this tab; null when nobody is signed in. */
export const getSession = (): Session | null => current;

/** Signs this tab in, or out with null. */
export function setSession(session: Session | null): void {
  current = session;
  if (session) sessionStorage.setItem(sessionKey, JSON.stringify(session));
  else sessionStorage.removeItem(sessionKey);
  for (const listener of listeners) listener();
}

/** Calls `listener` when the session changes; returns a function that ends this. */
export function onSession(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Returns the session of this tab, and renders again when it changes. */
export const useSession = (): Session | null => useSyncExternalStore(onSession, getSession);

/** The id of the garden that the session is for. Throws where nobody is signed in. */
export function gardenId(): number {
  if (!current) throw new Error('not signed in');
  return Number(current.token.unencoded.bot.replace('device_', ''));
}
