import type { Timestamp } from '../core/clock.ts';
import { currentTimestamp } from '../core/clock.ts';
import type { DeviceScope, Insertable } from '../db/scope.ts';
import type { RowOf, Table } from '../db/table.ts';
import type { DeviceRow } from '../device/devices.ts';
import { changeDevice, devices, ownDevice } from '../device/devices.ts';
import { logs } from '../device/logs.ts';
import { announceChanged } from '../engine/records.ts';
import type { AnyResource } from '../engine/resource.ts';
import { folders } from '../garden/folders.ts';
import { pointGroupItems, pointGroups } from '../garden/point-groups.ts';
import { points } from '../garden/points.ts';
import { farmEvents } from '../programs/farm-events.ts';
import type { OwnerKind } from '../programs/program-references.ts';
import { programReferences } from '../programs/program-references.ts';
import type { RegimenItemInput } from '../programs/regimen-items.ts';
import { regimenItems, regimens } from '../programs/regimens.ts';
import { serializedSequences, serializeProgram } from '../programs/sequence-changes.ts';
import { sequences } from '../programs/sequences.ts';
import type { Node } from '../programs/tree.ts';
import { bodyOf } from '../programs/tree.ts';
import type { ImportPlan } from './import-plan.ts';
import { writingOrder } from './import-plan.ts';
import { executableTable } from './import-programs.ts';
import type { Entry, EntryList } from './import-records.ts';
import { timeOf } from './import-records.ts';
import { referringFields } from './import-references.ts';
import { usesWithNewIds, withNewIds } from './import-trees.ts';
import { Turns } from './import-turns.ts';

type Row = Record<string, unknown>;
type Rows = Insertable<{ id: number; created_at: string; updated_at: string; device_id: number }>[];

/** Rows that are written before others have their turn. */
const rowsAtOnce = 50;

/** What stands in the place of a program for a moment. */
const unwritten = { args: '{}', body: '[]' };

/** Whose programs the records of a table are. */
const owners: Readonly<Record<string, OwnerKind>> = {
  [sequences.name]: 'Sequence',
  [regimens.name]: 'Regimen',
  [farmEvents.name]: 'FarmEvent',
};

/** Stores records and gives their new ids by those of the document. */
export type WriteEntries = (entries: readonly Entry[]) => Promise<ReadonlyMap<number, number>>;

/** Stores a plan, in the transaction of the scope. Everything is new, gets new ids, and names by them what it named before. */
export class ImportWriter {
  readonly #scope: DeviceScope;
  readonly #plan: ImportPlan;
  readonly #others: Readonly<Record<string, WriteEntries>>;
  /**
   * Whoever wants to write waits for this transaction anyway; those who only read, and connections of robots, need not. So it
   * lets go of the event loop now and then, which nothing else does in a transaction: no other one is this long.
   */
  readonly #turns = new Turns();
  /** New ids by table and id of the document. */
  readonly #ids = new Map<string, Map<number, number>>();
  /** How many records were stored, by their key in the document. */
  readonly taken: Record<string, number> = {};

  /** `others`: who stores records that need more than a row, by their table; they announce them too. */
  constructor(scope: DeviceScope, plan: ImportPlan, others: Readonly<Record<string, WriteEntries>>) {
    this.#scope = scope;
    this.#plan = plan;
    this.#others = others;
    for (const [table, ids] of plan.reused) this.#ids.set(table, new Map(ids));
  }

  /** What a record of the document is called now. */
  readonly #newId = (table: string, id: number): number | undefined =>
    // Programs name but one device: their own, whatever its id is where they come from.
    table === devices.name ? this.#scope.deviceId : this.#ids.get(table)?.get(id);

