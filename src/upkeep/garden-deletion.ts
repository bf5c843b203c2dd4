import { yieldToRequests } from '../core/request-pause.ts';
import type { DeviceScope } from '../db/scope.ts';
import type { StandardColumns, Table } from '../db/table.ts';
import { changeDevice, ownDevice } from '../device/devices.ts';
import { announceChanged, announceDeleted } from '../engine/records.ts';
import { folders } from '../garden/folders.ts';
import { programReferences } from '../programs/program-references.ts';
import { loggedResources, tables } from '../resources.ts';
import { endAllSeries } from '../series/series-store.ts';

/** Schedules the deletion of the files of a device's photos after the commit. Must be called before the rows are deleted. */
export type DeletePhotos = (scope: DeviceScope) => Promise<void>;

type GardenTable = Table<StandardColumns, 'device'>;

const isOfDevice = (table: Table): table is GardenTable => table.reach === 'device';

const referencedTables = ({ columns }: Table): string[] =>
  Object.values(columns).flatMap(({ foreignKey }) => (foreignKey ? [foreignKey.table] : []));

const resourceNames = new Set(loggedResources.map(({ name }) => name));

/** Whether a table holds resources, rows that reference them, or the uses of programs. Usage counters of the language model are not part of the garden. */
const isGarden = (table: GardenTable): boolean =>
  resourceNames.has(table.name) ||
  table.name === programReferences.name ||
  referencedTables(table).some((target) => resourceNames.has(target));

/** All tables of the garden, in an order in which their rows can be deleted: referencing tables first. */
export const gardenTables: readonly GardenTable[] = sortForDeletion(tables.filter(isOfDevice).filter(isGarden));

function sortForDeletion(all: readonly GardenTable[]): GardenTable[] {
  const remaining = new Set(all);
  const ordered: GardenTable[] = [];
  while (remaining.size > 0) {
    // Rows of a table that reference each other are deleted by one statement.
    const referenced = new Set(
      [...remaining].flatMap((table) => referencedTables(table).filter((name) => name !== table.name)),
    );
    const free = [...remaining].filter(({ name }) => !referenced.has(name));
    if (free.length === 0) throw new Error('tables reference each other in a cycle');
    for (const table of free) {
      ordered.push(table);
      remaining.delete(table);
    }
  }
  return ordered;
}

const optionsByTable = new Map(loggedResources.map(({ name, options }) => [name, options]));

/** Deletes all records of a device permanently, including configs and archived points, whether in use or not, and announces it. Requires a transaction. */
export async function deleteGarden(scope: DeviceScope, deletePhotos: DeletePhotos): Promise<void> {
  await deletePhotos(scope);
  for (const table of gardenTables) {
    await yieldToRequests();
    const rows = await scope.delete(table, {});
    const options = optionsByTable.get(table.name);
    if (options) for (const { id } of rows) announceDeleted(scope, { options }, id);
  }
  await endAllSeries(scope);
}

/** Unmounts the tool and flattens the folders, which `DELETE /api/users` does before its job runs. Requires a transaction. [rule T8] */
export async function prepareAccountDeletion(scope: DeviceScope): Promise<void> {
  await changeDevice(scope, await ownDevice(scope), { mounted_tool_id: null });
  const nested = await scope.update(folders, { parent_id: null }, { where: { parent_id: { not: null } } });
  for (const { id } of nested) announceChanged(scope, folders, id);
}
