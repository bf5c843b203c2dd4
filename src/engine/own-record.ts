import type { DeviceScope } from '../db/scope.ts';
import type { StandardColumns, Table } from '../db/table.ts';
import { externalTable } from '../db/table.ts';

const views = new Map<string, Table<StandardColumns, 'device'>>();

/** Returns a view of a device table that has only an id, so that the engine need not import the declaration. */
function ownTable(name: string): Table<StandardColumns, 'device'> {
  let view = views.get(name);
  if (!view) {
    view = externalTable(name, {});
    views.set(name, view);
  }
  return view;
}

/** Returns whether all ids are records of the scope's device in this table. One query. [decision 14] */
export async function ownsAll(scope: DeviceScope, name: string, ids: readonly number[]): Promise<boolean> {
  if (ids.length === 0) return true;
  const distinct = [...new Set(ids)];
  if (distinct.some((id) => id <= 0)) return false;
  return (await scope.count(ownTable(name), { where: { id: distinct } })) === distinct.length;
}
