import { type RefObject, useEffect, useState } from 'react';
import type { Area, Bed } from '../data/bed.ts';
import { updatePoints } from '../data/changes.ts';
import { undoable } from '../data/undo.ts';
import { showProblem } from '../ui/toasts.tsx';
import { tappedPoint } from './map-data.ts';
import type { Point } from './points.ts';
import type { Selection } from './selection-state.ts';
import { mapText } from './text.ts';
import type { Gesture, Viewport } from './viewport.ts';

/** Moves points by a distance in mm on the screen's axes, to whole millimeters. One change, which can be undone. */
async function movePoints(bed: Bed, points: readonly Point[], across: number, down: number): Promise<void> {
  const updates = new Map(
    points.map(({ id, x, y }) => {
      const [left, top] = bed.toScreen(x, y);
      const [newX, newY] = bed.toGarden(left + across, top + down);
      return [id, { x: Math.round(newX), y: Math.round(newY) }] as const;
    }),
  );
  const [first] = points;
  if (!first) return;
  try {
    await undoable(mapText().moved(points.length, first.name), (label) => updatePoints(updates, { label }));
  } catch (error) {
    showProblem(error);
  }
}

export interface GestureOptions {
  readonly viewport: Viewport;
  readonly bed: Bed;
  readonly svg: RefObject<SVGSVGElement | null>;
  readonly points: readonly Point[];
  readonly selection: Selection;
  /** Whether dragging draws a selection box. */
  readonly isBoxing: boolean;
  readonly mayWrite: boolean;
}

/** Enables pointers to drag the selection, and to draw boxes. Returns the box that is drawn. */
export function useGestures(options: GestureOptions): Area | null {
  const [box, setBox] = useState<Area | null>(null);
  useEffect(() => {
    const { viewport, bed, points, isBoxing, mayWrite, selection } = options;
    viewport.startGesture = (event) => {
      const spot = viewport.spotOf(event);
      const hit = Number(
        event.target instanceof Element && event.target.closest('[data-point]')?.getAttribute('data-point'),
      );
      // A finger covers what it presses.
      const isTouch = event.pointerType === 'touch';
      const id = hit || (isTouch ? tappedPoint(points, bed, spot.x, spot.y, viewport.view.scale)?.id : undefined);
      if (mayWrite && id && selection.ids.has(id)) return startDragging(options);
      return isBoxing || (event.shiftKey && !hit) ? boxing(spot, options, setBox) : null;
    };
  });
  return box;
}

function boxing(
  start: { readonly x: number; readonly y: number },
  { bed, points, selection }: GestureOptions,
  show: (box: Area | null) => void,
): Gesture {
  let box: Area | null = null;
  return {
    move(across, down) {
      box = {
        x: Math.min(start.x, start.x + across),
        y: Math.min(start.y, start.y + down),
        width: Math.abs(across),
        height: Math.abs(down),
      };
      show(box);
    },
    end() {
      show(null);
      if (!box) return;
      const { x, y, width, height } = box;
      const inside = points.filter((point) => {
        const [left, top] = bed.toScreen(point.x, point.y);
        return left >= x && left <= x + width && top >= y && top <= y + height;
      });
      selection.select(inside.map(({ id }) => id));
    },
    cancel: () => show(null),
  };
}

/** Moves the shapes of the selected points while they are dragged, and the points at the end. */
export function startDragging({ bed, svg, points: all, selection }: GestureOptions): Gesture {
  const points = all.filter(({ id }) => selection.ids.has(id));
  const shapes = points.flatMap(({ id }) => [
    ...(svg.current?.querySelectorAll<SVGElement>(`[data-point="${id}"], [data-follows="${id}"]`) ?? []),
  ]);
  let distance: readonly [number, number] = [0, 0];
  const show = (transform: string): void => {
    for (const shape of shapes) shape.style.transform = transform;
  };
  return {
    move(across, down) {
      distance = [across, down];
      show(`translate(${across}px, ${down}px)`);
    },
    end() {
      void movePoints(bed, points, ...distance);
      show('');
    },
    cancel: () => show(''),
  };
}
