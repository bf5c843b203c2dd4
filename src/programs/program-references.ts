import { currentTimestamp } from '../core/clock.ts';
import { column } from '../db/columns.ts';
import type { DeviceScope } from '../db/scope.ts';
import type { RowOf } from '../db/table.ts';
import { table } from '../db/table.ts';
import { farmEvents } from './farm-events.ts';
import { printableText } from './problem.ts';
import { regimens } from './regimens.ts';
import { sequences } from './sequences.ts';
import type { tablesByUse } from './targets.ts';

/** A kind of use, see {@link tablesByUse}. */
export type TargetKind = keyof typeof tablesByUse;

/** A kind of record that contains a program. */
export type OwnerKind = 'Sequence' | 'Regimen' | 'FarmEvent';

/** One row for each record that a program uses, written in the transaction that stores the program. */
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
    maximum: { rows: 100_000, key: 'reference_count' },
    unique: [['device_id', 'owner_kind', 'owner_id', 'target_kind', 'target_id']],
    indexes: [['device_id', 'target_kind', 'target_id']],
  },
);

export type ProgramReference = RowOf<typeof programReferences>;

/** One use of a record by a program. */
export interface RecordUse {
  readonly ownerKind: OwnerKind;
  readonly ownerId: number;
  /** For messages: a name in quotes, or the start date of a farm event. */
  readonly ownerName: string;
  readonly targetKind: TargetKind;
  readonly targetId: number;
}

/** Returns the uses of any of these records, with one query for the uses and one for the names of each kind of owner. */
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

const quoted = (name: string): string => `'${printableText(name)}'`;

/** Formats a date as `06/30`, with the year if it is not the current one. [rule P26] */
function dateOf(time: string | null, now: string): string {
  const [year = '', month, day] = (time ?? now).slice(0, 10).split('-');
  return `${month}/${day}${now.startsWith(year) ? '' : `/${year.slice(2)}`}`;
}

/** A noun phrase in the singular and the plural. */
export type NounForms = readonly [singular: string, plural: string];

const ownerWords: Readonly<Record<OwnerKind, NounForms>> = {
  FarmEvent: ['the farm event of', 'the farm events of'],
  Regimen: ['the regimen', 'the regimens'],
  Sequence: ['the sequence', 'the sequences'],
};

/** Maximum number of names of one kind in a message. */
const maxNames = 10;

/** Describes named records as `the pins 3, 4`, without duplicates; empty if there are none. */
export function describeGroup([singular, plural]: NounForms, names: readonly string[]): string[] {
  if (names.length === 0) return [];
  const distinct = [...new Set(names)];
  const listed = distinct.slice(0, maxNames);
  if (distinct.length > maxNames) listed.push(`${distinct.length - maxNames} more`);
  return [`${names.length === 1 ? singular : plural} ${listed.join(', ')}`];
}

/** Describes the owners, one group per kind: `the farm event of 12/01`, `the sequences 'A', 'B'`. */
export function describeOwnerGroups(uses: readonly RecordUse[]): string[] {
  const owners = new Map(uses.map((use) => [`${use.ownerKind} ${use.ownerId}`, use]));
  return (['FarmEvent', 'Regimen', 'Sequence'] as const).flatMap((kind) =>
    describeGroup(
      ownerWords[kind],
      [...owners.values()].filter(({ ownerKind }) => ownerKind === kind).map(({ ownerName }) => ownerName),
    ),
  );
}

/** Describes the owners for a message: `the regimen 'Spring' and the sequences 'A', 'B'`. */
export const describeOwners = (uses: readonly RecordUse[]): string => describeOwnerGroups(uses).join(' and ');
