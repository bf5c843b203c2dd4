import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { type GestureOptions, startDragging } from './gestures.ts';
import type { Gesture } from './viewport.ts';

/** How far one press of a key or button moves points, in mm; a key with Shift moves them farther. */
export const moveStep = 10;
const largeStep = 100;

/** On the screen, in mm. */
type Distance = readonly [across: number, down: number];
const nowhere: Distance = [0, 0];

/** How far a key moves the selection; null if it is not an arrow key. */
function stepOf({ key, shiftKey }: KeyboardEvent): Distance | null {
  const step = shiftKey ? largeStep : moveStep;
  switch (key) {
    case 'ArrowRight':
      return [step, 0];
    case 'ArrowLeft':
      return [-step, 0];
    case 'ArrowDown':
      return [0, step];
    case 'ArrowUp':
      return [0, -step];
    default:
      return null;
  }
}

/** Moves the selection by steps, with keys or buttons. */
export type Moving = ReturnType<typeof useMoving>;

/** Enables the arrow keys to move the selection once that is begun, until Enter saves it or Escape cancels it. Another selection cancels it. */
export function useMoving(options: GestureOptions) {
  const { ids } = options.selection;
  /** The selection that is being moved. */
  const [moved, setMoved] = useState<{ readonly ids: typeof ids; readonly distance: Distance } | null>(null);
  const current = useRef<{ readonly gesture: Gesture; distance: Distance }>(null);
  const begin = (): void => {
    current.current = { gesture: startDragging(options), distance: nowhere };
    setMoved({ ids, distance: nowhere });
  };
  /** Moves it farther, on the screen, in mm. */
  const move = (across: number, down: number): void => {
    if (!current.current) return;
    const [left, top] = current.current.distance;
    const distance = [left + across, top + down] as const;
    current.current.distance = distance;
    current.current.gesture.move(...distance);
    setMoved({ ids, distance });
  };
  /** Saves its place, or puts it back. */
  const end = (isSaved: boolean): void => {
    if (!current.current) return;
    const { gesture, distance } = current.current;
    current.current = null;
    setMoved(null);
    if (isSaved && distance.some((each) => each !== 0)) gesture.end();
    else gesture.cancel();
  };
  const pressed = useEffectEvent((event: KeyboardEvent): void => {
    if (event.target instanceof HTMLInputElement) return;
    const step = stepOf(event);
    if (step) move(...step);
    else if (event.key === 'Enter' || event.key === 'Escape') end(event.key === 'Enter');
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  const cancel = useEffectEvent(() => end(false));
  /** How far the selection is moved; null while it is not being moved. */
  const distance = moved?.ids === ids ? moved.distance : null;
  const isMoving = distance !== null;
  useEffect(() => {
    if (!isMoving) return;
    const listener = (event: KeyboardEvent): void => pressed(event);
    addEventListener('keydown', listener, { capture: true });
    return () => {
      removeEventListener('keydown', listener, { capture: true });
      cancel();
    };
  }, [isMoving]);
  return { distance, begin, move, end };
}