  async write(): Promise<void> {
    for (const list of writingOrder(this.#plan.lists)) {
      if (list.entries.length > 0) await this.#writeList(list);
      this.taken[list.key] = list.entries.length;
    }
    await this.#writeConfigs();
    await this.#writeDevice();
  }

  async #writeList(list: EntryList): Promise<void> {
    const { resource, entries } = list;
    const other = this.#others[resource.name];
    if (other) {
      this.#ids.set(resource.name, new Map(await other(entries)));
      return;
    }
    const fields = referringFields(resource);
    const rows: Row[] = [];
    for (const entry of entries) {
      rows.push(this.#rowOf(list, entry, fields));
      await this.#turns.next();
    }
    const made = await this.#insert(resource, rows);
    // New ids ascend in the order in which rows were inserted; engines may give the rows in another one.
    const ids = made.map(({ id }) => id).sort((a, b) => a - b);
    const known = this.#ids.get(resource.name) ?? new Map<number, number>();
    for (const [index, { id }] of entries.entries()) known.set(id, ids[index] ?? 0);
    this.#ids.set(resource.name, known);
    if (resource.name === folders.name) await this.#nestFolders(entries);
    if (resource.name === pointGroups.name) await this.#fillGroups(entries);
    if (resource.name === sequences.name) await this.#finishSequences(entries);
    if (resource.name === regimens.name) await this.#fillRegimens(entries);
    const owner = owners[resource.name];
    if (owner) await this.#keepUses(owner, resource.name, entries);
    // An archived point is gone for everybody who listens.
    for (const entry of entries)
      if (resource.name !== points.name || (entry.values.discarded_at ?? null) === null)
        announceChanged(this.#scope, resource, this.#idOf(resource.name, entry));
  }

  /** Inserts rows of a table piece by piece, so that others can read meanwhile. */
  async #insertAll<R>(table: Table<R, 'device'>, rows: readonly Insertable<R>[]): Promise<R[]> {
    const made: R[] = [];
    for (let from = 0; from < rows.length; from += rowsAtOnce) {
      for (const row of await this.#scope.insertAll(table, rows.slice(from, from + rowsAtOnce))) made.push(row);
      await this.#turns.next();
    }
    return made;
  }

  /** Inserts records. Programs are text already: nothing of them is parsed or walked only to be stored. */
  #insert(resource: AnyResource, rows: readonly Row[]): Promise<{ readonly id: number }[]> {
    return resource.name === sequences.name
      ? this.#insertAll(serializedSequences, rows as Insertable<RowOf<typeof serializedSequences>>[])
      : this.#insertAll(resource, rows as Rows);
  }

  #idOf(table: string, { id }: Entry): number {
    const now = this.#newId(table, id);
    if (now === undefined) throw new Error(`a record of ${table} was not stored`);
    return now;
  }

