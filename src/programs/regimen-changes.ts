import { invalid } from '../core/errors.ts';
import type { DeviceScope, Insertable } from '../db/scope.ts';
import type { RowOf } from '../db/table.ts';
import type { Body } from '../engine/body.ts';
import { assertValid, parseBody } from '../engine/body.ts';
import { ownsAll } from '../engine/own-record.ts';
import { announceChanged, deleteRecord, insertRecord, show, updateRecord } from '../engine/records.ts';
import type { Input } from '../engine/resource.ts';
import { programUses } from './checker.ts';
import { purgeExpiredEvents } from './farm-event-purge.ts';
import { say } from './messages.ts';
import { describeOwners, findUses } from './program-references.ts';
import type { Owner, Uses } from './program-store.ts';
import { checkBody, deleteUses, storeUses } from './program-store.ts';
import type { RegimenItemInput } from './regimen-items.ts';
import { regimenInputFields, regimenItems, regimens } from './regimens.ts';
import { sequences } from './sequences.ts';
import { bodyOf, regimenTree } from './tree.ts';

/** A stored regimen; its items are separate rows. */
export type Regimen = RowOf<typeof regimens>;

const ownerOf = ({ id }: Regimen): Owner => ({ kind: 'Regimen', id });

/** A parsed and checked body. A missing field is undefined. */
interface ParsedRegimen {
  readonly values: Input<typeof regimens.fields>;
  readonly items: readonly RegimenItemInput[] | undefined;
  readonly bodyUses: Uses | undefined;
}

/** Parses and checks a body. Throws 422: under the fields, under `error` for invalid nodes, and for unknown sequences under `error` or, in an update, `regimen_items`. [rule P38, decision 30] */
async function parseRegimen(scope: DeviceScope, body: Body, before: Regimen | null): Promise<ParsedRegimen> {
  const parsed = parseBody(regimenInputFields, body, before ? 'update' : 'create');
  assertValid(parsed);
  const { regimen_items: items, ...values }: Input<typeof regimenInputFields> = parsed.values;
  if (items) await assertOwnSequences(scope, items, before ? 'regimen_items' : 'error');
  if (!values.body) return { values, items, bodyUses: undefined };
  const tree = regimenTree(values.body);
  const bodyUses = await checkBody(scope, tree, before && ownerOf(before), 'error');
  return { values: { ...values, body: [...bodyOf(tree.root)] }, items, bodyUses };
}

async function assertOwnSequences(scope: DeviceScope, items: readonly RegimenItemInput[], key: string): Promise<void> {
  const ids = [...new Set(items.map(({ sequence_id }) => sequence_id))];
  if (await ownsAll(scope, sequences.name, ids)) return;
  const own = new Set((await scope.rows(sequences, { where: { id: ids } })).map(({ id }) => id));
  const wrong = items.find(({ sequence_id }) => !own.has(sequence_id));
  if (wrong)
    throw invalid({
      [key]: say.noSequence(wrong.sequence_id, wrong.time_offset),
    });
}

const addItems = (scope: DeviceScope, regimenId: number, items: readonly RegimenItemInput[]) =>
  scope.insertAll(
    regimenItems,
    items.map(({ sequence_id, time_offset }) => ({ regimen_id: regimenId, sequence_id, time_offset })),
  );

/** Returns the uses of the items, each sequence once. */
const itemUses = (items: readonly RegimenItemInput[]): Uses =>
  [...new Set(items.map(({ sequence_id }) => sequence_id))].map((target_id) => ({
    target_kind: 'sequence',
    target_id,
  }));

/** Creates a regimen with its items from a request's body and returns its JSON. Throws 422. */
export async function createRegimen(scope: DeviceScope, body: Body): Promise<string> {
  const { values, items = [], bodyUses = [] } = await parseRegimen(scope, body, null);
  const regimen = await insertRecord(scope, regimens, values as Insertable<Regimen>);
  await addItems(scope, regimen.id, items);
  await storeUses(scope, ownerOf(regimen), [...itemUses(items), ...bodyUses]);
  return announce(scope, regimen);
}

/** Updates a regimen and returns its JSON. Items that are sent replace all others. Throws 422. [rule P38, decision 32] */
export async function updateRegimen(scope: DeviceScope, before: Regimen, body: Body): Promise<string> {
  const { values, items, bodyUses } = await parseRegimen(scope, body, before);
  const regimen = await updateRecord(scope, regimens, before, values);
  const ofRegimen = { where: { regimen_id: regimen.id } };
  if (items) {
    await scope.delete(regimenItems, ofRegimen);
    await addItems(scope, regimen.id, items);
  }
  if (items || bodyUses)
    await storeUses(scope, ownerOf(regimen), [
      ...itemUses(items ?? (await scope.rows(regimenItems, ofRegimen))),
      ...(bodyUses ?? programUses(regimenTree(before.body).root)),
    ]);
  return announce(scope, regimen);
}

async function announce(scope: DeviceScope, { id }: Regimen): Promise<string> {
  const json = await show(scope, regimens, id);
  announceChanged(scope, regimens, id, json);
  return json;
}

/** Deletes a regimen with its items. Throws 422 `regimen` if an unexpired farm event runs it. [rule P39] */
export async function deleteRegimen(scope: DeviceScope, regimen: Regimen): Promise<void> {
  await purgeExpiredEvents(scope);
  const uses = await findUses(scope, ['regimen'], [regimen.id]);
  if (uses.length > 0) throw invalid({ regimen: say.regimenInUse(describeOwners(uses)) });
  await deleteUses(scope, ownerOf(regimen));
  await deleteRecord(scope, regimens, regimen);
}
