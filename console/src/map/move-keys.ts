import { useEffect, useEffectEvent, useState } from 'react';
import { type GestureOptions, startDragging } from './gestures.ts';

/** How far one key press moves points, in mm; with Shift the larger one. */
const steps = { small: 10, large: 100 } as const;

/** How far a key moves the selection on the screen, in mm; null if it is not an arrow key. */
function stepOf({ key, shiftKey }: KeyboardEvent): readonly [across: number, down: number] | null {
  const step = shiftKey ? steps.large : steps.small;
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

/** Moves the selection with the arrow keys until Enter saves it or Escape cancels it. Returns how far it is moved on the screen, in mm; null while it is not. */
export function useMoveKeys(
  isMoving: boolean,
  options: GestureOptions,
  onEnd: () => void,
): readonly [across: number, down: number] | null {
  const [distance, setDistance] = useState<readonly [number, number]>([0, 0]);
  const begin = useEffectEvent(() => startDragging(options));
  const finish = useEffectEvent(onEnd);
  useEffect(() => {
    if (!isMoving) return;
    setDistance([0, 0]);
    const gesture = begin();
    let [across, down] = [0, 0];
    let isEnded = false;
    const end = (isSaved: boolean): void => {
      isEnded = true;
      if (isSaved && (across !== 0 || down !== 0)) gesture.end();
      else gesture.cancel();
      finish();
    };
    const pressed = (event: KeyboardEvent): void => {
      if (event.target instanceof HTMLInputElement || isEnded) return;
      const step = stepOf(event);
      if (step) {
        across += step[0];
        down += step[1];
        gesture.move(across, down);
        setDistance([across, down]);
      } else if (event.key === 'Enter' || event.key === 'Escape') end(event.key === 'Enter');
      else return;
      event.preventDefault();
      event.stopPropagation();
    };
    addEventListener('keydown', pressed, { capture: true });
    return () => {
      removeEventListener('keydown', pressed, { capture: true });
      if (!isEnded) gesture.cancel();
    };
  }, [isMoving]);
  return isMoving ? distance : null;
}
