import { timestamp } from '../core/clock.ts';
import { grownShare } from '../core/growth.ts';
import { startOfLocalDay } from '../core/local-day.ts';
import type { DeviceScope } from '../db/scope.ts';
import { devices } from '../device/devices.ts';
import type { CropSearch } from '../garden/crop-search.ts';
import type { DemoCrop } from './demo-crops.ts';
import { cropPositions, cropsOf } from './demo-crops.ts';
import type { ProductLine } from './product-lines.ts';

const hour = 3_600_000;
export const day = 24 * hour;

/** Days of the past in which the robot worked by its schedule. */
export const scheduledDays = 30;

/** The hour of the day at which plants were planted. */
export const plantingHour = 9;

/** The map where there is no robot, in mm. */
const defaultMap = [2900, 1230] as const;
/** The smallest radius of a plant, in mm. */
const seedling = 8;

/** A plant of a demo garden. Lengths in mm. */
export interface DemoPlant {
  readonly crop: DemoCrop;
  readonly x: number;
  readonly y: number;
  /** Days since it was planted, or until it is to be; null: it is only planned. */
  readonly age: number | null;
}

/** Returns the plants of a demo garden; those of one with a past are on its map. */
export function demoPlants(product: ProductLine | null, hasPast: boolean): DemoPlant[] {
  const bed = product?.frame.bed ?? 'standard';
  const [width, height] = product?.frame.map ?? defaultMap;
  return cropsOf(hasPast).flatMap((crop) =>
    cropPositions(crop, bed)
      .filter(({ x, y }) => !hasPast || (x <= width && y <= height))
      .map(({ x, y, column }) => ({
        crop,
        x,
        y,
        age: hasPast ? (crop.past.ages[column] ?? null) : crop.isPlanted ? 0 : null,
      })),
  );
}

/** The past of a demo garden, by the clock of the server and the days of the garden's time zone. [ADR 133] */
export class DemoPast {
  readonly product: ProductLine | null;
  readonly plants: readonly DemoPlant[];
  /** In ms since the epoch. */
  readonly now: number;
  readonly zone: string;
  readonly #crops: CropSearch;
  /** The starts of days: the tz database is slow. */
  readonly #starts = new Map<number, number>();

  constructor(product: ProductLine | null, crops: CropSearch, now: number, zone: string) {
    this.product = product;
    this.plants = demoPlants(product, true);
    this.now = now;
    this.zone = zone;
    this.#crops = crops;
  }

  /** Returns the time, in ms, of an hour of the day so many days ago. */
  at(daysAgo: number, hours: number): number {
    let start = this.#starts.get(daysAgo);
    if (start === undefined) {
      start = startOfLocalDay(this.zone, this.now - daysAgo * day);
      this.#starts.set(daysAgo, start);
    }
    return start + hours * hour;
  }

  /** Returns the radius of a plant at a time, in mm; null: it is not there. */
  radiusOf(plant: DemoPlant, time: number): number | null {
    const crop = this.#crops.get(plant.crop.slug);
    if (plant.age === null || !crop) return null;
    const planted = this.at(plant.age, plantingHour);
    if (planted > time) return null;
    return Math.max(seedling, Math.round((crop.spread * grownShare((time - planted) / day, crop)) / 2));
  }
}

/** Returns the past of a device's garden. */
export async function pastOf(scope: DeviceScope, product: ProductLine | null, crops: CropSearch): Promise<DemoPast> {
  const device = await scope.first(devices);
  return new DemoPast(product, crops, scope.clock.now(), device?.timezone ?? 'UTC');
}

/** Returns the times of a record that was made at a time, in ms. */
export function madeAt(time: number): { readonly created_at: string; readonly updated_at: string } {
  const created_at = timestamp(time);
  return { created_at, updated_at: created_at };
}
