import { column } from '../db/columns.ts';
import type { DeviceScope } from '../db/scope.ts';
import type { RowOf } from '../db/table.ts';
import { table } from '../db/table.ts';
import { farmEvents } from './farm-events.ts';
import { regimens } from './regimens.ts';
import { sequences } from './sequences.ts';

/** What programs can use. `mounted_tool` is a tool that a step marks as mounted; `resource` is a point that a step changes (weeds do not count). */
export type TargetKind =
  | 'tool'
  | 'mounted_tool'
  | 'point'
  | 'resource'
  | 'point_group'
  | 'peripheral'
  | 'sensor'
  | 'sequence'
  | 'regimen';

/** Who can use something. */
export type OwnerKind = 'Sequence' | 'Regimen' | 'FarmEvent';

/** Every "this program uses that record": one row each, written with the program in one transaction. */
export const programReferences = table(
  'program_references',
  {
    device_id: column.bigint().references('devices'),
    owner_kind: column.text(),
    owner_id: column.bigint(),
    target_kind: column.text(),
    target_id: column.bigint(),
  },
  {
    reach: 'device',
    unique: [['device_id', 'owner_kind', 'owner_id', 'target_kind', 'target_id']],
    indexes: [['device_id', 'target_kind', 'target_id']],
  },
);

export type ProgramReference = RowOf<typeof programReferences>;

/** One use of a record: by whom, with the name to tell people. */
export interface Use {
  readonly ownerKind: OwnerKind;
  readonly ownerId: number;
  /** `Sequence 'Water'`, `FarmEvent 2026-11-21`. */
  readonly owner: string;
  readonly targetKind: TargetKind;
  readonly targetId: number;
}

/** Who uses any of these records: one query for the uses and one for each kind of owner's names. */
export async function usesOf(
  scope: DeviceScope,
  kinds: readonly TargetKind[],
  ids: readonly number[],
  owners: readonly OwnerKind[] = ['Sequence', 'Regimen', 'FarmEvent'],
): Promise<Use[]> {
  if (ids.length === 0) return [];
  const rows = await scope.rows(programReferences, {
    where: { target_kind: kinds, target_id: ids, owner_kind: owners },
  });
  if (rows.length === 0) return [];
  const names = await ownerNames(scope, rows);
  return rows.map((row) => ({
    ownerKind: row.owner_kind as OwnerKind,
    ownerId: row.owner_id,
    owner: names.get(`${row.owner_kind} ${row.owner_id}`) ?? `${row.owner_kind} ${row.owner_id}`,
    targetKind: row.target_kind as TargetKind,
    targetId: row.target_id,
  }));
}

async function ownerNames(scope: DeviceScope, rows: readonly ProgramReference[]): Promise<Map<string, string>> {
  const idsOf = (kind: OwnerKind): number[] => [
    ...new Set(rows.filter(({ owner_kind }) => owner_kind === kind).map(({ owner_id }) => owner_id)),
  ];
  const names = new Map<string, string>();
  const sequenceIds = idsOf('Sequence');
  const regimenIds = idsOf('Regimen');
  const eventIds = idsOf('FarmEvent');
  if (sequenceIds.length > 0)
    for (const { id, name } of await scope.rows(sequences, { where: { id: sequenceIds } }))
      names.set(`Sequence ${id}`, `Sequence '${name}'`);
  if (regimenIds.length > 0)
    for (const { id, name } of await scope.rows(regimens, { where: { id: regimenIds } }))
      names.set(`Regimen ${id}`, `Regimen '${name}'`);
  if (eventIds.length > 0)
    for (const { id, start_time } of await scope.rows(farmEvents, { where: { id: eventIds } }))
      names.set(`FarmEvent ${id}`, `FarmEvent ${start_time?.slice(0, 10) ?? id}`);
  return names;
}

/** Owners that a sentence names at most. */
const mostNamed = 20;

/** The owners' names once each, for a sentence: `Sequence 'A' and Sequence 'B'`. */
export function ownersText(uses: readonly Use[]): string {
  const all = [...new Set(uses.map(({ owner }) => owner))];
  const names = all.slice(0, mostNamed);
  if (all.length > mostNamed) names.push(`${all.length - mostNamed} more`);
  const last = names.pop();
  return names.length > 0 ? `${names.join(', ')} and ${last}` : (last ?? '');
}
