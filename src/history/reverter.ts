import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Change } from '../core/changes.ts';
import { Failure, reasonOf, refused } from '../core/errors.ts';
import type { Message } from '../core/message.ts';
import { recordNoun } from '../core/resource-names.ts';
import type { DeviceScope } from '../db/scope.ts';
import type { ResourceRights } from '../engine/rights.ts';
import type { Call } from '../engine/route.ts';
import type { ShownRecord } from './differences.ts';
import { differences, parseRecord } from './differences.ts';
import { say } from './messages.ts';
import { changeRecord, readRecord, removeRecord, restoreRecord } from './record-changer.ts';
import type { RecordKind } from './record-kinds.ts';
import { shownDefaults } from './record-kinds.ts';

/** Changes reverted without yielding to the event loop. */
const changesAtOnce = 20;

export interface RevertRequest {
  readonly call: Call;
  /** Records that changed since are reverted, too. */
  readonly force: boolean;
}

/** Reverts changes: with the operations that clients have, so that every check of today applies. */
export class Reverter {
  readonly #kinds: ReadonlyMap<string, RecordKind>;
  readonly #rights: ResourceRights;

  constructor(kinds: ReadonlyMap<string, RecordKind>, rights: ResourceRights) {
    this.#kinds = kinds;
    this.#rights = rights;
  }

  /** Reverts changes, newest first. Requires a transaction. Throws 403; 409 if a record changed since; 422 with the reason. */
  async revert(scope: DeviceScope, changes: readonly Change[], { call, force }: RevertRequest): Promise<void> {
    this.#assertWritable(changes, call);
    const newestFirst = [...changes].sort((a, b) => b.id - a.id);
    const checked = new Set<string>();
    for (const each of newestFirst) {
      const key = this.#kindOf(each).isSingle ? each.resource : `${each.resource} ${each.recordId}`;
      if (!checked.has(key) && !force) await this.#assertUnchanged(scope, each, call);
      checked.add(key);
    }
    if (newestFirst.every((each) => this.#isProcessing(each))) throw refused(say.processed);
    for (const [index, each] of newestFirst.entries()) {
      if (index % changesAtOnce === changesAtOnce - 1) await yieldToEventLoop();
      if (!this.#isProcessing(each)) await this.#revertOne(scope, each, call);
    }
  }

  /** Throws 403, which names no resource that the caller may not read, and 422 if it may read none. */
  #assertWritable(changes: readonly Change[], { session: { rights } }: Call): void {
    const [readable, writable] = [this.#rights.readable(rights), this.#rights.writable(rights)];
    if (!changes.some(({ resource }) => readable(resource))) throw refused(say.noChange);
    const forbidden =
      changes.find(({ resource }) => !readable(resource)) ?? changes.find(({ resource }) => !writable(resource));
    if (!forbidden) return;
    throw new Failure(
      'forbidden',
      readable(forbidden.resource) ? say.notWritable(forbidden.resource) : say.notReadable,
    );
  }

  /** Whether the server changed a record because of its files, which no revert changes. */
  #isProcessing(change: Change): boolean {
    return change.action === 'updated' && this.#kindOf(change).hasFiles;
  }

  /** Restores references that the deletion of a record took from others in the same request, where they are still free. `others`: newest first. */
  async restoreReferences(scope: DeviceScope, deleted: Change, others: readonly Change[], call: Call): Promise<void> {
    const writable = this.#rights.writable(call.session.rights);
    for (const other of others) {
      if (!writable(other.resource)) continue;
      await scope
        .transaction((inner) => this.#restoreReference(inner, deleted, other, call))
        .catch((error: unknown) => {
          if (!(error instanceof Failure)) throw error;
        });
    }
  }

  async #restoreReference(scope: DeviceScope, deleted: Change, other: Change, call: Call): Promise<void> {
    const [before, after] = [parseRecord(other.before), parseRecord(other.after)];
    if (!before) return;
    const { target, current } = await this.#find(scope, other, call);
    const { kind } = target;
    const table = this.#kindOf(deleted).resource?.name;
    const tableOf = (field: string): string | undefined =>
      kind.resource ? kind.resource.fields[field]?.traits.foreignKey?.table : deviceReferences[field];
    const refers = (field: string): boolean => before[field] === deleted.recordId && tableOf(field) === table;
    if (!after) {
      // Deleted with the record that it belongs to.
      if (Object.keys(before).some(refers) && !current) await restoreRecord(scope, target, before);
      return;
    }
    const values: Record<string, unknown> = {};
    for (const { field } of differences(before, after)) {
      const [old, now] = [before[field], current?.[field]];
      if (refers(field) && now === after[field]) values[field] = old;
      if (Array.isArray(old) && Array.isArray(now) && old.includes(deleted.recordId) && !now.includes(deleted.recordId))
        // The earlier order, if nothing else changed.
        values[field] = isDeepStrictEqual(now, after[field]) ? old : [...now, deleted.recordId];
    }
    if (current && Object.keys(values).length > 0) await changeRecord(scope, target, values, Object.keys(values));
  }

  async #revertOne(scope: DeviceScope, each: Change, call: Call): Promise<void> {
    const kind = this.#kindOf(each);
    const [before, after] = [parseRecord(each.before), parseRecord(each.after)];
    try {
      const { target, current } = await this.#find(scope, each, call);
      if (before === null && each.action === 'updated') throw refused(say.unknownBefore);
      if (before === null) {
        if (current) await removeRecord(scope, target);
      } else if (current === null) await restoreRecord(scope, target, before);
      else {
        const fields = differences(before, after ?? current).map(({ field }) => field);
        await changeRecord(scope, target, before, fields);
      }
    } catch (error) {
      if (!(error instanceof Failure) || error.code === 'forbidden') throw error;
      throw refused(say.cannotRevert(describe(kind, each, before ?? after), reasonOf(error)));
    }
  }

  /** Throws 409 if a record is not as the change left it. */
  async #assertUnchanged(scope: DeviceScope, each: Change, call: Call): Promise<void> {
    const { target, current } = await this.#find(scope, each, call);
    const { kind } = target;
    // A reset record has its defaults.
    const after = parseRecord(each.after) ?? (current && kind.isSingle ? { ...current, ...shownDefaults(kind) } : null);
    const fields = differences(after, current).map(({ field }) => field);
    // The revert does not touch fields that are younger than the change.
    const isYounger = (field: string): boolean => after !== null && !(field in after);
    if (fields.every((field) => isYounger(field) || followsOthers(kind, field))) return;
    const what = describe(kind, each, after ?? parseRecord(each.before));
    throw new Failure('conflict', say.changedSince(what));
  }

