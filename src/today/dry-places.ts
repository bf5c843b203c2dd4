import { timestamp } from '../core/clock.ts';
import type { DeviceScope } from '../db/scope.ts';
import { only } from '../db/table.ts';
import { points } from '../garden/points.ts';
import { sensorReadings } from '../garden/sensor-readings.ts';
import { sensors } from '../garden/sensors.ts';
import { say } from './messages.ts';
import type { Day, Item } from './today-items.ts';

/** Below this part of the way from dry to wet, soil is dry. */
const dryShare = 0.3;
/** How long a reading counts, in ms: rain and waterings are not measured. */
const maxAge = 2 * 86_400_000;
/** Readings closer than this are of one place, and a plant as far away is what it is called after; in mm. */
const [samePlace, nearPlant] = [50, 300];
/** Places in the sentence. */
const maxPlaces = 3;

const readingFields = only(sensorReadings, 'pin', 'value', 'x', 'y', 'read_at', 'mode');
const plantFields = only(points, 'name', 'pointer_type', 'x', 'y', 'discarded_at');

/** Returns a sentence about places whose last reading, by a calibrated sensor, is dry; the driest first. */
export async function dryPlaces(scope: DeviceScope, day: Day): Promise<Item[]> {
  const calibrated = (await scope.rows(sensors)).filter(
    ({ dry_reading, wet_reading }) => dry_reading !== null && wet_reading !== null,
  );
  if (calibrated.length === 0) return [];
  const shares = new Map(
    calibrated.map(({ pin, dry_reading, wet_reading }) => {
      const [dry, wet] = [dry_reading ?? 0, wet_reading ?? 0];
      return [pin, (value: number) => Math.min(1, Math.max(0, (value - dry) / (wet - dry)))] as const;
    }),
  );
  const readings = await scope.rows(readingFields, {
    where: { pin: [...shares.keys()], mode: 1, read_at: { gte: timestamp(day.now - maxAge) } },
    order: [['read_at', 'desc']],
  });
  const last = new Map<string, { readonly x: number; readonly y: number; readonly share: number }>();
  for (const { pin, value, x, y } of readings) {
    const share = shares.get(pin)?.(value);
    if (x === null || y === null || share === undefined) continue;
    const key = [pin, Math.round(x / samePlace), Math.round(y / samePlace)].join(' ');
    if (!last.has(key)) last.set(key, { x, y, share });
  }
  const dry = [...last.values()].filter(({ share }) => share < dryShare).sort((a, b) => a.share - b.share);
  if (dry.length === 0) return [];
  const plants = await scope.rows(plantFields, { where: { pointer_type: 'Plant', discarded_at: null } });
  const named = dry.map(({ x, y, share }) => {
    const distance = (plant: { readonly x: number; readonly y: number }): number =>
      Math.hypot(plant.x - x, plant.y - y);
    const [plant] = plants.filter((each) => distance(each) <= nearPlant).sort((a, b) => distance(a) - distance(b));
    const percent = Math.round(share * 100);
    return { plant, text: plant ? say.dryAt(plant.name, x, y, percent) : say.dryPlace(x, y, percent) };
  });
  const rest = named.length > maxPlaces ? [say.more(named.length - maxPlaces)] : [];
  return [
    {
      kind: 'dry',
      message: say.dry([...named.slice(0, maxPlaces).map(({ text }) => text), ...rest]),
      points: [...new Set(named.flatMap(({ plant }) => (plant ? [plant.id] : [])))],
    },
  ];
}
