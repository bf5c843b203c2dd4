import { useElementScrollRestoration } from '@tanstack/react-router';
import { type RefObject, useEffect, useState } from 'react';

/** Maximum time of a page to read its content, in ms. */
const maxTime = 10_000;

/**
 * Restores the scroll position that the element with this `data-scroll-restoration-id` had before the tab loaded another page, or this one again: the
 * router tries it once, before lists are read. It ends when a person scrolls, types or presses something.
 */
export function useScrollPlace(id: string, element: RefObject<HTMLElement | null>): void {
  const place = useElementScrollRestoration({ id });
  const [top] = useState(place?.scrollY ?? 0);
  useEffect(() => {
    if (top === 0) return;
    const ending = new AbortController();
    const { signal } = ending;
    for (const type of ['wheel', 'touchmove', 'keydown', 'pointerdown'])
      addEventListener(type, () => ending.abort(), { capture: true, passive: true, signal });
    const until = performance.now() + maxTime;
    const look = (): void => {
      const { current } = element;
      if (signal.aborted || !current) return;
      const isLongEnough = current.scrollHeight - current.clientHeight >= top;
      if (isLongEnough) current.scrollTop = top;
      if (isLongEnough || performance.now() > until) ending.abort();
      else requestAnimationFrame(look);
    };
    look();
    return () => ending.abort();
  }, [element, top]);
}
