import type { Change } from '../core/changes.ts';
import { changeCursors, trimMarks, trimmedDeliveries } from './change-cursors.ts';
import type { ChangeRow } from './change-rows.ts';
import { changeRows, effective, toChange } from './change-rows.ts';
import { idOf } from './row-ids.ts';
import type { DeviceScope, Selection } from './scope.ts';

/** The ids and sizes of changes, without their texts. */
export const sizeOf: Selection<readonly [id: number, bytes: number]> = {
  key: 'id and size',
  expressions: ['"id"', '"byte_size"'],
  read: ([id, bytes]) => [Number(id), Number(bytes)],
};

/** The changes to read. */
export interface ChangeQuery {
  /** The id of the last change that was read before; 0: none. */
  readonly after: number;
  readonly limit: number;
  readonly resources?: readonly string[];
  /** Whether the reader takes changes of a kind of record; of all by default. */
  readonly takes?: (resource: string) => boolean;
  /** Bytes of the changes; the first one may be larger. All by default. */
  readonly maxBytes?: number;
}

/** A commit of this process. */
export interface Commit {
  /** The first and the last of its changes of a device. */
  readonly first: number;
  readonly last: number;
  /** Settles when the response was sent or its connection closed: announcements wait for it. [decision 50] */
  readonly responseSent: Promise<void> | undefined;
  /** Its changes, if they are few and the log has an earlier one. */
  readonly changes: CommittedChanges | null;
}

/** The effective changes of a commit, for readers that have all earlier ones. */
export interface CommittedChanges {
  /** The id of the device's change before the first of the commit. */
  readonly previous: number;
  readonly list: readonly Change[];
}

/** `unconfirmed`: it failed, but the database may have committed it before its connection was lost. */
export type CommitSource = Commit | 'unconfirmed' | 'other process';

const readMarks = (scope: DeviceScope) => scope.rows(changeCursors, { where: { reader: trimMarks } });

type CommitListener = (deviceId: number, source: CommitSource) => void;

/** Reads the first rows, as long as they have no more bytes than this in all. */
async function readRows(scope: DeviceScope, query: ChangeQuery): Promise<readonly ChangeRow[]> {
  const { after, limit, resources, maxBytes } = query;
  if (resources?.length === 0) return [];
  const between = (ids: { readonly gt: number; readonly lte?: number }) => ({
    where: { id: ids, ...effective, ...(resources && { resource: resources }) },
    limit,
  });
  if (maxBytes === undefined) return scope.rows(changeRows, between({ gt: after }));
  let [bytes, last] = [0, 0];
  for (const [id, size] of await scope.select(changeRows, sizeOf, between({ gt: after }))) {
    bytes += size;
    if (bytes > maxBytes && last > 0) break;
    last = id;
  }
  return last === 0 ? [] : scope.rows(changeRows, between({ gt: after, lte: last }));
}

/** The change log of every device: ids ascend in commit order within a device. [ADR 48] */
export class ChangeLog {
  /** The kinds of records whose changes are kept for delivery only. */
  readonly deliveredOnly: readonly string[];
  readonly #listeners = new Set<CommitListener>();
  /** The number of followers of each device. */
  readonly #followers = new Map<number, number>();

  constructor(deliveredOnly: readonly string[] = []) {
    this.deliveredOnly = deliveredOnly;
  }

  /** Returns the id of the device's newest change, which may be deleted by now; 0 if there is none. */
  async lastId(scope: DeviceScope): Promise<number> {
    const newest = scope.select(changeRows, idOf, { order: [['id', 'desc']], limit: 1 });
    const [[id = 0], marks] = await Promise.all([newest, readMarks(scope)]);
    return Math.max(id, ...marks.map(({ position }) => position));
  }

  /** Has the commits of all processes to a device reported, also of changes that are announced already. Returns the function that ends it. */
  follow(deviceId: number): () => void {
    const count = () => this.#followers.get(deviceId) ?? 0;
    this.#followers.set(deviceId, count() + 1);
    return () => {
      if (count() > 1) this.#followers.set(deviceId, count() - 1);
      else this.#followers.delete(deviceId);
    };
  }

  isFollowed(deviceId: number): boolean {
    return this.#followers.has(deviceId);
  }

  /** Returns the changes after a cursor, oldest first; `reset` if the log no longer has all that the reader takes. */
  async read(scope: DeviceScope, query: ChangeQuery): Promise<readonly Change[] | 'reset'> {
    const rows = await readRows(scope, query);
    // Read afterwards: rows may be deleted in between.
    const marks = await readMarks(scope);
    const isLost = marks.some(
      ({ reader, position }) =>
        position > query.after && (reader !== trimmedDeliveries || this.#takesDeliveries(query)),
    );
    return isLost ? 'reset' : rows.map(toChange);
  }

  #takesDeliveries({ resources, takes = () => true }: ChangeQuery): boolean {
    return this.deliveredOnly.some((name) => takes(name) && (resources?.includes(name) ?? true));
  }

  /** Returns one change of the device; undefined if the log does not have it. */
  async find(scope: DeviceScope, id: number): Promise<Change | undefined> {
    const row = await scope.first(changeRows, { where: { id } });
    return row && toChange(row);
  }

  /**
   * Calls the listener after commits that logged changes of a device: of this process immediately, of others within a second,
   * sometimes without a commit. It must not throw. Returns the function that ends it.
   */
  onCommit(listener: CommitListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Notifies the listeners of a commit. */
  committed(deviceId: number, source: CommitSource): void {
    for (const listener of this.#listeners) listener(deviceId, source);
  }
}
