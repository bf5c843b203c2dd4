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
export interface Moving {
  /** How far the selection is moved; null while it is not being moved. */
  readonly distance: Distance | null;
  begin(): void;
  /** Moves it farther, on the screen, in mm. */
  move(across: number, down: number): void;
  /** Saves its place, or puts it back. */
  end(isSaved: boolean): void;
}

/** Enables the arrow keys to move the selection once that is begun, until Enter saves it or Escape cancels it. Another selection cancels it. */
export function useMoving(options: GestureOptions): Moving {
  const [distance, setDistance] = useState<Distance | null>(null);
  const current = useRef<{ readonly gesture: Gesture; distance: Distance }>(null);
  const begin = (): void => {
    current.current = { gesture: startDragging(options), distance: nowhere };
    setDistance(nowhere);
  };
  const move = (across: number, down: number): void => {
    if (!current.current) return;
    const [left, top] = current.current.distance;
    current.current.distance = [left + across, top + down];
    current.current.gesture.move(...current.current.distance);
    setDistance(current.current.distance);
  };
  const end = (isSaved: boolean): void => {
    if (!current.current) return;
    const { gesture, distance: moved } = current.current;
    current.current = null;
    setDistance(null);
    if (isSaved && moved.some((each) => each !== 0)) gesture.end();
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
  const isMoving = distance !== null;
  useEffect(() => {
    if (!isMoving) return;
    const listener = (event: KeyboardEvent): void => pressed(event);
    addEventListener('keydown', listener, { capture: true });
    return () => removeEventListener('keydown', listener, { capture: true });
  }, [isMoving]);
  const { ids } = options.selection;
  const cancel = useEffectEvent(() => end(false));
  // biome-ignore lint/correctness/useExhaustiveDependencies: the clean-up is for each selection.
  useEffect(() => () => cancel(), [ids]);
  return { distance, begin, move, end };
}
