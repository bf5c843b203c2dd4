import { loadSharp } from '../core/native-module.ts';
import type { GardenRecord } from './garden-reader.ts';
import type { Vector } from './nodes.ts';

/** The part of the garden that a photo shows, in mm: as the camera calibration of demo gardens says. */
export const photoView = { x: 640, y: 480 } as const;
/** The size of photos, in pixels. */
export const photoSize = { x: 640, y: 480 } as const;
const { x: width, y: height } = photoSize;
const pixelsPerMm = width / photoView.x;

/** Red, green and blue. */
type Color = Buffer;

const colors: Readonly<Record<string, Color>> = {
  Plant: Buffer.of(63, 125, 42),
  Weed: Buffer.of(138, 106, 31),
  ToolSlot: Buffer.of(141, 146, 153),
};
const otherPoint = Buffer.of(216, 210, 196);
const [soil, furrow] = [Buffer.of(92, 70, 50), Buffer.of(81, 61, 43)];
/** In pixels. */
const [furrowDistance, furrowWidth] = [40, 9];

/** Radius of points without one, in mm. */
const defaultRadius = 25;

/** Colors the pixels of a row from one column up to, not including, another. */
function fillRow(pixels: Buffer, color: Color, row: number, from: number, to: number): void {
  const [start, end] = [Math.max(0, from), Math.min(width, to)];
  if (start < end) pixels.fill(color, (row * width + start) * 3, (row * width + end) * 3);
}

/** Draws a point, as far as the photo shows it. */
function drawPoint(pixels: Buffer, { pointer_type, x, y, radius }: GardenRecord, left: number, top: number): void {
  const [centerX, centerY] = [(Number(x) - left) * pixelsPerMm, (Number(y) - top) * pixelsPerMm];
  const size = (Number(radius) || defaultRadius) * pixelsPerMm;
  const color = colors[String(pointer_type)] ?? otherPoint;
  for (let row = Math.max(0, Math.ceil(centerY - size)); row < Math.min(height, centerY + size); row++) {
    const half = Math.sqrt(size ** 2 - (row - centerY) ** 2);
    fillRow(pixels, color, row, Math.ceil(centerX - half), Math.ceil(centerX + half));
  }
}

/** Draws the camera's picture at a position, as JPEG: soil, and a circle for each point. */
export async function drawGarden(position: Vector, points: readonly GardenRecord[]): Promise<Buffer> {
  const pixels = Buffer.alloc(width * height * 3);
  for (let row = 0; row < height; row++)
    fillRow(pixels, row % furrowDistance < furrowWidth ? furrow : soil, row, 0, width);
  for (const point of points) drawPoint(pixels, point, position.x - photoView.x / 2, position.y - photoView.y / 2);
  // Loaded only when a photo is taken.
  const { default: sharp } = await loadSharp();
  return sharp(pixels, { raw: { width, height, channels: 3 } })
    .jpeg()
    .toBuffer();
}
