import type { DeviceScope } from '../db/scope.ts';
import type { StandardColumns, Table } from '../db/table.ts';
import { changeDevice, ownDevice } from '../device/devices.ts';
import { announceChanged, announceDeleted } from '../engine/records.ts';
import { folders } from '../garden/folders.ts';
import { programReferences } from '../programs/program-references.ts';
import { resources, tables } from '../resources.ts';

/** Has the files of a device's photos deleted once the transaction is committed; before the rows that name them go. */
export type DeletePhotos = (scope: DeviceScope) => Promise<void>;

type GardenTable = Table<StandardColumns, 'device'>;

const isOfDevice = (table: Table): table is GardenTable => table.reach === 'device';

const targetsOf = ({ columns }: Table): string[] =>
  Object.values(columns).flatMap(({ foreignKey }) => (foreignKey ? [foreignKey.table] : []));

const resourceNames = new Set(resources.map(({ name }) => name));

/** Resources, what points to their records, and what programs use. What is counted against a device (its use of the language model) is no part of it. */
const isGarden = (table: GardenTable): boolean =>
  resourceNames.has(table.name) ||
  table.name === programReferences.name ||
  targetsOf(table).some((target) => resourceNames.has(target));

/** Every table that holds what a device's people made, in an order in which all rows can be deleted: what points to others first. */
export const gardenTables: readonly GardenTable[] = inOrderOfDeletion(tables.filter(isOfDevice).filter(isGarden));

function inOrderOfDeletion(all: readonly GardenTable[]): GardenTable[] {
  const left = new Set(all);
  const ordered: GardenTable[] = [];
  while (left.size > 0) {
    // Rows of one table that point to each other go with one statement.
    const pointedTo = new Set([...left].flatMap((table) => targetsOf(table).filter((name) => name !== table.name)));
    const free = [...left].filter(({ name }) => !pointedTo.has(name));
    if (free.length === 0) throw new Error('tables point to each other in a circle');
    for (const table of free) {
      ordered.push(table);
      left.delete(table);
    }
  }
  return ordered;
}

const announcedAs = new Map(resources.map(({ name, options }) => [name, options]));

/** Deletes everything that a device's people made, configs and what is archived included, for good and whatever uses it. In a transaction; each record is announced as gone. */
export async function deleteGarden(scope: DeviceScope, forgetPhotos: DeletePhotos): Promise<void> {
  await forgetPhotos(scope);
  for (const table of gardenTables) {
    const rows = await scope.delete(table, {});
    const options = announcedAs.get(table.name);
    if (options) for (const { id } of rows) announceDeleted(scope, { options }, id);
  }
}

/** What a deletion of the account does at once: the tool is taken off and all folders lie side by side. In a transaction. [reference 15] */
export async function prepareAccountDeletion(scope: DeviceScope): Promise<void> {
  await changeDevice(scope, await ownDevice(scope), { mounted_tool_id: null });
  const nested = await scope.update(folders, { parent_id: null }, { where: { parent_id: { not: null } } });
  for (const { id } of nested) announceChanged(scope, folders, id);
}
