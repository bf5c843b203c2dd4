import { type PointerEvent, useEffect, useRef, useState } from 'react';
import type { Place } from './steps.ts';

/** A step under a finger, and its place if it were dropped now. */
export interface TouchDrag {
  readonly key: string;
  /** Null: its present place. */
  readonly place: Exclude<Place, 'end'> | null;
}

/** How far a finger moves before it drags, in pixels: less is a tap. */
const threshold = 6;
/** The page scrolls while the finger is so near to its upper or lower edge, in pixels. */
const edge = 72;
/** How far it scrolls then with each picture, in pixels. */
const scrollStep = 9;

const keyOf = (row: Element): string => row.getAttribute('data-key') ?? '';

/** Returns the place between the rows of a list at a height of the window; null: beside the row itself. */
function placeAt(rows: readonly Element[], own: string, y: number): TouchDrag['place'] {
  const index = rows.findIndex((row) => {
    const { top, height } = row.getBoundingClientRect();
    return y < top + height / 2;
  });
  const [above, below] = [index < 0 ? rows.at(-1) : rows[index - 1], rows[index]];
  if ([above, below].some((row) => row && keyOf(row) === own)) return null;
  if (below) return { key: keyOf(below), side: 'before' };
  return above ? { key: keyOf(above), side: 'after' } : null;
}

/**
 * Drags rows by their handles (`data-drag-handle`) with a finger, without a delay: the drag and drop of browsers wants a long press first, or
 * has none. Returns the dragged row, and the handler of a touch for the element around the list. A second finger on the
 * list or a lost touch ends it.
 */
export function useTouchDrag(onDrop: (key: string, place: Place) => void) {
  const [drag, setDrag] = useState<TouchDrag | null>(null);
  const ending = useRef<AbortController | null>(null);
  useEffect(() => () => ending.current?.abort(), []);

  const onPointerDownCapture = (event: PointerEvent<HTMLElement>): void => {
    ending.current?.abort();
    if (event.pointerType !== 'touch' || !(event.target instanceof Element)) return;
    const row = event.target.closest('[data-drag-handle]')?.closest('[data-key]');
    const list = row?.parentElement;
    if (!row || !list) return;
    // A long press of the row would select it.
    event.stopPropagation();
    const key = keyOf(row);
    const { clientY: startY, pointerId } = event;
    const page = list.closest('main');
    let y = startY;
    let shown: TouchDrag | null = null;
    const controller = new AbortController();
    const { signal } = controller;
    ending.current = controller;

    const update = (): void => {
      const place = placeAt([...list.querySelectorAll('[data-key]')], key, y);
      if (shown && shown.place?.key === place?.key && shown.place?.side === place?.side) return;
      shown = { key, place };
      setDrag(shown);
    };
    const scroll = (): void => {
      if (signal.aborted || !page) return;
      const { top, bottom } = page.getBoundingClientRect();
      const by = y < top + edge ? -scrollStep : y > bottom - edge ? scrollStep : 0;
      if (by !== 0) {
        page.scrollBy(0, by);
        update();
      }
      requestAnimationFrame(scroll);
    };
    const options = { capture: true, signal } as const;
    addEventListener(
      'pointermove',
      (moved) => {
        if (moved.pointerId !== pointerId) return;
        y = moved.clientY;
        if (shown) update();
        else if (Math.abs(y - startY) > threshold) {
          update();
          scroll();
        }
      },
      options,
    );
    addEventListener(
      'pointerup',
      (lifted) => {
        if (lifted.pointerId !== pointerId) return;
        controller.abort();
        if (shown?.place) onDrop(key, shown.place);
      },
      options,
    );
    addEventListener('pointercancel', (lost) => lost.pointerId === pointerId && controller.abort(), options);
    // After a long press some browsers begin a drag of their own, which would take the finger away.
    addEventListener('dragstart', (begun) => begun.preventDefault(), options);
    addEventListener('contextmenu', (menu) => menu.preventDefault(), options);
    signal.addEventListener('abort', () => setDrag(null));
  };
  return { drag, onPointerDownCapture };
}