  /** Returns the record of a change as it is now. */
  async #find(scope: DeviceScope, change: Change, call: Call) {
    const kind = this.#kindOf(change);
    const current = await readRecord(scope, { kind, id: change.recordId, call });
    const id = kind.isSingle && current ? Number(current.id) : change.recordId;
    return { target: { kind, id, call }, current };
  }

  #kindOf({ resource }: Change): RecordKind {
    const kind = this.#kinds.get(resource);
    if (!kind) throw refused(say.notInHistory(resource));
    return kind;
  }
}

/** The tables that fields of the device refer to. Its table has no foreign keys, because theirs refer to it. */
const deviceReferences: Readonly<Record<string, string>> = { mounted_tool_id: 'tools' };

/** Whether a value changes without a change of the record: the server sets some when the device is seen, others derive from other records. */
const followsOthers = ({ resource, update }: RecordKind, field: string): boolean => {
  if (resource && !resource.fields[field]?.traits.isDerived) return false;
  const properties = update?.body?.schema.properties;
  return !(typeof properties === 'object' && properties !== null && field in properties);
};

const describe = ({ singular }: RecordKind, { recordId }: Change, record: ShownRecord | null): Message =>
  typeof record?.name === 'string'
    ? say.named(recordNoun(singular), recordId, record.name)
    : say.numbered(recordNoun(singular), recordId);
