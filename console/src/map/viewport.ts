import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react';

/** What part of the bed is seen: pixels per mm, and where its left upper corner is. */
export interface View {
  readonly scale: number;
  readonly left: number;
  readonly top: number;
}

export interface Viewport {
  /** The element that is looked through. */
  readonly frame: RefObject<HTMLDivElement | null>;
  /** The element that is moved; its size is that of the bed in pixels at the scale 1. */
  readonly sheet: RefObject<HTMLDivElement | null>;
  /** Zooms by a factor around the middle. */
  zoom(factor: number): void;
  /** Shows all of the bed. */
  fit(): void;
}

const minScale = 0.02;
const maxScale = 4;
const margin = 24;
const wheelStep = 0.0015;

/** Pans by dragging and the arrow keys, zooms by wheel, pinch, + and -. Moves the sheet without rendering anything. */
export function useViewport(width: number, height: number): Viewport {
  const frame = useRef<HTMLDivElement>(null);
  const sheet = useRef<HTMLDivElement>(null);
  const view = useRef<View>({ scale: 1, left: 0, top: 0 });

  const show = (next: View): void => {
    view.current = next;
    if (sheet.current) {
      sheet.current.style.transform = `translate(${next.left}px, ${next.top}px) scale(${next.scale})`;
      sheet.current.style.setProperty('--scale', String(next.scale));
    }
  };
  const zoomAt = (factor: number, x: number, y: number): void => {
    const { scale, left, top } = view.current;
    const next = Math.min(maxScale, Math.max(minScale, scale * factor));
    const ratio = next / scale;
    show({ scale: next, left: x - (x - left) * ratio, top: y - (y - top) * ratio });
  };
  const zoom = (factor: number): void => {
    const box = frame.current?.getBoundingClientRect();
    if (box) zoomAt(factor, box.width / 2, box.height / 2);
  };
  const fit = (): void => {
    const box = frame.current?.getBoundingClientRect();
    if (!box) return;
    const scale = Math.min((box.width - 2 * margin) / width, (box.height - 2 * margin) / height);
    show({ scale, left: (box.width - width * scale) / 2, top: (box.height - height * scale) / 2 });
  };

  // biome-ignore lint/correctness/useExhaustiveDependencies: the functions are made in each rendering and only use references
  useLayoutEffect(fit, [width, height]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: as above
  useEffect(() => {
    const element = frame.current;
    if (!element) return;
    const pointers = new Map<number, { x: number; y: number }>();
    const at = ({ clientX, clientY }: MouseEvent): { x: number; y: number } => {
      const box = element.getBoundingClientRect();
      return { x: clientX - box.left, y: clientY - box.top };
    };
    const wheel = (event: WheelEvent): void => {
      event.preventDefault();
      const { x, y } = at(event);
      zoomAt(Math.exp(-event.deltaY * (event.deltaMode === 1 ? 16 : 1) * wheelStep), x, y);
    };
    const down = (event: PointerEvent): void => {
      pointers.set(event.pointerId, at(event));
    };
    const move = (event: PointerEvent): void => {
      const before = pointers.get(event.pointerId);
      if (!before) return;
      const now = at(event);
      const [other] = [...pointers].filter(([id]) => id !== event.pointerId).map(([, point]) => point);
      pointers.set(event.pointerId, now);
      if (!other) {
        const { scale, left, top } = view.current;
        show({ scale, left: left + now.x - before.x, top: top + now.y - before.y });
        return;
      }
      const distance = (point: { x: number; y: number }): number => Math.hypot(point.x - other.x, point.y - other.y);
      zoomAt(distance(now) / Math.max(1, distance(before)), (now.x + other.x) / 2, (now.y + other.y) / 2);
    };
    const up = (event: PointerEvent): void => void pointers.delete(event.pointerId);
    element.addEventListener('wheel', wheel, { passive: false });
    element.addEventListener('pointerdown', down);
    addEventListener('pointermove', move);
    addEventListener('pointerup', up);
    addEventListener('pointercancel', up);
    return () => {
      element.removeEventListener('wheel', wheel);
      element.removeEventListener('pointerdown', down);
      removeEventListener('pointermove', move);
      removeEventListener('pointerup', up);
      removeEventListener('pointercancel', up);
    };
  }, []);

  return { frame, sheet, zoom, fit };
}
