import type { EventRecorder, Origin } from '../core/events.ts';

/** In whose name a change is announced. */
export interface Announcer {
  readonly label: string;
  readonly origin: Origin;
}

/** One changed record of a transaction. `body` undefined: still to be read; null: gone. */
export interface RecordedChange extends Announcer {
  readonly resource: string;
  readonly recordId: number;
  readonly body: string | null | undefined;
  /** The label is not the announcer's but was asked for. */
  readonly isLabelled: boolean;
}

/** What one transaction changed on one device, each record once, in the order of its first change. */
export class RecordedChanges {
  readonly #changes = new Map<string, RecordedChange>();

  /** Records changes in somebody's name. */
  by({ label, origin }: Announcer): EventRecorder {
    const record = (resource: string, recordId: number, body: string | null | undefined, asked: string | undefined) =>
      this.#record({ resource, recordId, body, label: asked ?? label, origin, isLabelled: asked !== undefined });
    return {
      changed: (resource, recordId, body, asked) => record(resource, recordId, body, asked),
      deleted: (resource, recordId, asked) => record(resource, recordId, null, asked),
    };
  }

  get list(): readonly RecordedChange[] {
    return [...this.#changes.values()];
  }

  /** Takes over what a nested transaction recorded. */
  merge(other: RecordedChanges): void {
    for (const change of other.list) this.#record(change);
  }

  #record(change: RecordedChange): void {
    const key = `${change.resource} ${change.recordId}`;
    const earlier = this.#changes.get(key);
    const keepsLabel = earlier?.isLabelled && !change.isLabelled;
    this.#changes.set(key, keepsLabel ? { ...change, label: earlier.label, isLabelled: true } : change);
  }
}

/** While nobody listens, nothing is collected. */
export const nothingRecorded: EventRecorder = { changed: () => undefined, deleted: () => undefined };
