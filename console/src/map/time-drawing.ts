import type { Bed } from '../data/bed.ts';
import { cropPictures } from '../ui/crop-pictures.ts';
import { eachPointAt, type PointThen, type TimeGarden } from './time-garden.ts';
import type { Viewport } from './viewport.ts';

/** The least radius of a drawn plant and of other points, in mm. */
const [minRadius, pointRadius] = [14, 30];
/** The size of pictures of crops, in pixels: drawn once, and scaled. */
const spriteSize = 128;

/** Pictures of crops by their slugs, once they were read. */
const sprites = new Map<string, HTMLCanvasElement | null>();

/** Returns the picture of a crop; null until it was read, and without one. `onRead`: called when it was. */
function spriteOf(slug: string, onRead: () => void): HTMLCanvasElement | null {
  const known = sprites.get(slug);
  if (known !== undefined) return known;
  sprites.set(slug, null);
  const address = cropPictures[slug];
  if (!address) return null;
  const image = new Image(spriteSize, spriteSize);
  image.src = address;
  image.decode().then(
    () => {
      const sprite = document.createElement('canvas');
      sprite.width = spriteSize;
      sprite.height = spriteSize;
      sprite.getContext('2d')?.drawImage(image, 0, 0, spriteSize, spriteSize);
      sprites.set(slug, sprite);
      onRead();
    },
    () => undefined,
  );
  return null;
}

const circle = 2 * Math.PI;
const colorNames = ['plant', 'weed', 'point', 'line-strong', 'surface', 'mark-orange', 'ink'] as const;
type Colors = Readonly<Record<(typeof colorNames)[number], string>>;

function colorsOf(element: HTMLElement): Colors {
  const style = getComputedStyle(element);
  return Object.fromEntries(colorNames.map((name) => [name, style.getPropertyValue(`--${name}`)])) as Colors;
}

/** Where the canvas shows the bed. */
interface Drawing {
  readonly context: CanvasRenderingContext2D;
  readonly colors: Colors;
  readonly onRead: () => void;
}

/** Returns the radius with which a point is drawn, in whole pixels, so that few differ. `scale`: pixels per mm. */
const radiusOf = ({ state, spread }: PointThen, scale: number): number =>
  Math.max(1, Math.round((state ? Math.max(minRadius, spread / 2) : pointRadius) * scale));

/** Draws a point around the origin of the canvas. */
function drawPoint({ context, colors, onRead }: Drawing, then: PointThen, scale: number): void {
  const { point, state } = then;
  const radius = radiusOf(then, scale);
  if (!state) {
    context.globalAlpha = 1;
    context.lineWidth = Math.max(1, 5 * scale);
    context.strokeStyle = {
      Weed: colors.weed,
      ToolSlot: colors['line-strong'],
      GenericPointer: colors.point,
      Plant: '',
    }[point.kind];
    context.beginPath();
    if (point.kind === 'ToolSlot') context.rect(-radius, -radius, 2 * radius, 2 * radius);
    else context.arc(0, 0, radius, 0, circle);
    context.stroke();
    return;
  }
  const isThere = state === 'growing' || state === 'ripe';
  context.beginPath();
  context.arc(0, 0, radius, 0, circle);
  context.fillStyle = colors.plant;
  context.strokeStyle = state === 'ripe' ? colors['mark-orange'] : colors.plant;
  context.globalAlpha = isThere ? 0.22 : 0.08;
  context.fill();
  context.globalAlpha = isThere ? 0.9 : 0.5;
  context.lineWidth = Math.max(1, (state === 'ripe' ? 12 : 4) * scale);
  context.stroke();
  const sprite = spriteOf(point.slug, onRead);
  context.globalAlpha = isThere ? 1 : 0.35;
  const size = Math.min(radius, 220 * scale) * 0.85;
  if (sprite) context.drawImage(sprite, -size, -size, 2 * size, 2 * size);
  else {
    context.beginPath();
    context.arc(0, 0, size * 0.5, 0, circle);
    context.fill();
  }
}

/** The radius of a stamp at most, in pixels: of larger points few are seen. */
const maxStampRadius = 150;
/** Pixels of stamps that are kept at most: 32 MB. */
const maxStamped = 8_000_000;

/** Points as they look at one scale, drawn once each: to draw a scaled picture costs ten times as much as to copy it. */
class Stamps {
  readonly #drawing: Omit<Drawing, 'context'>;
  readonly #scale: number;
  readonly #stamps = new Map<string, HTMLCanvasElement>();
  #pixels = 0;

