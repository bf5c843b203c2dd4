import type { ChangeAction } from '../core/changes.ts';
import type { Timestamp } from '../core/clock.ts';
import { currentTimestamp } from '../core/clock.ts';
import { inParts } from '../core/request-pause.ts';
import type { AnnouncedRecords } from './announced-records.ts';
import type { Commit } from './change-log.ts';
import type { ChangeRow } from './change-rows.ts';
import { changeOf, changeRows, emptyRowSize, isEffective } from './change-rows.ts';
import type { EarlierStates } from './earlier-states.ts';
import type { RecordedChange } from './recorded-changes.ts';
import type { DeviceScope, Selection } from './scope.ts';
import { maxRowsPerInsert } from './statements.ts';

/** Bodies that are read before other requests are served: a group has up to 1,000 members. */
const maxBodiesAtOnce = 10;

/** A row that is not inserted yet. */
type NewRow = Omit<ChangeRow, 'id' | 'device_id'>;

type WrittenChanges = Pick<Commit, 'first' | 'last' | 'changes'>;

/** Selects the ids of inserted rows, and of the device's rows before them: no other change comes in between, because the row of the device is locked. */
const idAndPrevious: Selection<readonly [id: number, previous: number | null]> = {
  key: 'id and previous',
  expressions: [
    '"id"',
    '(select max(earlier.id) from changes as earlier where earlier.device_id = changes.device_id and earlier.id < changes.id)',
  ],
  read: ([id, previous]) => [Number(id), previous === null ? null : Number(previous)],
};

/**
 * Writes changes, one or more, to the log, in the transaction of the scope. Returns the last statement, which is not run yet; its
 * result contains the changes, if it inserts all of them.
 */
export async function writeChanges(
  scope: DeviceScope,
  changes: readonly RecordedChange[],
  states: EarlierStates,
  records: AnnouncedRecords,
): Promise<() => Promise<WrittenChanges>> {
  const ids: (readonly [id: number, previous: number | null])[] = [];
  const write = async (rows: readonly NewRow[]): Promise<void> => {
    ids.push(...(await scope.insertAll(changeRows, rows, idAndPrevious)));
  };
  let rows: NewRow[] = [];
  await inParts(changes, maxRowsPerInsert, async (part) => {
    if (rows.length > 0) await write(rows);
    rows = await rowsOf(scope, part, states, records);
  });
  return async () => {
    await write(rows);
    const [first = 0, previous = null] = ids[0] ?? [];
    const written = { first, last: ids.at(-1)?.[0] ?? 0 };
    if (previous === null || rows.length < changes.length) return { ...written, changes: null };
    const list = rows.map((row, index) => changeOf(row, ids[index]?.[0] ?? 0, scope.deviceId)).filter(isEffective);
    return { ...written, changes: { previous, list } };
  };
}

/** Returns the rows of changes; reads the bodies that are not known. */
async function rowsOf(
  scope: DeviceScope,
  changes: readonly RecordedChange[],
  states: EarlierStates,
  records: AnnouncedRecords,
): Promise<NewRow[]> {
  const unread = new Map<string, number[]>();
  for (const { resource, recordId, body } of changes) {
    if (body !== undefined) continue;
    const ids = unread.get(resource);
    if (ids) ids.push(recordId);
    else unread.set(resource, [recordId]);
  }
  const bodies = new Map<string, Map<number, string>>();
  for (const [resource, ids] of unread) {
    const read = new Map<number, string>();
    await inParts(ids, maxBodiesAtOnce, async (part) => {
      for (const [id, body] of await records.read(scope, resource, part)) read.set(id, body);
    });
    bodies.set(resource, read);
  }
  const now = currentTimestamp(scope.clock);
  return changes.map((change) => {
    const { resource, recordId, body } = change;
    const after = body === undefined ? (bodies.get(resource)?.get(recordId) ?? null) : body;
    const isHistory = records.isHistory(resource);
    return rowOf(change, isHistory, change.copy ?? stateBefore(scope, change, states, records), after, now);
  });
}

/** The log entry for a change that can never be reverted, which is a defect of the program. */
export const unknownState = 'the state of a record before its change is not known';

/** Returns null for a created record, undefined where the log keeps no states. */
function stateBefore(
  scope: DeviceScope,
  { resource, recordId }: RecordedChange,
  states: EarlierStates,
  records: AnnouncedRecords,
): string | null | undefined {
  const before = states.get(resource, recordId);
  if (states.isOmitted) return before === null ? null : undefined;
  // The writer must have the state kept before it changes the parts of the record: DeviceScope.keepStates.
  // If it did not, the change matters more than its revert.
  if (before === undefined && records.isHistory(resource))
    scope.log.error({ resource, record: recordId, request: scope.request }, unknownState);
  return before;
}

function rowOf(
  { resource, recordId, label, origin, actor, request, copy }: RecordedChange,
  isHistory: boolean,
  before: string | null | undefined,
  after: string | null,
  now: Timestamp,
): NewRow {
  const texts = Buffer.byteLength(before ?? '') + Buffer.byteLength(after ?? '');
  const changed: ChangeAction = after === null ? 'deleted' : before === null ? 'created' : 'updated';
  return {
    created_at: now,
    updated_at: now,
    request,
    actor_kind: actor.kind,
    actor_user_id: actor.user_id,
    actor_name: actor.name,
    actor_via: actor.via,
    resource,
    record_id: recordId,
    action: copy === undefined ? changed : 'kept',
    before: before ?? null,
    after,
    label,
    origin,
    byte_size: isHistory && texts > 0 ? emptyRowSize + texts : 0,
  };
}
