import { announceChanged, insertRecord } from '../engine/records.ts';
import { plantTemplates } from '../garden/plant-templates.ts';
import { savedGardens } from '../garden/saved-gardens.ts';
import type { DemoPast } from './demo-past.ts';
import { madeAt } from './demo-past.ts';
import type { GardenSeeder } from './garden-seeder.ts';

const name = 'Next season';
const notes =
  'Tomatoes where the broccoli stands now, carrots and onions in the front rows. The spinach was good: again in autumn.';

/** The rows of the saved garden. Lengths in mm. */
const rows = [
  { name: 'Carrot', openfarm_slug: 'carrot', y: 100, firstX: 300, stepX: 100, count: 25 },
  { name: 'Onion', openfarm_slug: 'onion', y: 300, firstX: 300, stepX: 125, count: 20 },
  { name: 'Tomato', openfarm_slug: 'tomato', y: 700, firstX: 600, stepX: 700, count: 4 },
] as const;

/** Days ago when it was saved. */
const age = 12;

/** Creates a saved garden with notes: the plan of the next season. */
export async function seedPlan(seeder: GardenSeeder, past: DemoPast): Promise<void> {
  const { scope } = seeder;
  const times = madeAt(past.at(age, 20));
  const { id: saved_garden_id } = await insertRecord(scope, savedGardens, seeder.inWords({ name, notes, ...times }));
  const templates = rows.flatMap(({ firstX, stepX, count, ...row }) =>
    Array.from({ length: count }, (_, index) => ({
      ...seeder.inWords(row),
      x: firstX + index * stepX,
      z: 0,
      radius: 25,
      depth: 0,
      saved_garden_id,
      ...times,
    })),
  );
  for (const { id } of await scope.insertAll(plantTemplates, templates)) announceChanged(scope, plantTemplates, id);
}
