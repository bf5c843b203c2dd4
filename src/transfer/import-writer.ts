import type { DeviceScope, Insertable } from '../db/scope.ts';
import type { RowOf, Table } from '../db/table.ts';
import { devices } from '../device/devices.ts';
import { announceChanged } from '../engine/records.ts';
import type { AnyResource } from '../engine/resource.ts';
import type { JobQueue } from '../jobs/queue.ts';
import type { Entry, EntryList } from './import-entries.ts';
import { TimeSlices } from './import-entries.ts';
import type { ImportPlan } from './import-plan.ts';
import { inDependencyOrder } from './import-plan.ts';
import type { ReferenceField } from './import-records.ts';
import { referenceFields } from './import-records.ts';
import { writeDevice } from './rules/device.ts';
import { rulesOf } from './rules/rule-list.ts';
import type { RecordFiles, RecordWriter, Row } from './transfer-rules.ts';

/** Rows that are inserted before other work may run. */
const batchSize = 50;

interface ImportWriterOptions {
  readonly scope: DeviceScope;
  readonly plan: ImportPlan;
  /** The prepared files of records, by table. */
  readonly files: ReadonlyMap<string, RecordFiles>;
  readonly queue: JobQueue;
}

/** Stores a plan in the transaction of the scope. All records get new ids, to which all references are changed. */
export class ImportWriter implements RecordWriter {
  readonly scope: DeviceScope;
  readonly queue: JobQueue;
  /**
   * Other writers wait for this transaction, but readers and connections of robots need not. So it yields to the event loop,
   * unlike any other transaction, since no other takes as long.
   */
  readonly slices = new TimeSlices();
  readonly #plan: ImportPlan;
  readonly #files: ReadonlyMap<string, RecordFiles>;
  /** New ids by table and id of the document. */
  readonly #ids: Map<string, ReadonlyMap<number, number>>;

  constructor({ scope, plan, files, queue }: ImportWriterOptions) {
    this.scope = scope;
    this.queue = queue;
    this.#plan = plan;
    this.#files = files;
    this.#ids = new Map(plan.reused);
  }

  // Programs only refer to their own device, whatever its id was.
  readonly newId = (table: string, id: number): number | undefined =>
    table === devices.name ? this.scope.deviceId : this.#ids.get(table)?.get(id);

  readonly storedId = (table: string, { id }: Entry): number => {
    const stored = this.newId(table, id);
    if (stored === undefined) throw new Error(`a record of ${table} was not stored`);
    return stored;
  };

  readonly insertAll = async <R>(table: Table<R, 'device'>, rows: readonly Insertable<R>[]): Promise<R[]> => {
    const inserted: R[] = [];
    for (let from = 0; from < rows.length; from += batchSize) {
      for (const row of await this.scope.insertAll(table, rows.slice(from, from + batchSize))) inserted.push(row);
      await this.slices.yield();
    }
    return inserted;
  };

  async write(): Promise<void> {
    for (const list of inDependencyOrder(this.#plan.lists)) if (list.entries.length > 0) await this.#writeList(list);
    await this.#writeConfigs();
    if (this.#plan.device) await writeDevice(this.#plan.device, this);
  }

  async #writeList({ resource, entries }: EntryList): Promise<void> {
    const { name } = resource;
    const files = this.#files.get(name);
    const ids = files ? await files.insert(this) : await this.#insertEntries(resource, entries);
    this.#ids.set(name, new Map([...(this.#ids.get(name) ?? []), ...ids]));
    if (files) return;
    const { afterInsert, isAnnounced = () => true } = rulesOf(resource);
    await afterInsert?.(entries, this);
    for (const entry of entries)
      if (isAnnounced(entry)) announceChanged(this.scope, resource, this.storedId(name, entry));
  }

  /** Returns the new ids by those of the document. */
  async #insertEntries(resource: AnyResource, entries: readonly Entry[]): Promise<ReadonlyMap<number, number>> {
    const { toRow, table = resource } = rulesOf(resource);
    const fields = referenceFields(resource);
    const rows: Row[] = [];
    for (const entry of entries) {
      const row = this.#withNewReferences(entry.values, fields);
      if (entry.createdAt !== null) row.created_at = entry.createdAt;
      toRow?.(row, entry, this);
      rows.push(row);
      await this.slices.yield();
    }
    const inserted = (await this.insertAll(table, rows)) as { readonly id: number }[];
    // Ids ascend in the order of the rows, but databases may return them in another order.
    const newIds = inserted.map(({ id }) => id).sort((a, b) => a - b);
    return new Map(entries.map(({ id }, index) => [id, newIds[index] ?? 0]));
  }

  #withNewReferences(values: Readonly<Row>, fields: readonly ReferenceField[]): Row {
    const row: Row = { ...values };
    for (const { name, table } of fields) {
      const id = row[name];
      if (typeof id === 'number') row[name] = this.newId(table, id) ?? null;
    }
    return row;
  }

  async #writeConfigs(): Promise<void> {
    for (const { resource, values, createdAt } of this.#plan.configs) {
      await resource.ensure(this.scope);
      const changes = this.#withNewReferences(values, referenceFields(resource));
      if (createdAt !== null) changes.created_at = createdAt;
      const [row] = await this.scope.update(resource, changes as Partial<RowOf<typeof resource>>, {});
      if (row) announceChanged(this.scope, resource, row.id);
    }
  }
}
