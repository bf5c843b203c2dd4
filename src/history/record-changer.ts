import { timestamp } from '../core/clock.ts';
import { Failure, messagesOf, refused } from '../core/errors.ts';
import { sentences } from '../core/message.ts';
import { recordNoun } from '../core/resource-names.ts';
import type { DeviceScope, Insertable } from '../db/scope.ts';
import { deviceFields } from '../device/device-fields.ts';
import { changeDevice, ownDevice } from '../device/devices.ts';
import { fbosConfig } from '../device/fbos-config.ts';
import { parseBody } from '../engine/body.ts';
import { Field } from '../engine/fields.ts';
import { ownsAll } from '../engine/own-record.ts';
import { partCall } from '../engine/part-call.ts';
import { announceChanged } from '../engine/records.ts';
import type { AnyResource, Resource } from '../engine/resource.ts';
import { valuesBefore } from '../engine/resource.ts';
import { needOf, refusal } from '../engine/rights.ts';
import type { Call, DeviceRoute } from '../engine/route.ts';
import { Reply } from '../engine/route.ts';
import type { ShownRecord } from './differences.ts';
import { differences } from './differences.ts';
import { say } from './messages.ts';
import type { RecordKind } from './record-kinds.ts';
import { currentRecord } from './record-kinds.ts';

/** One record, and the author of the request that changes it. */
interface Target {
  readonly kind: RecordKind;
  readonly id: number;
  readonly call: Call;
}

type OwnTarget = Target & { readonly kind: RecordKind & { readonly resource: AnyResource } };

const isOwn = (target: Target): target is OwnTarget => target.kind.resource !== null;

/** Columns that no request sets. */
const setByServer = ['id', 'device_id', 'created_at', 'updated_at'];

const withoutServerFields = (record: ShownRecord): Record<string, unknown> =>
  Object.fromEntries(Object.entries(record).filter(([name]) => !setByServer.includes(name)));

/** Runs an operation as its clients would, with today's checks. Throws 403, 422. */
async function run(scope: DeviceScope, route: DeviceRoute, { id, call }: Target, body?: unknown): Promise<unknown> {
  const reason = refusal(call.session.rights, needOf(route));
  if (reason !== null) throw new Failure('forbidden', reason);
  const params = { id: String(id), ids: String(id) };
  const reply = await route.handle(scope, partCall(call, { method: route.method, params, query: {}, body }));
  return reply instanceof Reply && reply.text !== '' ? JSON.parse(reply.text) : reply;
}

/** Returns a record as it is now; null: there is none. */
export async function readRecord(scope: DeviceScope, target: Target): Promise<ShownRecord | null> {
  if (isOwn(target)) return currentRecord(scope, target.kind, target.id);
  return target.kind.show ? ((await run(scope, target.kind.show, target)) as ShownRecord) : null;
}

/** Deletes a record. Throws 422 if it is in use. */
export async function removeRecord(scope: DeviceScope, target: Target): Promise<void> {
  const { destroy, singular } = target.kind;
  if (!destroy) throw refused(say.notDeleted(say.numbered(recordNoun(singular), target.id)));
  await run(scope, destroy, target);
}

/** Sets some fields of a record to the values of an earlier state. Throws 422. */
export async function changeRecord(
  scope: DeviceScope,
  target: Target,
  earlier: ShownRecord,
  fields: readonly string[],
): Promise<void> {
  const { update, isSingle } = target.kind;
  const wanted = Object.fromEntries(fields.map((name) => [name, earlier[name] ?? null]));
  // Programs are checked as a whole. Of settings only different ones are sent: others may be older than today's rules.
  const current = isSingle ? {} : withoutServerFields((await readRecord(scope, target)) ?? {});
  if (update) await run(scope, update, target, { ...current, ...wanted });
  if (isOwn(target)) await complete(scope, target, wanted);
  else await clearDevice(scope, wanted);
}

/** Sets fields of the device to null, which requests cannot do with most of them. */
async function clearDevice(scope: DeviceScope, wanted: ShownRecord): Promise<void> {
  const cleared = Object.entries(deviceFields).flatMap(([name, { traits, canBeNull }]) =>
    wanted[name] === null && canBeNull && traits.writability === 'always' ? [[name, null]] : [],
  );
  if (cleared.length > 0) await changeDevice(scope, await ownDevice(scope), Object.fromEntries(cleared));
}

