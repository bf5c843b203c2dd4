import { flushSync } from 'react-dom';
import { Store, useStore } from './store.ts';

const media = matchMedia('print');
const isPrinting = new Store(media.matches);

function set(next: boolean): void {
  if (next === isPrinting.get()) return;
  // The browser prints the page as it is when this returns.
  flushSync(() => isPrinting.set(next));
}

addEventListener('beforeprint', () => set(true));
addEventListener('afterprint', () => set(false));
media.addEventListener('change', ({ matches }) => set(matches));

/** Whether the page is being printed, for content on paper only. Renders again when it changes. */
export const usePrinting = (): boolean => useStore(isPrinting);