  /** `scale`: pixels per mm. */
  constructor(drawing: Omit<Drawing, 'context'>, scale: number) {
    this.#drawing = drawing;
    this.#scale = scale;
  }

  /** Draws a point at a place of the canvas, in pixels. */
  draw(context: CanvasRenderingContext2D, then: PointThen, left: number, top: number): void {
    const radius = radiusOf(then, this.#scale);
    if (radius > maxStampRadius) {
      context.setTransform(1, 0, 0, 1, left, top);
      drawPoint({ ...this.#drawing, context }, then, this.#scale);
      context.resetTransform();
      context.globalAlpha = 1;
      return;
    }
    const stamp = this.#of(then, radius);
    // At whole pixels nothing is computed between them.
    context.drawImage(stamp, Math.round(left - stamp.width / 2), Math.round(top - stamp.height / 2));
  }

  /** Returns the picture of a point, in whose middle the point is. */
  #of(then: PointThen, radius: number): HTMLCanvasElement {
    const { point, state } = then;
    const key = `${state ? point.slug : point.kind} ${state} ${radius}`;
    const known = this.#stamps.get(key);
    if (known) return known;
    const stamp = document.createElement('canvas');
    const middle = radius + Math.ceil(Math.max(1, 12 * this.#scale));
    stamp.width = 2 * middle;
    stamp.height = 2 * middle;
    const context = stamp.getContext('2d');
    context?.translate(middle, middle);
    if (context) drawPoint({ ...this.#drawing, context }, then, this.#scale);
    const pixels = stamp.width * stamp.height;
    if (this.#pixels + pixels > maxStamped) {
      this.#stamps.clear();
      this.#pixels = 0;
    }
    this.#pixels += pixels;
    this.#stamps.set(key, stamp);
    return stamp;
  }
}

/** Draws a garden at any time over the bed: a canvas, because a thousand elements take longer than a frame. */
export class TimeDrawing {
  readonly #canvas: HTMLCanvasElement;
  readonly #viewport: Viewport;
  readonly #bed: Bed;
  readonly #garden: TimeGarden;
  readonly #now: number;
  /** At the scale at which they were drawn last. */
  #stamps: { readonly scale: number; readonly stamps: Stamps } | null = null;
  #at = 0;
  #isDue = false;

  constructor(canvas: HTMLCanvasElement, viewport: Viewport, bed: Bed, garden: TimeGarden, now: number) {
    this.#canvas = canvas;
    this.#viewport = viewport;
    this.#bed = bed;
    this.#garden = garden;
    this.#now = now;
  }

  /** Draws the garden at a time, in ms, with the next frame. */
  show(at: number): void {
    this.#at = at;
    this.redraw();
  }

  /** Draws again with the next frame, as after a change of the view. */
  readonly redraw = (): void => {
    if (this.#isDue) return;
    this.#isDue = true;
    requestAnimationFrame(() => {
      this.#isDue = false;
      this.#draw();
    });
  };

  /** Draws with the colors and pictures as they are now, as after a change of the theme. */
  readonly recolor = (): void => {
    this.#stamps = null;
    this.redraw();
  };

  #stampsAt(scale: number): Stamps {
    if (this.#stamps?.scale !== scale) {
      const drawing = { colors: colorsOf(this.#canvas), onRead: this.recolor };
      this.#stamps = { scale, stamps: new Stamps(drawing, scale) };
    }
    return this.#stamps.stamps;
  }

  #draw(): void {
    const canvas = this.#canvas;
    const context = canvas.getContext('2d');
    if (!context || !canvas.isConnected) return;
    const ratio = Math.min(2, devicePixelRatio);
    const [width, height] = [canvas.clientWidth * ratio, canvas.clientHeight * ratio].map(Math.round) as [
      number,
      number,
    ];
    if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
    else context.clearRect(0, 0, width, height);
    const view = this.#viewport.view;
    const scale = view.scale * ratio;
    const stamps = this.#stampsAt(scale);
    eachPointAt(this.#garden, this.#at, this.#now, (then) => {
      const [x, y] = this.#bed.toScreen(then.point.x, then.point.y);
      const [left, top] = [(view.left + x * view.scale) * ratio, (view.top + y * view.scale) * ratio];
      const reach = Math.max(then.spread, 2 * pointRadius) * scale;
      if (left < -reach || top < -reach || left > width + reach || top > height + reach) return;
      stamps.draw(context, then, left, top);
    });
  }
}
