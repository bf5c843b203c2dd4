import { useSyncExternalStore } from 'react';
import { flushSync } from 'react-dom';

const media = matchMedia('print');
const listeners = new Set<() => void>();
let isPrinting = media.matches;

function set(next: boolean): void {
  if (next === isPrinting) return;
  isPrinting = next;
  // The browser prints the page as it is when this returns.
  flushSync(() => {
    for (const listener of listeners) listener();
  });
}

addEventListener('beforeprint', () => set(true));
addEventListener('afterprint', () => set(false));
media.addEventListener('change', ({ matches }) => set(matches));

/** Whether the page is being printed, for what is on paper only. Renders again when it changes. */
export const usePrinting = (): boolean =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => isPrinting,
  );
