import { currentTimestamp } from '../core/clock.ts';
import { ZoneOffsets } from '../core/local-day.ts';
import type { Message } from '../core/message.ts';
import { column } from '../db/columns.ts';
import type { DeviceScope } from '../db/scope.ts';
import type { RowOf } from '../db/table.ts';
import { table } from '../db/table.ts';
import { devices } from '../device/devices.ts';
import { farmEvents } from './farm-events.ts';
import { say } from './messages.ts';
import { printableText } from './printable-text.ts';
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
  readonly ownerName: Message;
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
    ownerName: names.get(`${row.owner_kind} ${row.owner_id}`) ?? say.withId(row.owner_id),
    targetKind: row.target_kind as TargetKind,
    targetId: row.target_id,
  }));
}

async function ownerNames(scope: DeviceScope, rows: readonly ProgramReference[]): Promise<Map<string, Message>> {
  const idsOf = (kind: OwnerKind): number[] => [
    ...new Set(rows.filter(({ owner_kind }) => owner_kind === kind).map(({ owner_id }) => owner_id)),
  ];
  const names = new Map<string, Message>();
  const sequenceIds = idsOf('Sequence');
  const regimenIds = idsOf('Regimen');
  const eventIds = idsOf('FarmEvent');
  if (sequenceIds.length > 0)
    for (const { id, name } of await scope.rows(sequences, { where: { id: sequenceIds } }))
      names.set(`Sequence ${id}`, say.quoted(printableText(name)));
  if (regimenIds.length > 0)
    for (const { id, name } of await scope.rows(regimens, { where: { id: regimenIds } }))
      names.set(`Regimen ${id}`, say.quoted(printableText(name)));
  if (eventIds.length > 0) {
    const zone = new ZoneOffsets((await scope.first(devices))?.timezone ?? 'UTC');
    const now = currentTimestamp(scope.clock);
    for (const { id, start_time } of await scope.rows(farmEvents, { where: { id: eventIds } }))
      names.set(`FarmEvent ${id}`, dateOf(start_time ?? now, now, zone));
  }
  return names;
}

/** Formats a day of the garden's time zone as `06/30`, with the year if it is not the current one. [rule P26] */
function dateOf(time: string, now: string, zone: ZoneOffsets): Message {
  const [day, today] = [time, now].map((at) => zone.format(Date.parse(at)).slice(0, 10)) as [string, string];
  const [year = '', month = '', date = ''] = day.split('-');
  return say.date(month, date, today.startsWith(year) ? '' : `/${year.slice(2)}`);
}

/** Describes so many records by their names. */
type Noun = (count: number, names: readonly (string | Message)[]) => Message;

const ownerNouns: Readonly<Record<OwnerKind, Noun>> = {
  FarmEvent: say.farmEvents,
  Regimen: say.regimens,
  Sequence: say.sequences,
};

/** Maximum number of names of one kind in a message. */
const maxNames = 10;

/** Describes named records as `the pins 3, 4`, without duplicates; empty if there are none. */
export function describeGroup(noun: Noun, names: readonly (string | Message)[]): Message[] {
  if (names.length === 0) return [];
  const distinct = [...new Map(names.map((name) => [String(name), name])).values()];
  const listed = distinct.slice(0, maxNames);
  if (distinct.length > maxNames) listed.push(say.more(distinct.length - maxNames));
  return [noun(names.length, listed)];
}

/** Describes the owners, one group per kind: `the farm event of 12/01`, `the sequences 'A', 'B'`. */
export function describeOwnerGroups(uses: readonly RecordUse[]): Message[] {
  const owners = new Map(uses.map((use) => [`${use.ownerKind} ${use.ownerId}`, use]));
  return (['FarmEvent', 'Regimen', 'Sequence'] as const).flatMap((kind) =>
    describeGroup(
      ownerNouns[kind],
      [...owners.values()].filter(({ ownerKind }) => ownerKind === kind).map(({ ownerName }) => ownerName),
    ),
  );
}

/** Describes the owners for a message: `the regimen 'Spring' and the sequences 'A', 'B'`. */
export const describeOwners = (uses: readonly RecordUse[]): Message => say.and(describeOwnerGroups(uses));
