import { column } from '../db/columns.ts';
import type { DeviceScope, Selection } from '../db/scope.ts';
import type { Table } from '../db/table.ts';
import { externalTable } from '../db/table.ts';

/** The tables whose records programs name by id: the noun for messages, the column with a record's name, and the kind of its ordinary use. */
export const targets = {
  sequences: { noun: 'sequence', label: 'name', use: 'sequence' },
  tools: { noun: 'tool', label: 'name', use: 'tool' },
  points: { noun: 'point', label: 'name', use: 'point' },
  point_groups: { noun: 'point group', label: 'name', use: 'point_group' },
  peripherals: { noun: 'peripheral', label: 'label', use: 'peripheral' },
  sensors: { noun: 'sensor', label: 'label', use: 'sensor' },
} as const;

export type TargetTable = keyof typeof targets;

export const targetTables = Object.keys(targets) as readonly TargetTable[];

/** The table of each kind of use that `program_references` stores. `mounted_tool`: a step marks the tool as mounted; `resource`: a step changes the point. [rule P35] */
export const tablesByUse = {
  tool: 'tools',
  mounted_tool: 'tools',
  point: 'points',
  resource: 'points',
  point_group: 'point_groups',
  peripheral: 'peripherals',
  sensor: 'sensors',
  sequence: 'sequences',
  regimen: 'regimens',
} as const satisfies Readonly<Record<string, TargetTable | 'regimens'>>;

/** A record that a program names. */
interface TargetRecord {
  readonly id: number;
  readonly label: string;
  /** Null for records that are not points. */
  readonly pointerType: string | null;
  readonly isArchived: boolean;
}

interface TargetView {
  readonly table: Table<{ id: number }, 'device'>;
  readonly selection: Selection<TargetRecord>;
}

// The tables belong to other rooms; these views have only the columns that programs need.
function createView(name: TargetTable): TargetView {
  const { label } = targets[name];
  const pointColumns = name === 'points' && { pointer_type: column.text(), discarded_at: column.time().nullable() };
  return {
    table: externalTable(name, { [label]: column.text(), ...pointColumns }),
    selection: {
      key: 'program target',
      expressions: ['"id"', `"${label}"`, ...Object.keys(pointColumns || {}).map((each) => `"${each}"`)],
      read: ([id, text, pointerType = null, discardedAt = null]) => ({
        id: Number(id),
        label: String(text ?? ''),
        pointerType: pointerType === null ? null : String(pointerType),
        isArchived: discardedAt !== null,
      }),
    },
  };
}

export const targetViews = Object.fromEntries(targetTables.map((name) => [name, createView(name)])) as Readonly<
  Record<TargetTable, TargetView>
>;

/** Returns the device's records with these ids, in one query. */
export function findTargets(scope: DeviceScope, name: TargetTable, ids: readonly number[]): Promise<TargetRecord[]> {
  const view = targetViews[name];
  return scope.select(view.table, view.selection, { where: { id: ids } });
}