  #rowOf({ resource }: EntryList, entry: Entry, fields: readonly { name: string; table: string }[]): Row {
    const row: Row = { ...entry.values };
    for (const { name, table } of fields) {
      const id = row[name];
      if (typeof id === 'number') row[name] = this.#newId(table, id) ?? null;
    }
    if (entry.createdAt !== null) row.created_at = entry.createdAt;
    switch (resource.name) {
      case folders.name:
        row.parent_id = null;
        break;
      case pointGroups.name:
        delete row.point_ids;
        break;
      case regimens.name:
        delete row.regimen_items;
        row.body = this.#bodyOf(entry);
        break;
      case farmEvents.name:
        row.executable_id = this.#newId(executableTable(row.executable_type), Number(row.executable_id)) ?? 0;
        row.body = this.#bodyOf(entry);
        break;
      case sequences.name:
        // One that names others is written once they are there.
        Object.assign(row, entry.program?.namesSequences ? unwritten : serializeProgram({ root: this.#rootOf(entry) }));
        break;
      case logs.name:
        // What was mailed long ago, or never was meant to be, is not mailed now.
        row.sent_at = currentTimestamp(this.#scope.clock);
        break;
    }
    return row;
  }

  #rootOf({ program }: Entry): Node {
    if (!program) throw new Error('a program was not read');
    return withNewIds(program.root, this.#newId);
  }

  #bodyOf(entry: Entry): object[] {
    return [...bodyOf(this.#rootOf(entry))];
  }

  async #finishSequences(entries: readonly Entry[]): Promise<void> {
    for (const entry of entries) {
      if (!entry.program?.namesSequences) continue;
      const where = { id: this.#idOf(sequences.name, entry) };
      await this.#scope.update(serializedSequences, serializeProgram({ root: this.#rootOf(entry) }), { where });
      await this.#turns.next();
    }
  }

  async #nestFolders(entries: readonly Entry[]): Promise<void> {
    for (const entry of entries) {
      const { parent_id } = entry.values;
      const parent = typeof parent_id === 'number' ? this.#newId(folders.name, parent_id) : undefined;
      if (parent === undefined) continue;
      await this.#scope.update(folders, { parent_id: parent }, { where: { id: this.#idOf(folders.name, entry) } });
      await this.#turns.next();
    }
  }

  async #fillGroups(entries: readonly Entry[]): Promise<void> {
    const items = entries.flatMap((entry) => {
      const point_group_id = this.#idOf(pointGroups.name, entry);
      return (entry.values.point_ids as readonly number[]).flatMap((id) => {
        const point_id = this.#newId(points.name, id);
        return point_id === undefined ? [] : [{ point_group_id, point_id }];
      });
    });
    await this.#insertAll(pointGroupItems, items);
  }

  async #fillRegimens(entries: readonly Entry[]): Promise<void> {
    const items = entries.flatMap((entry) => {
      const regimen_id = this.#idOf(regimens.name, entry);
      const sent = entry.sent.regimen_items as readonly { readonly created_at?: unknown }[];
      return (entry.values.regimen_items as readonly RegimenItemInput[]).flatMap((item, index) => {
        const sequence_id = this.#newId(sequences.name, item.sequence_id);
        if (sequence_id === undefined) return [];
        const created_at: Timestamp | null = timeOf(sent[index]?.created_at);
        const { time_offset } = item;
        return [
          { regimen_id, sequence_id, time_offset, created_at: created_at ?? currentTimestamp(this.#scope.clock) },
        ];
      });
    });
    await this.#insertAll(regimenItems, items);
  }

  async #keepUses(owner_kind: OwnerKind, table: string, entries: readonly Entry[]): Promise<void> {
    const rows: Insertable<RowOf<typeof programReferences>>[] = [];
    for (const entry of entries) {
      const owner_id = this.#idOf(table, entry);
      for (const use of usesWithNewIds(entry.program?.uses ?? [], this.#newId))
        rows.push({ owner_kind, owner_id, ...use });
      await this.#turns.next();
    }
    await this.#insertAll(programReferences, rows);
  }

  async #writeConfigs(): Promise<void> {
    for (const { resource, values, createdAt, key } of this.#plan.configs) {
      await resource.ensure(this.#scope);
      const changes: Row = { ...values };
      for (const { name, table } of referringFields(resource)) {
        const id = changes[name];
        if (typeof id === 'number') changes[name] = this.#newId(table, id) ?? null;
      }
      if (createdAt !== null) changes.created_at = createdAt;
      const [row] = await this.#scope.update(resource, changes as Partial<RowOf<typeof resource>>, {});
      if (row) announceChanged(this.#scope, resource, row.id);
      this.taken[key] = 1;
    }
  }

  async #writeDevice(): Promise<void> {
    const { device } = this.#plan;
    if (!device) return;
    const values: Partial<DeviceRow> = { ...device.values };
    const tool = values.mounted_tool_id;
    if (typeof tool === 'number') values.mounted_tool_id = this.#newId('tools', tool) ?? null;
    if (device.createdAt !== null) values.created_at = device.createdAt;
    await changeDevice(this.#scope, await ownDevice(this.#scope), values);
    this.taken[device.key] = 1;
  }
}
