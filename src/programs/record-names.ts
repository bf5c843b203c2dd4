import { column } from '../db/columns.ts';
import type { DeviceScope, Selection } from '../db/scope.ts';
import type { Table } from '../db/table.ts';
import { table } from '../db/table.ts';
import { checkProgram } from './checker.ts';
import type { TargetTable } from './corpus-args.ts';
import type { Names } from './program-text.ts';
import { referencedIds } from './references.ts';
import type { Tree } from './tree.ts';

type Named = readonly [Table<{ id: number }, 'device'>, Selection<[number, string]>];

/** Records belong to the garden; of them a text needs only what people call them. */
const named = (target: TargetTable, label: 'name' | 'label'): Named => [
  table(target, { device_id: column.bigint(), [label]: column.text() }, { reach: 'device' }),
  { key: 'name of named', expressions: ['"id"', `"${label}"`], read: ([id, name]) => [Number(id), String(name ?? '')] },
];

const tables: Readonly<Record<TargetTable, Named>> = {
  sequences: named('sequences', 'name'),
  tools: named('tools', 'name'),
  points: named('points', 'name'),
  point_groups: named('point_groups', 'name'),
  peripherals: named('peripherals', 'label'),
  sensors: named('sensors', 'label'),
};

/** What the device calls the records that a program names: one query for each kind of them. Foreign ones have no name here. */
export async function recordNames(scope: DeviceScope, tree: Tree): Promise<Names> {
  const names = new Map<TargetTable, ReadonlyMap<number, string>>();
  for (const [target, ids] of referencedIds(checkProgram(tree, 'all').diagnostics)) {
    const [from, selection] = tables[target];
    names.set(target, new Map(await scope.select(from, selection, { where: { id: ids } })));
  }
  return (target, id) => names.get(target)?.get(id) || undefined;
}
