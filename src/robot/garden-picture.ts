import { loadSharp } from '../core/native-module.ts';
import type { GardenRecord } from './garden-reader.ts';
import type { Vector } from './nodes.ts';

/** The part of the garden that a photo shows, in mm: as the camera calibration of demo gardens says. */
export const photoView = { x: 640, y: 480 } as const;
/** The size of photos, in pixels. */
export const photoSize = { x: 640, y: 480 } as const;
/** The size in which photos are drawn, which takes a quarter of the time; it is then doubled. */
const [width, height] = [photoSize.x / 2, photoSize.y / 2];
const pixelsPerMm = width / photoView.x;

/** Red, green and blue. */
type Color = readonly [red: number, green: number, blue: number];

/** How a point looks from above: its color, and the tips of its leaves; 0: a disk. */
interface Look {
  readonly color: Color;
  readonly leaves: number;
}

const leafColors: readonly Color[] = [
  [63, 125, 42],
  [84, 146, 58],
  [52, 108, 66],
  [106, 150, 48],
  [76, 132, 84],
];
const weed: Look = { color: [148, 152, 52], leaves: 11 };
const slot: Look = { color: [141, 146, 153], leaves: 0 };

const soil: Color = [92, 70, 50];
/** How bright furrows are. */
const furrow = 0.86;
/** In mm: of furrows, and of the streaks of soil, which are a bit darker or brighter. */
const [furrowDistance, furrowWidth, streak] = [40, 9, 4];

/** Radius of points without one, in mm. */
const defaultRadius = 25;

/** Stages in which nothing of a plant is to be seen. */
const unseen: readonly unknown[] = ['planned', 'harvested', 'removed'];

/** Returns how a point looks; null: a camera does not see it. Plants of one crop look alike. */
function lookOf({ pointer_type, plant_stage, openfarm_slug }: GardenRecord): Look | null {
  if (pointer_type === 'ToolSlot') return slot;
  if (unseen.includes(plant_stage)) return null;
  if (pointer_type === 'Weed') return weed;
  if (pointer_type !== 'Plant') return null;
  const crop = [...String(openfarm_slug)].reduce((sum, letter) => sum + letter.charCodeAt(0), 0);
  return { color: leafColors[crop % leafColors.length] ?? soil, leaves: 5 + (crop % 4) };
}

/** Paints a pixel. Takes no parts of the color by an iterator, which is several times as slow. */
function paint(pixels: Buffer, offset: number, color: Color, bright: number): void {
  pixels[offset] = color[0] * bright;
  pixels[offset + 1] = color[1] * bright;
  pixels[offset + 2] = color[2] * bright;
}

/** Draws the soil of a photo whose upper edge is at this place, in mm. Streaks look the same in photos beside each other; clods would take most of a photo's bytes. */
function drawSoil(pixels: Buffer, top: number): void {
  for (let row = 0; row < height; row++) {
    const y = Math.floor(top + row / pixelsPerMm);
    const inFurrow = ((y % furrowDistance) + furrowDistance) % furrowDistance < furrowWidth;
    const light = (0.95 + 0.1 * Math.abs(Math.sin(Math.floor(y / streak) * 12.9898))) * (inFurrow ? furrow : 1);
    const color = Buffer.from(soil.map((part) => part * light));
    pixels.fill(color, row * width * 3, (row + 1) * width * 3);
  }
}

/** Draws a point, as far as the photo shows it. */
function drawPoint(pixels: Buffer, point: GardenRecord, left: number, top: number): void {
  const look = lookOf(point);
  if (!look) return;
  const { color, leaves } = look;
  const [centerX, centerY] = [(Number(point.x) - left) * pixelsPerMm, (Number(point.y) - top) * pixelsPerMm];
  const size = (Number(point.radius) || defaultRadius) * pixelsPerMm;
  for (let row = Math.max(0, Math.ceil(centerY - size)); row < Math.min(height, centerY + size); row++) {
    const half = Math.sqrt(size ** 2 - (row - centerY) ** 2);
    for (let column = Math.max(0, Math.ceil(centerX - half)); column < Math.min(width, centerX + half); column++) {
      const distance = Math.hypot(column - centerX, row - centerY) / size;
      const wave = leaves > 0 ? Math.cos(leaves * Math.atan2(row - centerY, column - centerX)) : 1;
      if (distance > 0.82 + 0.18 * wave) continue;
      // Leaves are bright along their middle, and the plant is dark between them.
      const bright = leaves > 0 ? 0.7 + 0.2 * distance + 0.25 * wave * distance : 1;
      paint(pixels, (row * width + column) * 3, color, bright);
    }
  }
}

/** Draws the camera's picture at a position, as JPEG: soil, and the plants, weeds and tool slots that are there. */
export async function drawGarden(position: Vector, points: readonly GardenRecord[]): Promise<Buffer> {
  const pixels = Buffer.alloc(width * height * 3);
  const [left, top] = [position.x - photoView.x / 2, position.y - photoView.y / 2];
  drawSoil(pixels, top);
  // Small ones grow beside large ones, and are not hidden by them.
  const radiusOf = ({ radius }: GardenRecord): number => Number(radius) || defaultRadius;
  for (const point of points.toSorted((a, b) => radiusOf(b) - radiusOf(a))) drawPoint(pixels, point, left, top);
  // Loaded only when a photo is taken.
  const { default: sharp } = await loadSharp();
  return sharp(pixels, { raw: { width, height, channels: 3 } })
    .resize(photoSize.x, photoSize.y, { kernel: 'nearest' })
    .jpeg()
    .toBuffer();
}
