import { harvestOf, plantedOn } from '../core/garden-time.ts';
import { languageOf } from '../core/languages.ts';
import { Message } from '../core/message.ts';
import type { DeviceScope } from '../db/scope.ts';
import { only } from '../db/table.ts';
import type { CropSearch } from '../garden/crop-search.ts';
import { points } from '../garden/points.ts';
import { sowingWindows } from '../timeline/sowing.ts';
import { say } from './messages.ts';
import type { Day, Item } from './today-items.ts';

const dayLength = 86_400_000;
/** Days that count as this week. */
const week = 7;
/** Crops in a sentence. */
const maxCrops = 8;

const plantFields = only(points, 'name', 'pointer_type', 'openfarm_slug', 'plant_stage', 'planted_at', 'discarded_at');

interface Plant {
  readonly id: number;
  readonly name: string;
  readonly openfarm_slug: string;
  readonly plant_stage: string;
  readonly planted_at: string | null;
}

/** Returns the crops of plants with their numbers, the most frequent first, as a sentence; nothing without plants. */
function cropItem(kind: 'ripe' | 'ripens' | 'sow', plants: readonly Plant[], catalog: CropSearch): Item[] {
  if (plants.length === 0) return [];
  const byCrop = new Map<string, number>();
  for (const { openfarm_slug, name } of plants) {
    const key = catalog.get(openfarm_slug) ? openfarm_slug : name;
    byCrop.set(key, (byCrop.get(key) ?? 0) + 1);
  }
  const crops = [...byCrop].sort(([, a], [, b]) => b - a);
  const named = crops.slice(0, maxCrops).map(([key, count]) => {
    const names = catalog.get(key)?.names;
    return say.several(names ? new Message((reader) => names[languageOf(reader)]) : key, count);
  });
  const rest = crops.length > maxCrops ? [say.more(crops.length - maxCrops)] : [];
  return [{ kind, message: say[kind]([...named, ...rest]), points: plants.map(({ id }) => id) }];
}

/** Whether a planned plant is to be sown or planted this week: by its date, or without one by its crop and the latitude of the garden. */
function isDue({ openfarm_slug, planted_at }: Plant, day: Day, latitude: number | null, catalog: CropSearch): boolean {
  if (planted_at !== null) return Date.parse(planted_at) < day.start + (week + 1) * dayLength;
  const crop = catalog.get(openfarm_slug);
  return (
    crop !== undefined && sowingWindows([crop], latitude, day.date(), day.date(week)).some(({ indoors }) => !indoors)
  );
}

/** Returns what is ripe, will be within a week, and is to be sown this week. */
export async function plantItems(
  scope: DeviceScope,
  day: Day,
  latitude: number | null,
  catalog: CropSearch,
): Promise<Item[]> {
  const plants: readonly Plant[] = await scope.rows(plantFields, {
    where: { pointer_type: 'Plant', discarded_at: null },
  });
  const harvests = plants
    .filter(({ plant_stage }) => plant_stage !== 'planned')
    .map((plant) => ({
      plant,
      from:
        harvestOf({ ...plant, planted: plantedOn(plant.planted_at) }, catalog.get(plant.openfarm_slug))?.from ??
        Number.POSITIVE_INFINITY,
    }));
  const isRipe = (from: number): boolean => from <= day.now;
  const ripe = harvests.filter(({ from }) => isRipe(from));
  const ripens = harvests.filter(({ from }) => !isRipe(from) && from <= day.now + week * dayLength);
  const due = plants.filter((plant) => plant.plant_stage === 'planned' && isDue(plant, day, latitude, catalog));
  return [
    ...cropItem(
      'ripe',
      ripe.map(({ plant }) => plant),
      catalog,
    ),
    ...cropItem(
      'ripens',
      ripens.map(({ plant }) => plant),
      catalog,
    ),
    ...cropItem('sow', due, catalog),
  ];
}
