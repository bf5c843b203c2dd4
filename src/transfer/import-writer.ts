import { Slices, yieldToRequests } from '../core/request-pause.ts';
import type { DeviceScope } from '../db/scope.ts';
import type { RowOf } from '../db/table.ts';
import { devices } from '../device/devices.ts';
import { announceChanged } from '../engine/records.ts';
import type { JobQueue } from '../jobs/queue.ts';
import type { EntryList } from './import-entries.ts';
import type { ImportPlan } from './import-plan.ts';
import { inDependencyOrder } from './import-plan.ts';
import type { ConfigSettings, ReferenceField } from './import-records.ts';
import { referenceFields } from './import-records.ts';
import { writeDevice } from './rules/device.ts';
import { rulesOf } from './rules/rule-list.ts';
import type { NewIds, RecordFiles, RecordWriter, Row } from './transfer-rules.ts';

/**
 * Stores a plan in the transaction of the scope. All records get new ids, to which all references are changed. `files`: the
 * prepared files of records, by table.
 */
export async function writePlan(
  { lists, reused, configs, device }: ImportPlan,
  files: ReadonlyMap<string, RecordFiles>,
  scope: DeviceScope,
  queue: JobQueue,
): Promise<void> {
  const idsByTable = new Map<string, NewIds>(reused);
  const writer = createWriter(scope, queue, idsByTable);
  for (const list of inDependencyOrder(lists)) {
    if (list.entries.length === 0) continue;
    const { name } = list.resource;
    const recordFiles = files.get(name);
    const ids = recordFiles ? await recordFiles.insert(writer) : await insertEntries(list, writer);
    idsByTable.set(name, new Map([...(idsByTable.get(name) ?? []), ...ids]));
    if (!recordFiles) await completeEntries(list, writer);
  }
  for (const config of configs) await writeConfig(config, writer);
  if (device) await writeDevice(device, writer);
}

function createWriter(scope: DeviceScope, queue: JobQueue, idsByTable: ReadonlyMap<string, NewIds>): RecordWriter {
  // Other writers wait for this transaction, but readers and connections of robots need not. So it yields to the event loop,
  // unlike any other transaction, since no other takes as long.
  const slices = new Slices(yieldToRequests);
  // Programs only refer to their own device, whatever its id was.
  const newId = (table: string, id: number): number | undefined =>
    table === devices.name ? scope.deviceId : idsByTable.get(table)?.get(id);
  return {
    scope,
    queue,
    slices,
    newId,
    storedId(table, { id }) {
      const stored = newId(table, id);
      if (stored === undefined) throw new Error(`a record of ${table} was not stored`);
      return stored;
    },
    insertAll: (table, rows) => scope.insertAll(table, rows),
  };
}

async function insertEntries({ resource, entries }: EntryList, writer: RecordWriter): Promise<NewIds> {
  const { toRow, table = resource } = rulesOf(resource);
  const fields = referenceFields(resource);
  const rows: Row[] = [];
  for (const entry of entries) {
    const row = withNewReferences(entry.values, fields, writer);
    if (entry.createdAt !== null) row.created_at = entry.createdAt;
    toRow?.(row, entry, writer);
    rows.push(row);
    await writer.slices.pause();
  }
  const inserted = (await writer.insertAll(table, rows)) as { readonly id: number }[];
  // Ids ascend in the order of the rows, but databases may return them in another order.
  const newIds = inserted.map(({ id }) => id).sort((a, b) => a - b);
  return new Map(entries.map(({ id }, index) => [id, newIds[index] ?? 0]));
}

/** Stores the parts of inserted entries, and announces them. */
async function completeEntries({ resource, entries }: EntryList, writer: RecordWriter): Promise<void> {
  const { afterInsert, isAnnounced = () => true } = rulesOf(resource);
  await afterInsert?.(entries, writer);
  for (const entry of entries) {
    await writer.slices.pause();
    if (isAnnounced(entry)) announceChanged(writer.scope, resource, writer.storedId(resource.name, entry));
  }
}

async function writeConfig({ resource, values, createdAt }: ConfigSettings, writer: RecordWriter): Promise<void> {
  const { scope } = writer;
  await resource.ensure(scope);
  const changes = withNewReferences(values, referenceFields(resource), writer);
  if (createdAt !== null) changes.created_at = createdAt;
  const [row] = await scope.update(resource, changes as Partial<RowOf<typeof resource>>, {});
  if (row) announceChanged(scope, resource, row.id);
}

function withNewReferences(values: Readonly<Row>, fields: readonly ReferenceField[], { newId }: RecordWriter): Row {
  const row: Row = { ...values };
  for (const { name, table } of fields) {
    const id = row[name];
    if (typeof id === 'number') row[name] = newId(table, id) ?? null;
  }
  return row;
}
