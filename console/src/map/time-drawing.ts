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

/** Draws a point at a place of the canvas, in pixels. `scale`: pixels per mm. */
function drawPoint(
  { context, colors, onRead }: Drawing,
  { point, state, spread }: PointThen,
  left: number,
  top: number,
  scale: number,
): void {
  if (!state) {
    const radius = pointRadius * scale;
    context.globalAlpha = 1;
    context.lineWidth = Math.max(1, 5 * scale);
    context.strokeStyle = {
      Weed: colors.weed,
      ToolSlot: colors['line-strong'],
      GenericPointer: colors.point,
      Plant: '',
    }[point.kind];
    context.beginPath();
    if (point.kind === 'ToolSlot') context.rect(left - radius, top - radius, 2 * radius, 2 * radius);
    else context.arc(left, top, radius, 0, circle);
    context.stroke();
    return;
  }
  const isThere = state === 'growing' || state === 'ripe';
  const radius = Math.max(minRadius, spread / 2) * scale;
  context.beginPath();
  context.arc(left, top, radius, 0, circle);
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
  if (sprite) context.drawImage(sprite, left - size, top - size, 2 * size, 2 * size);
  else {
    context.beginPath();
    context.arc(left, top, size * 0.5, 0, circle);
    context.fill();
  }
}

/** Draws a garden at any time over the bed: a canvas, because a thousand elements take longer than a frame. */
export class TimeDrawing {
  readonly #canvas: HTMLCanvasElement;
  readonly #viewport: Viewport;
  readonly #bed: Bed;
  readonly #garden: TimeGarden;
  readonly #now: number;
  #colors: Colors;
  #at = 0;
  #isDue = false;

  constructor(canvas: HTMLCanvasElement, viewport: Viewport, bed: Bed, garden: TimeGarden, now: number) {
    this.#canvas = canvas;
    this.#viewport = viewport;
    this.#bed = bed;
    this.#garden = garden;
    this.#now = now;
    this.#colors = colorsOf(canvas);
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

  /** Reads the colors again, as after a change of the theme. */
  readonly recolor = (): void => {
    this.#colors = colorsOf(this.#canvas);
    this.redraw();
  };

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
    const drawing = { context, colors: this.#colors, onRead: this.redraw };
    eachPointAt(this.#garden, this.#at, this.#now, (then) => {
      const [x, y] = this.#bed.toScreen(then.point.x, then.point.y);
      const [left, top] = [(view.left + x * view.scale) * ratio, (view.top + y * view.scale) * ratio];
      const reach = Math.max(then.spread, 2 * pointRadius) * scale;
      if (left > -reach && top > -reach && left < width + reach && top < height + reach)
        drawPoint(drawing, then, left, top, scale);
    });
  }
}
