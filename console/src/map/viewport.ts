import { Store } from '../ui/store.ts';

/** The visible part of the bed: pixels per mm, and the position of its left upper corner in the frame, in pixels. */
export interface View {
  readonly scale: number;
  readonly left: number;
  readonly top: number;
}

/** A place in a frame, in pixels. */
interface Spot {
  readonly x: number;
  readonly y: number;
}

/** A gesture of a pointer other than panning. Lengths are in mm on the screen's axes. */
export interface Gesture {
  move(across: number, down: number): void;
  /** The pointer is lifted. */
  end(): void;
  /** A second finger came down, or the browser took the pointer. */
  cancel(): void;
}

/** Returns the gesture that a pointer starts; null to pan. */
export type GestureStart = (event: PointerEvent, viewport: Viewport) => Gesture | null;

const minScale = 0.02;
const maxScale = 4;
/** The smallest scale that is zoomed to, as a part of the one that shows all of the bed. */
const minZoom = 0.5;
/** The margin around the bed, in pixels, for labels and buttons: beside it where there is room, else above and below. */
const margins = {
  wide: { left: 96, right: 40, top: 40, bottom: 40 },
  narrow: { left: 52, right: 12, top: 88, bottom: 72 },
};
const narrowWidth = 1000;

/** Returns the margins in a frame, of which they take at most half. */
function marginsIn({ width, height }: DOMRect): (typeof margins)['wide'] {
  const { left, right, top, bottom } = margins[innerWidth > narrowWidth ? 'wide' : 'narrow'];
  const across = Math.min(1, width / 2 / (left + right));
  const down = Math.min(1, height / 2 / (top + bottom));
  return { left: left * across, right: right * across, top: top * down, bottom: bottom * down };
}

const wheelStep = 0.0015;
const zoomStep = 1.3;
const panStep = 80;
/** How far a pointer that clicks may move, in pixels. */
const maxClickMovement = 5;

type Bounds = readonly [least: number, most: number];

/** Returns where a bed of a size may begin in a frame, both in pixels: all of it is seen if it fits, unless it is being enlarged, when its places stay under the fingers; else an edge comes at most to the middle. */
function boundsOf(frame: number, size: number, isEnlarged: boolean): Bounds {
  if (isEnlarged) return [frame / 2 - size, frame / 2];
  const spare = frame - size;
  const beyond = Math.min(Math.max(0, -spare), frame / 2);
  return [Math.min(0, spare) - beyond, Math.max(0, spare) + beyond];
}

/** Returns a place within bounds, or as far outside as it was before. */
const boundedPlace = (next: number, [least, most]: Bounds, before: number, [low, high]: Bounds): number =>
  Math.min(most + Math.max(0, before - high), Math.max(least - Math.max(0, low - before), next));

/** Returns where a bed of a size begins that was at `place`: it fills the free part of a frame, or is in it. */
export const settledPlace = (place: number, size: number, [begin, end]: Bounds): number =>
  Math.min(Math.max(begin, end - size), Math.max(Math.min(begin, end - size), place));

const distance = (a: Spot, b: Spot): number => Math.hypot(a.x - b.x, a.y - b.y);

/** A window on the bed that is panned and zoomed by pointers, wheel and keys. It moves the sheet itself: nothing is rendered. */
export class Viewport {
  /** Returns the gesture of a pressed pointer. */
  startGesture: GestureStart = () => null;
  /** The bed on the screen, in mm. */
  readonly width: number;
  readonly height: number;
  readonly #view = new Store<View>({ scale: 1, left: 0, top: 0 });
  #isFitted = true;
  /** The size of the frame that all of the bed was fitted into, and the width of its window. */
  #fittedSize = { width: 0, height: 0, window: 0 };
  #fittedScale = 0;
  /** The place that {@link reveal} showed last, until the view is changed otherwise. */
  #revealed: Spot | null = null;
  #frame: HTMLElement | null = null;
  #sheet: HTMLElement | null = null;

  constructor(width: number, height: number) {
    this.width = width;
    this.height = height;
  }

  get view(): View {
    return this.#view.get();
  }

  /** Calls `listener` after each change of the view; returns a function that unsubscribes. */
  readonly subscribe = this.#view.subscribe;

  /** Returns the position of a pointer, in mm from the left upper corner of the bed. */
  spotOf({ clientX, clientY }: { readonly clientX: number; readonly clientY: number }): Spot {
    const { x, y } = this.#inFrame({ clientX, clientY });
    const { scale, left, top } = this.view;
    return { x: (x - left) / scale, y: (y - top) / scale };
  }

