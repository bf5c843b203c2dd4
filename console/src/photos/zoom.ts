/** The place of a picture in its frame: enlarged around the frame's center and moved, in px. */
export interface Zoom {
  readonly scale: number;
  readonly x: number;
  readonly y: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** The whole picture. */
export const whole: Zoom = { scale: 1, x: 0, y: 0 };

const maxScale = 8;

const within = (value: number, limit: number): number => Math.min(Math.max(value, -limit), limit);

/** Moves the picture, as far as it covers the frame. */
export function moved({ scale, x, y }: Zoom, dx: number, dy: number, { width, height }: Size): Zoom {
  const room = (scale - 1) / 2;
  return { scale, x: within(x + dx, room * width), y: within(y + dy, room * height) };
}

/** Enlarges the picture by a factor around a point, in px from the center of the frame. */
export function zoomed({ scale, x, y }: Zoom, factor: number, [px, py]: readonly [number, number], size: Size): Zoom {
  const next = Math.min(Math.max(scale * factor, 1), maxScale);
  const ratio = next / scale;
  return moved({ scale: next, x: px - (px - x) * ratio, y: py - (py - y) * ratio }, 0, 0, size);
}
