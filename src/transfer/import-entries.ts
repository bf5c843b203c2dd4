import type { Timestamp } from '../core/clock.ts';
import type { Slices } from '../core/request-pause.ts';
import type { AnyResource } from '../engine/resource.ts';

/** A record of a document that is to be imported. */
export interface Entry {
  /** A JSON pointer into the document. */
  readonly path: string;
  /** The record as it is in the document. */
  readonly sent: Readonly<Record<string, unknown>>;
  /** Its id in the document. */
  readonly id: number;
  /** The parsed fields. References are ids of the document. */
  readonly values: Record<string, unknown>;
  readonly createdAt: Timestamp | null;
}

/** The records of one resource. */
export interface EntryList {
  readonly key: string;
  readonly resource: AnyResource;
  /** The records to store, in the order of the document. */
  entries: Entry[];
  /** The ids of all records in the document, stored or not. */
  readonly ids: ReadonlySet<number>;
  /** Records that make the import fail. References to them are not reported as well. */
  readonly invalid: readonly Pick<Entry, 'id' | 'values'>[];
}

/** The lists of a document by table. */
export type EntryLists = ReadonlyMap<string, EntryList>;

/** Records of the account that replace some of the document: by table, the ids of the account by the ids of the document. */
export type ReusedIds = ReadonlyMap<string, ReadonlyMap<number, number>>;

/** The treatment of a referenced record. `missing`: the document does not contain it. */
export type RecordState = 'stored' | 'omitted' | 'missing';

/** The records that references of the document can resolve to. Other records of this server are never referenced, whatever their ids. */
export class KnownRecords {
  readonly #lists: EntryLists;
  /** Records that are stored or reused, with the value of their discriminator, by table. */
  readonly #stored = new Map<string, Map<number, string | null>>();

  constructor(lists: EntryLists, reused: ReusedIds) {
    this.#lists = lists;
    for (const [table, { resource, entries, invalid }] of lists) {
      const { discriminator } = resource.options;
      const stored = new Map<number, string | null>();
      for (const { id, values } of [...entries, ...invalid]) {
        const variant = discriminator === undefined ? null : values[discriminator];
        stored.set(id, typeof variant === 'string' ? variant : null);
      }
      for (const id of reused.get(table)?.keys() ?? []) stored.set(id, null);
      this.#stored.set(table, stored);
    }
  }

  state(table: string, id: number): RecordState {
    if (this.#stored.get(table)?.has(id)) return 'stored';
    return this.#lists.get(table)?.ids.has(id) ? 'omitted' : 'missing';
  }

  /** Marks a record as not stored. */
  omit(table: string, id: number): void {
    this.#stored.get(table)?.delete(id);
  }

  /** Returns the stored ids of a table with the value of their discriminator, updated as records are omitted. */
  stored(table: string): ReadonlyMap<number, string | null> {
    return this.#stored.get(table) ?? new Map();
  }
}

/** Keeps the entries that pass a test, and marks the others as not stored. */
export async function filterEntries(
  list: EntryList,
  { known, slices }: { readonly known: KnownRecords; readonly slices: Slices },
  passes: (entry: Entry) => boolean,
): Promise<void> {
  const kept: Entry[] = [];
  for (const entry of list.entries) {
    await slices.pause();
    if (passes(entry)) kept.push(entry);
    else known.omit(list.resource.name, entry.id);
  }
  list.entries = kept;
}

/** Removes some of the oldest candidates from a list. */
export function omitOldest(
  list: EntryList,
  candidates: readonly Entry[],
  count: number,
  timeOf: (entry: Entry) => Timestamp,
): void {
  const oldestFirst = [...candidates].sort((a, b) => Number(timeOf(a) > timeOf(b)) - Number(timeOf(a) < timeOf(b)));
  const omitted = new Set(oldestFirst.slice(0, count));
  list.entries = list.entries.filter((entry) => !omitted.has(entry));
}
