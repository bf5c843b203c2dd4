import { createHash } from 'node:crypto';
import { timestamp } from '../core/clock.ts';
import type { DeviceScope } from '../db/scope.ts';
import { announceChanged } from '../engine/records.ts';
import { images } from '../photos/images.ts';
import { drawGarden, photoView } from '../robot/garden-picture.ts';
import type { DemoPast } from './demo-past.ts';
import { madeAt } from './demo-past.ts';
import { portraitTimes } from './demo-schedule.ts';
import { demoWeeds } from './demo-weeds.ts';
import type { StoredPhoto } from './stored-photos.ts';

/** The last photo grid: days ago, and the hour of the day. */
export const lastGrid = { daysAgo: 1, hour: 10 } as const;
/** Maximum number of photos in a grid: those of a large bed show its first part. */
const maxGridPhotos = 24;
/** The time between two photos of a grid, in ms. */
const gridInterval = 20_000;

/** A photo of the past: when and where it was taken, in ms and mm. */
export interface PastPhoto {
  readonly time: number;
  readonly x: number;
  readonly y: number;
}

/** Returns the middles of the photos that cover a length. */
function middles(length: number, view: number): number[] {
  const count = Math.max(1, Math.ceil(length / view));
  const step = count > 1 ? (length - view) / (count - 1) : 0;
  return Array.from({ length: count }, (_, index) => Math.round(view / 2 + index * step));
}

/** Returns the photos of a garden's past in the order in which they were taken: those of the plant that is watched, and the last grid. */
export function pastPhotos(past: DemoPast): PastPhoto[] {
  const { product } = past;
  if (!product) return [];
  const [width, height] = product.frame.map;
  const rows = middles(height, photoView.y);
  const columns = middles(width, photoView.x).slice(0, Math.floor(maxGridPhotos / rows.length));
  const start = past.at(lastGrid.daysAgo, lastGrid.hour);
  const grid = columns.flatMap((x) => rows.map((y) => ({ x, y })));
  return [
    ...portraitTimes(past).map(({ time, plant: { x, y } }) => ({ time, x, y })),
    ...grid.map((place, index) => ({ ...place, time: start + index * gridInterval })),
  ];
}

/** Draws a photo from what stood at its place when it was taken, as JPEG. */
export function drawPastPhoto(past: DemoPast, { time, x, y }: PastPhoto): Promise<Buffer> {
  const plants = past.plants.flatMap((plant) => {
    const radius = past.radiusOf(plant, time);
    return radius === null
      ? []
      : [{ pointer_type: 'Plant', openfarm_slug: plant.crop.slug, x: plant.x, y: plant.y, radius }];
  });
  const weeds = demoWeeds(past).filter(({ since }) => since <= time);
  return drawGarden({ x, y, z: 0 }, [...plants, ...weeds.map(({ body }) => body)]);
}

/** Returns the key of a photo of a seeding: the same for each attempt, so that retries overwrite its files. */
export const photoKeyOf = (seeding: string, index: number): string =>
  createHash('sha256').update(`${seeding} ${index}`).digest('hex').slice(0, 32);

/** Creates the records of stored photos of the past, and announces them. */
export async function layPhotos(scope: DeviceScope, past: DemoPast, stored: readonly StoredPhoto[]): Promise<void> {
  const photos = pastPhotos(past);
  const rows = stored.flatMap((file, index) => {
    const photo = photos[index];
    if (!photo) return [];
    const { time, x, y } = photo;
    const name = `/tmp/images/${Math.floor(time / 1000)}`;
    return [{ ...file, ...madeAt(time), attachment_processed_at: timestamp(time), meta: { x, y, z: 0, name } }];
  });
  for (const { id } of await scope.insertAll(images, rows)) announceChanged(scope, images, id);
}
