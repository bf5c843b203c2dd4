import { currentTimestamp, timestamp } from '../core/clock.ts';
import type { FieldFailures } from '../core/errors.ts';
import { invalid, refused } from '../core/errors.ts';
import type { DeviceScope } from '../db/scope.ts';
import type { RowOf } from '../db/table.ts';
import type { Body } from '../engine/body.ts';
import { assertValid, parseBody } from '../engine/body.ts';
import { ownsAll } from '../engine/own-record.ts';
import { announceChanged, deleteRecord, insertRecord, show, updateRecord } from '../engine/records.ts';
import type { Input } from '../engine/resource.ts';
import { programUses } from './checker.ts';
import { farmEvents } from './farm-events.ts';
import { say } from './messages.ts';
import { countOccurrences, maxOccurrences } from './occurrences.ts';
import type { Owner, Uses } from './program-store.ts';
import { checkBody, deleteUses, storeUses } from './program-store.ts';
import type { ProgramUse } from './references.ts';
import { regimens } from './regimens.ts';
import { sequences } from './sequences.ts';
import { bodyOf, farmEventTree } from './tree.ts';

export type FarmEvent = RowOf<typeof farmEvents>;

type Sent = Input<typeof farmEvents.fields>;

/** Maximum distance of events from now, in calendar years. [rule P41] */
const maxYears = 20;

/** Duration of an event that does not repeat, in ms. [rule P41] */
const singleEventDuration = 60_000;

/** Adds calendar years; 29 February becomes 1 March in other years. */
function addYears(ms: number, count: number): number {
  const time = new Date(ms);
  return time.setUTCFullYear(time.getUTCFullYear() + count);
}

const isTooLate = (scope: DeviceScope, ms: number): boolean => ms >= addYears(scope.clock.now(), maxYears);

/** Returns failures for times too far away. */
export function timeRangeFailures(scope: DeviceScope, values: Sent): FieldFailures {
  const failures: FieldFailures = {};
  if (values.start_time && Date.parse(values.start_time) <= addYears(scope.clock.now(), -maxYears))
    failures.start_time = say.earlyStart(maxYears);
  if (values.end_time && isTooLate(scope, Date.parse(values.end_time))) failures.end_time = say.lateEnd(maxYears);
  return failures;
}

/** Parses the fields of a body. Throws 422 with all failures, including times too far away. */
function parseFields(scope: DeviceScope, body: Body, mode: 'create' | 'update'): Sent {
  const parsed = parseBody(farmEvents.fields, body, mode);
  const values: Sent = parsed.values;
  assertValid(parsed, timeRangeFailures(scope, values));
  return values;
}

type Executable = Pick<FarmEvent, 'executable_type' | 'executable_id'>;

async function executableFailure(scope: DeviceScope, { executable_type, executable_id }: Sent): Promise<FieldFailures> {
  if (executable_id === undefined) return { farm_event: say.nothingToRun };
  const { name } = executable_type === 'Regimen' ? regimens : sequences;
  if (await ownsAll(scope, name, [executable_id])) return {};
  return {
    farm_event: say.notOwn(String(executable_type).toLowerCase(), executable_id),
  };
}

type Recurring = Pick<FarmEvent, 'repeat' | 'time_unit'> & { readonly start_time: string; readonly end_time: string };

/** Returns a failure if the event has too many occurrences. */
export function occurrencesFailure(event: Recurring): FieldFailures {
  const count = countOccurrences(event);
  if (count <= maxOccurrences) return {};
  return {
    occurrences: say.frequent(count, maxOccurrences),
  };
}

/** Returns the end of an event; one that does not repeat ends a minute after its start. Throws 422. [rule P41] */
function resolveEnd(scope: DeviceScope, { time_unit, start_time, end_time }: Recurring): string {
  if (time_unit !== 'never') return end_time;
  const end = Date.parse(start_time) + singleEventDuration;
  if (isTooLate(scope, end)) throw refused(say.lateEvent(maxYears));
  return timestamp(end);
}

const ownerOf = ({ id }: FarmEvent): Owner => ({ kind: 'FarmEvent', id });

const executableUse = ({ executable_type, executable_id }: Executable): ProgramUse => ({
  target_kind: executable_type === 'Regimen' ? 'regimen' : 'sequence',
  target_id: executable_id,
});

/** Creates a farm event from a request's body and returns its JSON. Throws 422. [rule P42] */
export async function createFarmEvent(scope: DeviceScope, body: Body): Promise<string> {
  const values = parseFields(scope, body, 'create');
  const { repeat = 1, time_unit = 'never', executable_type = 'Sequence', executable_id = 0 } = values;
  const start_time = values.start_time ?? currentTimestamp(scope.clock);
  const recurring: Recurring = { repeat, time_unit, start_time, end_time: values.end_time ?? start_time };
  const failures: FieldFailures = { ...(await executableFailure(scope, values)), ...occurrencesFailure(recurring) };
  if (time_unit !== 'never') {
    if (!values.end_time) failures.end_time = say.noEnd;
    else if (Date.parse(start_time) > Date.parse(values.end_time)) failures.end_time = say.earlyEnd;
  }
  if (Object.keys(failures).length > 0) throw invalid(failures);
  const end_time = resolveEnd(scope, recurring);
  const tree = farmEventTree(values.body ?? []);
  const bodyUses = await checkBody(scope, tree, null, 'farm_event');
  const executed = { executable_type, executable_id, body: [...bodyOf(tree.root)] };
  const event = await insertRecord(scope, farmEvents, { ...recurring, end_time, ...executed });
  await storeUses(scope, ownerOf(event), [executableUse(event), ...bodyUses]);
  return announce(scope, event);
}

/** Updates a farm event and returns its JSON. The merged values are checked, except for an end before the start. Throws 422. [rule P43, decision 32] */
export async function updateFarmEvent(scope: DeviceScope, before: FarmEvent, sent: Body): Promise<string> {
  const { body, ...values } = parseFields(scope, sent, 'update');
  const after = { ...before, ...values };
  const start_time = after.start_time ?? before.created_at;
  const recurring: Recurring = { ...after, start_time, end_time: after.end_time ?? start_time };
  const isRenamed = values.executable_id !== undefined || values.executable_type !== undefined;
  const failures = { ...(isRenamed && (await executableFailure(scope, after))), ...occurrencesFailure(recurring) };
  if (Object.keys(failures).length > 0) throw invalid(failures);
  const end_time = resolveEnd(scope, recurring);
  const tree = body && farmEventTree(body);
  const bodyUses: Uses | undefined = tree && (await checkBody(scope, tree, ownerOf(before), 'error'));
  const event = await updateRecord(scope, farmEvents, before, {
    ...values,
    start_time,
    end_time,
    ...(tree && { body: [...bodyOf(tree.root)] }),
  });
  if (isRenamed || bodyUses)
    await storeUses(scope, ownerOf(event), [
      executableUse(event),
      ...(bodyUses ?? programUses(farmEventTree(before.body).root)),
    ]);
  return announce(scope, event);
}

async function announce(scope: DeviceScope, { id }: FarmEvent): Promise<string> {
  const json = await show(scope, farmEvents, id);
  announceChanged(scope, farmEvents, id, json);
  return json;
}

/** Deletes a farm event. */
export async function deleteFarmEvent(scope: DeviceScope, event: FarmEvent): Promise<void> {
  await deleteUses(scope, ownerOf(event));
  await deleteRecord(scope, farmEvents, event);
}
