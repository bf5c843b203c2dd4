import { invalid, refused } from '../core/errors.ts';
import { labels } from '../core/field-labels.ts';
import type { DeviceScope, Insertable } from '../db/scope.ts';
import type { Body } from '../engine/body.ts';
import { assertValid, parseBody } from '../engine/body.ts';
import { fieldFailuresSchema } from '../engine/failure-schemas.ts';
import { text } from '../engine/fields.ts';
import { announceChanged, find, insertRecord } from '../engine/records.ts';
import { objectBody, parseId } from '../engine/resource-routes.ts';
import type { DeviceRoute } from '../engine/route.ts';
import { emptyReply } from '../engine/route.ts';
import { inputSchema } from '../engine/schemas.ts';
import type { Compatibility } from './compatibility.ts';
import { say } from './messages.ts';
import { plantTemplates } from './plant-templates.ts';
import { purgeArchivedPoints, removePoints } from './point-lifecycle.ts';
import type { Point } from './points.ts';
import { coordinateLimit, maxStoredPoints, notArchived, points } from './points.ts';
import { savedGardens } from './saved-gardens.ts';

/** The fields of a snapshot's body, all optional. [decision 42] */
const snapshotFields = {
  name: text().default('Untitled Garden').label(labels.name),
  notes: savedGardens.fields.notes,
};

const findPlants = (scope: DeviceScope): Promise<Point[]> =>
  scope.rows(points, { where: { pointer_type: 'Plant', ...notArchived } });

const { saved_garden_id: _, ...layout } = plantTemplates.fields;
type Layout = Pick<Point, keyof typeof layout>;

/** Returns the values that a plant and its template have in common. [rule G19] */
const toLayout = (source: Layout): Layout =>
  Object.fromEntries(Object.keys(layout).map((name) => [name, source[name as keyof Layout]])) as Layout;

/** The default values of a plant. */
const newPlant = parseBody(points.fields, { pointer_type: 'Plant', x: 0, y: 0 }, 'create').values as Insertable<Point>;

/** Saves the current plants as a new garden. */
async function takeSnapshot(scope: DeviceScope, body: Body): Promise<void> {
  const parsed = parseBody(snapshotFields, body, 'create');
  assertValid(parsed);
  const { name, notes } = parsed.values as { name: string; notes: string | null };
  const garden = await insertRecord(scope, savedGardens, { name, notes });
  const templates = await scope.insertAll(
    plantTemplates,
    (await findPlants(scope)).map((plant) => ({ ...toLayout(plant), saved_garden_id: garden.id })),
  );
  for (const { id } of templates) announceChanged(scope, plantTemplates, id);
}

/** Deletes the archived points if the plants of a saved garden would be too many points with them. [ADR 91] */
async function makeRoom(scope: DeviceScope, gardenId: number): Promise<void> {
  const added = await scope.count(plantTemplates, { where: { saved_garden_id: gardenId } });
  if ((await scope.count(points)) + added > maxStoredPoints) await purgeArchivedPoints(scope);
}

/** Creates a plant of each template, without checking the limit of points. [rule G19] */
async function addPlants(scope: DeviceScope, gardenId: number): Promise<void> {
  const templates = await scope.rows(plantTemplates, { where: { saved_garden_id: gardenId } });
  const tooFar = templates.find(({ x, y, z }) => Math.max(x, y, z) >= coordinateLimit);
  if (tooFar) throw refused(say.tooFar(tooFar.name, coordinateLimit));
  const plants = await scope.insertAll(
    points,
    templates.map((template) => ({ ...newPlant, ...toLayout(template) })),
  );
  for (const { id } of plants) announceChanged(scope, points, id);
}

/** Returns the routes of saved gardens that they do not declare. */
export function savedGardenRoutes(compatibility: Compatibility): DeviceRoute[] {
  const common = { access: 'token', tag: savedGardens.options.tag, replies: { 200: 'empty' } } as const;
  const findGarden = (scope: DeviceScope, id: string | undefined) =>
    find(scope, savedGardens, parseId(id, savedGardens.singular));
  return [
    {
      ...common,
      method: 'POST',
      path: '/api/saved_gardens/snapshot',
      summary: 'Save the current plants as a new garden',
      description: 'Stores the plants of the map as templates of a new saved garden.',
      body: { rule: 'optional', schema: inputSchema(snapshotFields, 'create', 'SnapshotInput') },
      async handle(scope, call) {
        await takeSnapshot(scope, objectBody(call));
        return emptyReply;
      },
    },
    {
      ...common,
      method: 'POST',
      path: '/api/saved_gardens/:id/apply',
      summary: 'Replace all plants by those of a saved garden',
      description: 'Removes the plants of the map, and plants those of the saved garden.',
      replies: { 200: 'empty', 422: fieldFailuresSchema },
      async handle(scope, call) {
        const { id } = await findGarden(scope, call.params.id);
        await makeRoom(scope, id);
        // The plants are archived. [decision 44]
        await removePoints(scope, await findPlants(scope), compatibility);
        await addPlants(scope, id);
        return emptyReply;
      },
    },
    {
      ...common,
      method: 'PATCH',
      path: '/api/saved_gardens/:id/apply',
      summary: 'Add the plants of a saved garden, if there are no plants',
      description: 'Plants the templates of the saved garden. 422 if there are plants on the map.',
      replies: { 200: 'empty', 422: fieldFailuresSchema },
      async handle(scope, call) {
        const { id } = await findGarden(scope, call.params.id);
        const isEmpty = (await scope.count(points, { where: { pointer_type: 'Plant', ...notArchived } })) === 0;
        if (compatibility.applyRefusesPlants && !isEmpty) throw invalid({ whoops: say.plantsInGarden });
        await makeRoom(scope, id);
        await addPlants(scope, id);
        return emptyReply;
      },
    },
  ];
}
