import { type PointerEvent, useEffect, useRef } from 'react';
import styles from './photos.module.css';
import { moved, type Size, type Zoom, zoomed } from './zoom.ts';

/** How far the finger goes sideways to turn to another photo, in px. */
const swipe = 60;
const doubled = 2.5;

export interface PhotoFrameProps {
  readonly source: string;
  readonly name: string;
  readonly zoom: Zoom;
  readonly onZoom: (change: (zoom: Zoom) => Zoom) => void;
  /** Turns to the newer (-1) or older (1) photo. */
  readonly onTurn: (step: -1 | 1) => void;
}

const distance = (a: PointerEvent, b: PointerEvent): number => Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);

/** A picture that is enlarged by wheel and pinch, moved by dragging, and turned by swiping. */
export function PhotoFrame({ source, name, zoom, onZoom, onTurn }: PhotoFrameProps) {
  const frame = useRef<HTMLDivElement>(null);
  const pointers = useRef(new Map<number, PointerEvent>());
  const start = useRef<number | null>(null);

  const zoomAt = useRef<(factor: number, clientX: number, clientY: number) => void>(() => undefined);
  const sizeOf = (): Size => frame.current?.getBoundingClientRect() ?? { width: 0, height: 0 };
  zoomAt.current = (factor, clientX, clientY) => {
    const box = frame.current?.getBoundingClientRect();
    if (!box) return;
    const point = [clientX - box.left - box.width / 2, clientY - box.top - box.height / 2] as const;
    onZoom((before) => zoomed(before, factor, point, box));
  };

  useEffect(() => {
    const element = frame.current;
    const onWheel = (event: WheelEvent): void => {
      event.preventDefault();
      zoomAt.current(Math.exp(-event.deltaY / 400), event.clientX, event.clientY);
    };
    // Not passive: else the page would be enlarged, too.
    element?.addEventListener('wheel', onWheel, { passive: false });
    return () => element?.removeEventListener('wheel', onWheel);
  }, []);

  const move = (event: PointerEvent): void => {
    const before = pointers.current.get(event.pointerId);
    if (!before) return;
    const other = [...pointers.current.values()].find(({ pointerId }) => pointerId !== event.pointerId);
    pointers.current.set(event.pointerId, event);
    if (other) {
      start.current = null;
      const factor = distance(event, other) / Math.max(distance(before, other), 1);
      zoomAt.current(factor, (event.clientX + other.clientX) / 2, (event.clientY + other.clientY) / 2);
    } else if (zoom.scale > 1)
      onZoom((now) => moved(now, event.clientX - before.clientX, event.clientY - before.clientY, sizeOf()));
  };

  const end = (event: PointerEvent): void => {
    pointers.current.delete(event.pointerId);
    const from = start.current;
    start.current = null;
    if (event.type === 'pointercancel' || from === null || zoom.scale > 1 || Math.abs(event.clientX - from) < swipe)
      return;
    onTurn(event.clientX < from ? 1 : -1);
  };

  return (
    // The buttons and keys of the page do the same.
    <div
      role="group"
      ref={frame}
      className={styles.frame}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        pointers.current.set(event.pointerId, event);
        start.current = pointers.current.size === 1 && event.pointerType === 'touch' ? event.clientX : null;
      }}
      onPointerMove={move}
      onPointerUp={end}
      onPointerCancel={end}
      onDoubleClick={({ clientX, clientY }) => zoomAt.current(zoom.scale > 1 ? 0 : doubled, clientX, clientY)}
    >
      <img
        src={source}
        alt={name}
        draggable={false}
        style={{ transform: `translate(${zoom.x}px, ${zoom.y}px) scale(${zoom.scale})` }}
      />
    </div>
  );
}