/** Brings a deleted record back with its id. Throws 422. */
export async function restoreRecord(scope: DeviceScope, target: Target, earlier: ShownRecord): Promise<void> {
  const { kind, id } = target;
  if (kind.hasFiles) throw refused(say.filesDeleted(say.numbered(recordNoun(kind.singular), id)));
  if (!isOwn(target)) throw refused(say.cannotReturn(say.numbered(recordNoun(kind.singular), id)));
  const { resource, create, update } = target.kind;
  const config = await scope.first(fbosConfig);
  const values = withoutServerFields({ ...valuesBefore(resource, earlier, config?.firmware_hardware), ...earlier });
  const archived = await scope.count(resource as Resource, { where: { id } });
  if (archived > 0) {
    // To clients it does not exist.
    scope.events.was(kind.name, id, null);
    await scope.update(resource as Resource, resource.options.syncWhere ?? {}, { where: { id } });
    await changeRecord(scope, target, values, Object.keys(values));
  } else {
    const created_at = shownCreationTime(earlier.created_at);
    const restoring = scope.restoring(resource.name, { id, ...(created_at && { created_at }) });
    // A creation refuses blank texts that an update stores.
    const isBlank = ([name, value]: readonly [string, unknown]): boolean =>
      value === '' && resource.fields[name]?.traits.empty === 'refused';
    const entries = Object.entries(values);
    const blank = entries.filter(isBlank);
    if (create) await run(restoring, create, target, Object.fromEntries(entries.filter((each) => !isBlank(each))));
    // With defaults for fields that are not shown as stored.
    else if (kind.isSingle && kind.show) await run(restoring, kind.show, target);
    else await restoring.insert(resource as Resource, storedValues(target, values) as Insertable<never>);
    if (update && blank.length > 0) await run(scope, update, target, Object.fromEntries(blank));
    await complete(scope, target, values);
  }
  announceChanged(scope, resource, id);
}

/** `created_at` is a number of seconds in some resources. */
const shownCreationTime = (shown: unknown): string | null =>
  typeof shown === 'number' ? timestamp(shown * 1000) : typeof shown === 'string' ? shown : null;

/** Sets the fields that requests cannot set, and the order of lists that requests only add to. Throws 422. */
async function complete(scope: DeviceScope, target: OwnTarget, wanted: ShownRecord): Promise<void> {
  const { resource, update } = target.kind;
  const missing = async (): Promise<string[]> => {
    const now = (await readRecord(scope, target)) ?? {};
    const present = Object.fromEntries(Object.keys(wanted).map((name) => [name, now[name] ?? null]));
    return differences(present, wanted).map(({ field }) => field);
  };
  const different = await missing();
  const lists = different.filter((name) => resource.fields[name]?.traits.isDerived && Array.isArray(wanted[name]));
  if (lists.length > 0 && update)
    for (const value of [() => [], (name: string) => wanted[name]])
      await run(scope, update, target, Object.fromEntries(lists.map((name) => [name, value(name)])));
  const rest = Object.fromEntries(different.map((name) => [name, wanted[name]]));
  const values = storedValues(target, rest);
  for (const [name, value] of Object.entries(values)) {
    const { foreignKey } = resource.fields[name]?.traits ?? {};
    // Its references may be deleted.
    if (foreignKey && typeof value === 'number' && !(await ownsAll(scope, foreignKey.table, [value])))
      delete values[name];
  }
  if (Object.keys(values).length === 0) return;
  await scope.update(resource as Resource, values, { where: { id: target.id } });
  announceChanged(scope, resource, target.id);
}

/** Parses the stored values of fields by today's limits, also of fields that requests cannot set. Throws 422. */
function storedValues({ kind: { resource, singular }, id }: OwnTarget, wanted: ShownRecord): Record<string, unknown> {
  const fields = Object.entries(resource.fields).filter(
    ([name, { traits }]) => name in wanted && traits.isShown && !traits.isDerived && traits.shownAs === null,
  );
  const writable = Object.fromEntries(
    fields.map(([name, field]) => [
      name,
      new Field(field.kind, {
        ...field.traits,
        writability: 'always',
        ...(field.canBeNull && { null: 'stored' }),
        empty: 'kept',
      }),
    ]),
  );
  const { values, failures, modelProblems } = parseBody(writable, wanted, 'update', resource.options.coercion);
  const problems = messagesOf({ ...failures, ...modelProblems });
  if (problems.length > 0) throw refused(say.problem(say.numbered(recordNoun(singular), id), sentences(problems)));
  return values;
}
