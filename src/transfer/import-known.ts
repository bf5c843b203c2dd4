import type { ExistingRecords } from '../programs/references.ts';
import { targetTables } from '../programs/targets.ts';
import type { Entry, EntryList } from './import-records.ts';
import type { Turns } from './import-turns.ts';

/** The lists of a document by their tables. */
export type EntryLists = ReadonlyMap<string, EntryList>;

/** Records of the account that stand for some of the document: by table, from the document's id to the account's. */
export type Reused = ReadonlyMap<string, ReadonlyMap<number, number>>;

/** What became of a record that another one names. `missing`: the document never had it. */
export type RecordState = 'there' | 'left out' | 'missing';

/** What a reference of the document leads to. Ids of the document lead to nothing but its own records, whatever this server has under them. */
export class KnownRecords {
  readonly #lists: EntryLists;
  /** Records that are stored or stand in for others, by table; points with their type. */
  readonly #there = new Map<string, Map<number, string | null>>();

  constructor(lists: EntryLists, reused: Reused) {
    this.#lists = lists;
    for (const [table, { entries, faulty }] of lists) {
      const there = new Map<number, string | null>();
      for (const { id, values } of [...entries, ...faulty])
        there.set(id, typeof values.pointer_type === 'string' ? values.pointer_type : null);
      for (const id of reused.get(table)?.keys() ?? []) there.set(id, null);
      this.#there.set(table, there);
    }
  }

  state(table: string, id: number): RecordState {
    if (this.#there.get(table)?.has(id)) return 'there';
    return this.#lists.get(table)?.ids.has(id) ? 'left out' : 'missing';
  }

  /** A record is not stored after all. */
  forget(table: string, id: number): void {
    this.#there.get(table)?.delete(id);
  }

  /** The same for programs; changes as records are forgotten. */
  get existing(): ExistingRecords {
    return new Map(targetTables.map((target) => [target, this.#there.get(target) ?? new Map()]));
  }
}

/** Keeps those entries of a list that pass, and forgets the others. */
export async function keepEntries(
  list: EntryList,
  known: KnownRecords,
  turns: Turns,
  passes: (entry: Entry) => boolean,
): Promise<void> {
  const kept: Entry[] = [];
  for (const entry of list.entries) {
    await turns.next();
    if (passes(entry)) kept.push(entry);
    else known.forget(list.resource.name, entry.id);
  }
  list.entries = kept;
}
