import type { AnnouncementProgress } from './announcement-progress.ts';
import { isPending, pendingAnnouncements, progressAfter, progressOf } from './announcement-progress.ts';
import { changeRows } from './change-rows.ts';
import { idOf } from './row-ids.ts';
import type { Selection, ServerScope } from './scope.ts';

/** How long a transaction may take from the id of its change to its commit, in ms. The round robin finds later ones. */
const commitTime = 10_000;

/** Devices that each search looks at in round robin. */
const roundRobinSize = 50;

type LastChange = Pick<AnnouncementProgress, 'deviceId' | 'last'>;

const lastChanges: Selection<LastChange> = {
  key: 'last changes',
  // Grouped by an expression: with the index that begins with the device, SQLite would read all changes.
  expressions: ['+"device_id"', 'max("id")'],
  groupBy: '1',
  read: ([deviceId, last]) => ({ deviceId: Number(deviceId), last: Number(last) }),
};

/** The result of a search. */
export interface FoundChanges {
  /** Devices with changes that another process may have committed since the last search. */
  readonly committed: readonly number[];
  /** Devices with changes that are not announced. */
  readonly pending: readonly number[];
}

export interface AnnouncementSearchOptions {
  /** Whether a reader of this process needs each change of a device, announced or not. */
  readonly isFollowed: (deviceId: number) => boolean;
  /** No other process serves this database, which is on SQLite: ids ascend in commit order across all devices. */
  readonly isOnlyProcess: boolean;
}

/**
 * Finds the commits of other processes, twice a second: among the newest changes, the devices that had some to announce before, and a
 * few others in round robin. The first search looks at every device. So a search costs the same however many gardens there are.
 */
export class AnnouncementSearch {
  readonly #isFollowed: AnnouncementSearchOptions['isFollowed'];
  readonly #commitTime: number;
  /** The newest change at earlier searches, and their times by performance.now(). */
  readonly #searches: { readonly at: number; readonly newest: number }[] = [];
  #pending: ReadonlySet<number> = new Set();
  /** The last known change of devices in the reach of the next search. */
  readonly #known = new Map<number, number>();
  /** The newest commit of this process. */
  #newestOwn = 0;
  /** The device after which the round robin continues. */
  #roundRobinAfter = 0;

  constructor({ isFollowed, isOnlyProcess }: AnnouncementSearchOptions) {
    this.#isFollowed = isFollowed;
    this.#commitTime = isOnlyProcess ? 0 : commitTime;
  }

  /** Records a commit of this process, which no search reports. */
  addOwn(deviceId: number, last: number): void {
    this.#known.set(deviceId, last);
    this.#newestOwn = Math.max(this.#newestOwn, last);
  }

  /** Records that no other process has committed since the last search: the next one of the only process need not read its own commits. */
  recordIdle(): void {
    this.#searched(performance.now(), Math.max(this.#newestOwn, this.#searches.at(-1)?.newest ?? 0));
    this.#prune();
  }

  async run(server: ServerScope): Promise<FoundChanges> {
    const at = performance.now();
    const [earlier] = this.#searches;
    if (!earlier) {
      const [newest = 0] = await server.select(changeRows, idOf, { order: [['id', 'desc']], limit: 1 });
      const pending = await pendingAnnouncements(server);
      this.#searched(at, newest);
      return { committed: [], pending: this.#remember(pending) };
    }
    const after = earlier.newest;
    const changed = await server.select(changeRows, lastChanges, { where: { id: { gt: after } } });
    const { devices, end } = await progressAfter(server, this.#roundRobinAfter, roundRobinSize);
    const checked = new Set(devices.map(({ deviceId }) => deviceId));
    const unchecked = new Set(
      [...changed.map(({ deviceId }) => deviceId), ...this.#pending].filter((id) => !checked.has(id)),
    );
    const others = unchecked.size === 0 ? [] : await progressOf(server, { where: { id: [...unchecked] } });
    this.#roundRobinAfter = end;
    const pending = [...devices, ...others].filter(isPending);
    // The process that committed late may have announced it already.
    const followed = devices.filter(({ deviceId }) => this.#isFollowed(deviceId));
    const committed = [...changed, ...pending, ...followed].filter(({ deviceId, last }) => this.#isNew(deviceId, last));
    this.#searched(
      at,
      changed.reduce((newest, { last }) => Math.max(newest, last), after),
    );
    return { committed: committed.map(({ deviceId }) => deviceId), pending: this.#remember(pending) };
  }

  #isNew(deviceId: number, last: number): boolean {
    if (last <= (this.#known.get(deviceId) ?? 0)) return false;
    this.#known.set(deviceId, last);
    return true;
  }

  #searched(at: number, newest: number): void {
    this.#searches.push({ at, newest });
    while (this.#searches[1] && this.#searches[1].at <= at - this.#commitTime) this.#searches.shift();
  }

  #remember(pending: readonly AnnouncementProgress[]): readonly number[] {
    this.#pending = new Set(pending.map(({ deviceId }) => deviceId));
    for (const { deviceId, last } of pending) this.#known.set(deviceId, Math.max(last, this.#known.get(deviceId) ?? 0));
    this.#prune();
    return [...this.#pending];
  }

  /** Drops changes that no search finds any more. */
  #prune(): void {
    const after = this.#searches[0]?.newest ?? 0;
    for (const [deviceId, last] of this.#known)
      if (last <= after && !this.#pending.has(deviceId) && !this.#isFollowed(deviceId)) this.#known.delete(deviceId);
  }
}
