import { currentTimestamp } from '../core/clock.ts';
import { column } from '../db/columns.ts';
import type { DeviceScope } from '../db/scope.ts';
import type { RowOf } from '../db/table.ts';
import { table } from '../db/table.ts';
import { farmEvents } from './farm-events.ts';
import { toPrintable } from './problem.ts';
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
export interface RecordUse {
  readonly ownerKind: OwnerKind;
  readonly ownerId: number;
  /** What people call it: a name in quotes, or the date on which a farm event begins. */
  readonly ownerName: string;
  readonly targetKind: TargetKind;
  readonly targetId: number;
}

/** Who uses any of these records: one query for the uses and one for each kind of owner's names. */
export async function findUses(
  scope: DeviceScope,
  kinds: readonly TargetKind[],
  ids: readonly number[],
  owners: readonly OwnerKind[] = ['Sequence', 'Regimen', 'FarmEvent'],
): Promise<RecordUse[]> {
  if (ids.length === 0) return [];
  const rows = await scope.rows(programReferences, {
    where: { target_kind: kinds, target_id: ids, owner_kind: owners },
  });
  if (rows.length === 0) return [];
  const names = await ownerNames(scope, rows);
  return rows.map((row) => ({
    ownerKind: row.owner_kind as OwnerKind,
    ownerId: row.owner_id,
    ownerName: names.get(`${row.owner_kind} ${row.owner_id}`) ?? `with the ID ${row.owner_id}`,
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
      names.set(`Sequence ${id}`, quoted(name));
  if (regimenIds.length > 0)
    for (const { id, name } of await scope.rows(regimens, { where: { id: regimenIds } }))
      names.set(`Regimen ${id}`, quoted(name));
  if (eventIds.length > 0)
    for (const { id, start_time } of await scope.rows(farmEvents, { where: { id: eventIds } }))
      names.set(`FarmEvent ${id}`, dateOf(start_time, currentTimestamp(scope.clock)));
  return names;
}

const quoted = (name: string): string => `'${toPrintable(name)}'`;

/** `06/30`, with the year where it is not the present one. [reference 4.5] */
function dateOf(time: string | null, now: string): string {
  const [year = '', month, day] = (time ?? now).slice(0, 10).split('-');
  return `${month}/${day}${now.startsWith(year) ? '' : `/${year.slice(2)}`}`;
}

/** What people call one user of something, and several of them. */
export type Words = readonly [one: string, several: string];

const ownerWords: Readonly<Record<OwnerKind, Words>> = {
  FarmEvent: ['the farm event of', 'the farm events of'],
  Regimen: ['the regimen', 'the regimens'],
  Sequence: ['the sequence', 'the sequences'],
};

/** Names of one kind of users that a sentence tells at most. */
const mostNames = 10;

/** `the pins 3, 4`, equal names once; nothing where there are none. */
export function namedGroup([one, several]: Words, names: readonly string[]): string[] {
  if (names.length === 0) return [];
  const different = [...new Set(names)];
  const told = different.slice(0, mostNames);
  if (different.length > mostNames) told.push(`${different.length - mostNames} more`);
  return [`${names.length === 1 ? one : several} ${told.join(', ')}`];
}

/** The owners, one group for each kind: `the farm event of 12/01`, `the sequences 'A', 'B'`. */
export function ownerGroups(uses: readonly RecordUse[]): string[] {
  const owners = new Map(uses.map((use) => [`${use.ownerKind} ${use.ownerId}`, use]));
  return (['FarmEvent', 'Regimen', 'Sequence'] as const).flatMap((kind) =>
    namedGroup(
      ownerWords[kind],
      [...owners.values()].filter(({ ownerKind }) => ownerKind === kind).map(({ ownerName }) => ownerName),
    ),
  );
}

/** The owners for a sentence: `the regimen 'Spring' and the sequences 'A', 'B'`. */
export const describeOwners = (uses: readonly RecordUse[]): string => ownerGroups(uses).join(' and ');
