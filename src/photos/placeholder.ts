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

const ink: Color = [84, 92, 78];

/** The columns of letters from left to right, two hexadecimal digits each; the lowest bit is the uppermost pixel. */
const letters: Readonly<Record<string, string>> = {
  A: '7e1111117e',
  B: '7f49494936',
  D: '7f4141221c',
  E: '7f49494941',
  H: '7f0808087f',
  I: '00417f4100',
  L: '7f40404040',
  N: '7f0408107f',
  O: '3e4141413e',
  P: '7f09090906',
  S: '4649494931',
  T: '01017f0101',
  U: '3f4040403f',
  V: '1f2040201f',
};

/** The sides of one pixel of a letter, and the distances of letters and of lines, in pixels. */
const dot = 5;
const letterWidth = 6 * dot;
const lineHeight = 11 * dot;
/** The beginning of the first line. */
const textTop = 25;

/** The words in the picture of a photo that cannot be had. [rule F6] */
export const unavailableWords: readonly string[] = ['PHOTO UNAVAILABLE', 'PHOTO INDISPONIBLE'];

/** Whether a pixel is part of a centered line of text, `y` pixels below the line's top. */
function isInk(line: string, x: number, y: number): boolean {
  const from = x - (width - line.length * letterWidth) / 2;
  const column = Math.floor((from % letterWidth) / dot);
  const bits = letters[line[Math.floor(from / letterWidth)] ?? '']?.slice(2 * column, 2 * column + 2) ?? '';
  return ((Number.parseInt(bits || '0', 16) >> Math.floor(y / dot)) & 1) === 1;
}

/** Returns the placeholder for photos, with lines of text. [rule F4] */
export function placeholderPixels(lines: readonly string[]): RawPixels {
  const data = Buffer.alloc(width * height * 3);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const line = lines[Math.floor((y - textTop) / lineHeight)];
      const isWritten = line !== undefined && isInk(line, x, (y - textTop) % lineHeight);
      data.set(isWritten ? ink : colorAt(x, y), (y * width + x) * 3);
    }
  return { data, width, height };
}
