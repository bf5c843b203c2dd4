import type { RawPixels } from './pictures.ts';

/** The size of the placeholder, in pixels. */
const width = 640;
const height = 480;

type Color = readonly [red: number, green: number, blue: number];

const top: Color = [236, 240, 228];
const bottom: Color = [206, 218, 190];
const soil: Color = [146, 118, 92];
const leaf: Color = [112, 156, 84];
const stem: Color = [92, 132, 70];

/** Returns whether a point is in a rotated ellipse; the angle is in radians. */
function isInEllipse(x: number, y: number, cx: number, cy: number, rx: number, ry: number, angle: number): boolean {
  const [dx, dy] = [x - cx, y - cy];
  const along = dx * Math.cos(angle) + dy * Math.sin(angle);
  const across = dy * Math.cos(angle) - dx * Math.sin(angle);
  return (along / rx) ** 2 + (across / ry) ** 2 <= 1;
}

/** Returns the color of a pixel. The picture shows a seedling. */
function colorAt(x: number, y: number): Color {
  if (isInEllipse(x, y, 266, 210, 72, 34, 0.55) || isInEllipse(x, y, 374, 190, 72, 34, -0.55)) return leaf;
  if (Math.abs(x - 320) <= 6 && y >= 226 && y <= 352) return stem;
  if (y >= 340 && isInEllipse(x, y, 320, 380, 190, 46, 0)) return soil;
  const fraction = y / height;
  const mix = (from: number, to: number): number => Math.round(from * (1 - fraction) + to * fraction);
  return [mix(top[0], bottom[0]), mix(top[1], bottom[1]), mix(top[2], bottom[2])];
}

/** Returns the placeholder for photos that are not processed yet. [rule F4] */
export function placeholderPixels(): RawPixels {
  const data = Buffer.alloc(width * height * 3);
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) data.set(colorAt(x, y), (y * width + x) * 3);
  return { data, width, height };
}