  /** Zooms around the middle: 1 is one step in, -1 out. */
  zoom(steps: number): void {
    const box = this.#frame?.getBoundingClientRect();
    if (box) this.#zoomAt(zoomStep ** steps, box.width / 2, box.height / 2);
  }

  /** Shows all of the bed. */
  fit(): void {
    const box = this.#frame?.getBoundingClientRect();
    if (!box || box.width === 0) return;
    const { left, right, top, bottom } = marginsIn(box);
    const [width, height] = [box.width - left - right, box.height - top - bottom];
    const scale = Math.max(minScale, Math.min(width / this.width, height / this.height));
    this.#show({
      scale,
      left: left + (width - this.width * scale) / 2,
      top: top + (height - this.height * scale) / 2,
    });
    this.#isFitted = true;
    this.#fittedSize = { width: box.width, height: box.height, window: innerWidth };
    this.#fittedScale = scale;
  }

  /** Whether a panel beside or below the frame takes a part of it: the bed keeps its scale, on which eyes and fingers depend. */
  #isCut({ width, height }: DOMRect): boolean {
    const fitted = this.#fittedSize;
    const isSmaller = width < fitted.width || height < fitted.height;
    return innerWidth === fitted.window && isSmaller && width <= fitted.width && height <= fitted.height;
  }

  /** Pans as little as needed to show a place of the sheet, in mm; also when the frame gets smaller later. If all of the bed is seen, it stays so; while a panel cuts the frame, at its scale. */
  reveal(spot: Spot): void {
    const box = this.#frame?.getBoundingClientRect();
    if (!box) return;
    if (this.#isFitted && !this.#isCut(box)) this.fit();
    const { scale, left, top } = this.view;
    const free = marginsIn(box);
    const missing = (at: number, least: number, most: number): number =>
      Math.max(0, least - at) + Math.min(0, most - at);
    const across = missing(left + spot.x * scale, free.left, box.width - free.right);
    const down = missing(top + spot.y * scale, free.top, box.height - free.bottom);
    if (Math.max(Math.abs(across), Math.abs(down)) >= 1) {
      const isFitted = this.#isFitted;
      this.#show({ scale, left: left + across, top: top + down });
      this.#isFitted = isFitted;
    }
    this.#revealed = spot;
  }

  /** Leaves no room beside a bed that was fitted while a part of it is hidden at the other side. */
  #settle(): void {
    const box = this.#frame?.getBoundingClientRect();
    if (!box || !this.#isFitted) return;
    const { scale, left, top } = this.view;
    const free = marginsIn(box);
    const revealed = this.#revealed;
    this.#show({
      scale,
      left: settledPlace(left, this.width * scale, [free.left, box.width - free.right]),
      top: settledPlace(top, this.height * scale, [free.top, box.height - free.bottom]),
    });
    this.#isFitted = true;
    this.#revealed = revealed;
  }

  /** Starts to follow the input in `frame`, and to move `sheet` in it; returns a function that unsubscribes. */
  attach(frame: HTMLElement, sheet: HTMLElement): () => void {
    this.#frame = frame;
    this.#sheet = sheet;
    if (this.#isFitted) this.fit();
    else this.#show(this.view);
    const ending = new AbortController();
    const { signal } = ending;
    this.#listenToPointers(frame, signal);
    frame.addEventListener('wheel', (event) => this.#onWheel(event), { passive: false, signal });
    frame.addEventListener('keydown', (event) => this.#onKey(event), { signal });
    // As when a panel opens beside the bed or below it.
    let [width, height] = [frame.clientWidth, frame.clientHeight];
    const resized = new ResizeObserver(() => {
      const [nextWidth, nextHeight] = [frame.clientWidth, frame.clientHeight];
      if (nextWidth !== width || nextHeight !== height) {
        if (this.#revealed) this.reveal(this.#revealed);
        else if (this.#isFitted && !this.#isCut(frame.getBoundingClientRect())) this.fit();
        // As when a panel is closed while a notice above still takes a part of the frame.
        if (nextWidth > width || nextHeight > height) this.#settle();
      }
      [width, height] = [nextWidth, nextHeight];
    });
    resized.observe(frame);
    return () => {
      ending.abort();
      resized.disconnect();
    };
  }

  #inFrame({ clientX, clientY }: { readonly clientX: number; readonly clientY: number }): Spot {
    const box = this.#frame?.getBoundingClientRect();
    return { x: clientX - (box?.left ?? 0), y: clientY - (box?.top ?? 0) };
  }

  #show(view: View): void {
    this.#isFitted = false;
    this.#revealed = null;
    // In three dimensions: the sheet gets a layer of its own, which panning only moves.
    if (this.#sheet) this.#sheet.style.transform = `translate3d(${view.left}px, ${view.top}px, 0) scale(${view.scale})`;
    this.#view.set(view);
  }

  #pan(across: number, down: number): void {
    const { scale, left, top } = this.view;
    this.#showBounded({ scale, left: left + across, top: top + down });
  }

  #zoomAt(factor: number, x: number, y: number): void {
    const { scale, left, top } = this.view;
    const least = Math.min(scale, this.#fittedScale * minZoom);
    const next = Math.min(maxScale, Math.max(minScale, least, scale * factor));
    const ratio = next / scale;
    this.#showBounded({ scale: next, left: x - (x - left) * ratio, top: y - (y - top) * ratio });
  }

  /** Shows a view that the user chose: the bed stays in the frame, or comes no farther out of it. */
  #showBounded(view: View): void {
    const box = this.#frame?.getBoundingClientRect();
    if (!box) return;
    const before = this.view;
    const isEnlarged = view.scale > before.scale;
    const bounded = (axis: 'left' | 'top', frame: number, length: number): number =>
      boundedPlace(
        view[axis],
        boundsOf(frame, length * view.scale, isEnlarged),
        before[axis],
        boundsOf(frame, length * before.scale, isEnlarged),
      );
    this.#show({
      scale: view.scale,
      left: bounded('left', box.width, this.width),
      top: bounded('top', box.height, this.height),
    });
  }

  #onWheel(event: WheelEvent): void {
    event.preventDefault();
    const { x, y } = this.#inFrame(event);
    this.#zoomAt(Math.exp(-event.deltaY * (event.deltaMode === 1 ? 16 : 1) * wheelStep), x, y);
  }

  #onKey(event: KeyboardEvent): void {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const actions: Readonly<Record<string, () => void>> = {
      '+': () => this.zoom(1),
      '=': () => this.zoom(1),
      '-': () => this.zoom(-1),
      '0': () => this.fit(),
      ArrowLeft: () => this.#pan(panStep, 0),
      ArrowRight: () => this.#pan(-panStep, 0),
      ArrowUp: () => this.#pan(0, panStep),
      ArrowDown: () => this.#pan(0, -panStep),
    };
    const action = actions[event.key];
    // Arrow keys at a point go to the next one.
    if (!action || (event.key.startsWith('Arrow') && event.target !== this.#frame)) return;
    event.preventDefault();
    action();
  }

  #listenToPointers(frame: HTMLElement, signal: AbortSignal): void {
    const pointers = new Map<number, Spot>();
    let gesture: Gesture | null = null;
    let start: Spot = { x: 0, y: 0 };
    let movement = 0;
    const down = (event: PointerEvent): void => {
      if (event.button !== 0) return;
      const spot = this.#inFrame(event);
      pointers.set(event.pointerId, spot);
      if (pointers.size === 1) {
        start = spot;
        movement = 0;
        gesture = this.startGesture(event, this);
      } else {
        gesture?.cancel();
        gesture = null;
        movement = Number.POSITIVE_INFINITY;
      }
    };
    const move = (event: PointerEvent): void => {
      const before = pointers.get(event.pointerId);
      if (!before) return;
      const now = this.#inFrame(event);
      pointers.set(event.pointerId, now);
      movement = Math.max(movement, distance(now, start));
      // Of a captured pointer, browsers do not search the element below it: among thousands of points that is slow.
      if (movement > maxClickMovement && !frame.hasPointerCapture(event.pointerId))
        frame.setPointerCapture(event.pointerId);
      const { scale } = this.view;
      const [other] = [...pointers].flatMap(([id, spot]) => (id === event.pointerId ? [] : [spot]));
      if (other) {
        this.#zoomAt(distance(now, other) / Math.max(1, distance(before, other)), other.x, other.y);
      } else if (movement > maxClickMovement) {
        if (gesture) gesture.move((now.x - start.x) / scale, (now.y - start.y) / scale);
        else this.#pan(now.x - before.x, now.y - before.y);
      }
    };
    const up = (event: PointerEvent): void => {
      if (!pointers.delete(event.pointerId)) return;
      if (gesture && event.type === 'pointerup' && movement > maxClickMovement) gesture.end();
      else gesture?.cancel();
      gesture = null;
    };
    frame.addEventListener('pointerdown', down, { signal });
    addEventListener('pointermove', move, { signal });
    addEventListener('pointerup', up, { signal });
    addEventListener('pointercancel', up, { signal });
    // The end of a drag is not a click. Clicks by keys and screen readers have no pointer (detail 0).
    const clicked = (event: MouseEvent): void => {
      if (event.detail > 0 && movement > maxClickMovement) event.stopPropagation();
    };
    frame.addEventListener('click', clicked, { capture: true, signal });
  }
}
