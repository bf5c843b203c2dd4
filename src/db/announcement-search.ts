import type { AnnouncementProgress } from './announcement-progress.ts';
import { isPending, pendingAnnouncements, progressAfter, progressOf } from './announcement-progress.ts';
import { changeRows } from './change-rows.ts';
import type { Selection, ServerScope } from './scope.ts';
import { idOf } from './statements.ts';

/** How long a transaction may take from the id of its change to its commit, in ms. A later change is found when it is its device's turn. */
const commitTime = 10_000;

/** Devices whose turn it is in one search. */
const maxInTurn = 50;

type LastChange = Pick<AnnouncementProgress, 'deviceId' | 'last'>;

const lastChanges: Selection<LastChange> = {
  key: 'last changes',
  // Grouped by an expression: with the index that begins with the device, SQLite would read all changes.
  expressions: ['+"device_id"', 'max("id")'],
  groupBy: '1',
  read: ([deviceId, last]) => ({ deviceId: Number(deviceId), last: Number(last) }),
};

/** What a search found. */
export interface FoundChanges {
  /** Devices with changes that another process may have committed since the last search. */
  readonly committed: readonly number[];
  /** Devices with changes that are not announced. */
  readonly pending: readonly number[];
}

/**
 * Finds what other processes committed, twice a second: among the newest changes, the devices that had some to announce before, and a
 * few others in turn. The first search looks at every device. So a search costs the same however many gardens there are.
 */
export class AnnouncementSearch {
  /** The newest change at earlier searches, and their times by performance.now(). */
  readonly #searches: { readonly at: number; readonly newest: number }[] = [];
  #pending: readonly number[] = [];
  /** The last change of devices that is known here, of those that the next search may find. */
  readonly #known = new Map<number, number>();
  /** The device after which the turn of the others goes on. */
  #turn = 0;

  /** Records a commit of this process, which no search reports. */
  addOwn(deviceId: number, last: number): void {
    this.#known.set(deviceId, last);
  }

  async run(server: ServerScope): Promise<FoundChanges> {
    const at = performance.now();
    const [earlier] = this.#searches;
    if (!earlier) {
      const [newest = 0] = await server.select(changeRows, idOf, { order: [['id', 'desc']], limit: 1 });
      const pending = await pendingAnnouncements(server);
      this.#searches.push({ at, newest });
      return { committed: [], pending: this.#remember(pending) };
    }
    const after = earlier.newest;
    const changed = await server.select(changeRows, lastChanges, { where: { id: { gt: after } } });
    const { devices, end } = await progressAfter(server, this.#turn, maxInTurn);
    const inTurn = new Set(devices.map(({ deviceId }) => deviceId));
    const own = new Set([...changed.map(({ deviceId }) => deviceId), ...this.#pending].filter((id) => !inTurn.has(id)));
    const others = own.size === 0 ? [] : await progressOf(server, { where: { id: [...own] } });
    this.#turn = end;
    const pending = [...devices, ...others].filter(isPending);
    const committed = [...changed, ...pending].filter(({ deviceId, last }) => this.#isNew(deviceId, last));
    this.#searches.push({ at, newest: changed.reduce((newest, { last }) => Math.max(newest, last), after) });
    while (this.#searches[1] && this.#searches[1].at <= at - commitTime) this.#searches.shift();
    return { committed: committed.map(({ deviceId }) => deviceId), pending: this.#remember(pending) };
  }

  #isNew(deviceId: number, last: number): boolean {
    if (last <= (this.#known.get(deviceId) ?? 0)) return false;
    this.#known.set(deviceId, last);
    return true;
  }

  #remember(pending: readonly AnnouncementProgress[]): readonly number[] {
    const after = this.#searches[0]?.newest ?? 0;
    for (const [deviceId, last] of this.#known) if (last <= after) this.#known.delete(deviceId);
    for (const { deviceId, last } of pending) this.#known.set(deviceId, Math.max(last, this.#known.get(deviceId) ?? 0));
    this.#pending = pending.map(({ deviceId }) => deviceId);
    return this.#pending;
  }
}
