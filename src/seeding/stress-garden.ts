import { timestamp } from '../core/clock.ts';
import type { DeviceScope, Insertable } from '../db/scope.ts';
import { changeLimits } from '../device/device-limits.ts';
import { webAppConfig } from '../device/web-app-config.ts';
import { updateRecord } from '../engine/records.ts';
import { loadSingleton } from '../engine/singleton.ts';
import type { Point } from '../garden/points.ts';
import { points } from '../garden/points.ts';
import { sensorReadings } from '../garden/sensor-readings.ts';
import { images } from '../photos/images.ts';
import { crops } from './demo-crops.ts';
import { pointOf, soilPoint } from './demo-garden.ts';
import type { StoredPhoto } from './stored-photos.ts';

// Gardens for stress tests of clients. Their records are not announced. [rule S12]

/** Shows all layers of the map and raises the limit of photos. [rule S12] */
export async function applyStressSettings(scope: DeviceScope, count: number): Promise<void> {
  await changeLimits(scope, { photos: count });
  await updateRecord(scope, webAppConfig, await loadSingleton(scope, webAppConfig), {
    show_images: true,
    show_points: true,
    show_plants: true,
    show_sensor_readings: true,
    show_moisture_interpolation_map: true,
    show_weeds: true,
    show_spread: true,
  });
}

/** The offset of one kind of record, in mm. */
interface Shift {
  readonly dx: number;
  readonly dy: number;
  readonly isRounded?: true;
}

const shifts = {
  plant: { dx: 0, dy: 0 },
  soil: { dx: 35, dy: 20, isRounded: true },
  weed: { dx: 70, dy: 40 },
  image: { dx: 105, dy: 60 },
  parsed: { dx: 140, dy: 80 },
} as const satisfies Record<string, Shift>;

const margin = 100;

/** Returns the i-th of `count` positions spread evenly over a map, in mm. */
export function stressPosition(i: number, count: number, map: readonly [number, number], shift: Shift) {
  const columns = Math.ceil(Math.sqrt(count));
  const rows = Math.ceil(count / columns);
  const along = (index: number, of: number, length: number, by: number): number => {
    const place = margin + (index * (length - 2 * margin)) / Math.max(1, of - 1) + by;
    const rounded = shift.isRounded ? Math.round(place / 10) * 10 : Math.round(place);
    return Math.min(length, Math.max(0, rounded));
  };
  const { dx, dy } = shift;
  return {
    x: along(i % columns, columns, map[0], dx),
    y: along(Math.floor(i / columns), rows, map[1], dy),
  };
}

/** Creates `count` plants, soil heights, weeds, photos and sensor readings, each a second older than the previous one, unless they exist. [rule S12] */
export async function seedStress(scope: DeviceScope, count: number, picture: StoredPhoto): Promise<void> {
  if (await scope.first(points, { where: { name: weedName(0), discarded_at: null } })) return;
  const { map_size_x, map_size_y } = await loadSingleton(scope, webAppConfig);
  const map = [map_size_x, map_size_y] as const;
  const now = scope.clock.now();
  const records = Array.from({ length: count }, (_, i) => {
    const created_at = timestamp(now - i * 1000);
    const at = (kind: keyof typeof shifts) => stressPosition(i, count, map, shifts[kind]);
    return { i, at, times: { created_at, updated_at: created_at } };
  });
  await insertPoints(scope, records, ({ i, at, times }) => ({
    ...cropOf(i),
    pointer_type: 'Plant',
    ...at('plant'),
    z: 0,
    radius: 25,
    depth: 5,
    plant_stage: i % 2 === 0 ? 'planted' : 'planned',
    planted_at: times.created_at,
  }));
  await insertPoints(scope, records, ({ i, at }) => ({ ...soilPoint, ...at('soil'), z: -550 + (i % 101) }));
  await insertPoints(scope, records, ({ i, at }) => ({
    pointer_type: 'Weed',
    name: weedName(i),
    ...at('weed'),
    z: 0,
    radius: 20 + (i % 6),
    plant_stage: 'active',
    meta: { color: i % 2 === 0 ? 'red' : 'yellow' },
  }));
  await scope.insertAll(
    images,
    records.map(({ i, at, times }) => ({
      ...picture,
      ...times,
      attachment_processed_at: times.created_at,
      meta: { ...at('image'), z: 0, name: `Stress Image ${i + 1}` },
    })),
  );
  await scope.insertAll(
    sensorReadings,
    records.map(({ i, at, times }) => ({
      ...times,
      ...at('parsed'),
      z: 0,
      pin: 59,
      mode: 1,
      value: 300 + ((37 * i) % 600),
      read_at: times.created_at,
    })),
  );
}

interface StressRecord {
  readonly i: number;
  readonly at: (kind: keyof typeof shifts) => { x: number; y: number };
  readonly times: Pick<Point, 'created_at' | 'updated_at'>;
}

async function insertPoints(
  scope: DeviceScope,
  records: readonly StressRecord[],
  bodyOf: (record: StressRecord) => object,
): Promise<void> {
  const rows = records.map((record): Insertable<Point> => ({ ...pointOf(bodyOf(record)), ...record.times }));
  await scope.insertAll(points, rows);
}

const weedName = (i: number): string => `Stress Weed ${i + 1}`;

function cropOf(i: number): { name: string; openfarm_slug: string } {
  const crop = crops[i % crops.length];
  if (!crop) throw new Error('demos have no crops');
  return { name: crop.name, openfarm_slug: crop.slug };
}
