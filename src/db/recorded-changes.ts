import type { Actor } from '../core/changes.ts';
import type { EventRecorder, Origin } from '../core/events.ts';
import type { EarlierStates } from './earlier-states.ts';

/** The name under which a change is logged and announced. */
export interface ChangeSource {
  readonly label: string;
  readonly origin: Origin;
  readonly actor: Actor;
  readonly request: string;
}

/** One changed record of a transaction. `body` is undefined until it is read, and null for a deleted record. */
export interface RecordedChange extends ChangeSource {
  readonly resource: string;
  readonly recordId: number;
  readonly body: string | null | undefined;
  /** Whether the caller set the label explicitly. */
  readonly hasOwnLabel: boolean;
  /** The old copy that did not change the record. */
  readonly copy?: string;
}

/** The changes of one transaction on one device: each record once, in the order of first changes, and once more if an old copy of it was sent. */
export class RecordedChanges {
  readonly #changes = new Map<string, RecordedChange>();

  /** Returns a recorder that adds changes from this source. */
  recorder({ label, origin, actor, request }: ChangeSource, states: EarlierStates): EventRecorder {
    const record = (
      resource: string,
      recordId: number,
      body: string | null | undefined,
      ownLabel?: string,
      copy?: string,
    ) =>
      this.#record({
        resource,
        recordId,
        body,
        label: ownLabel ?? label,
        origin,
        actor,
        request,
        hasOwnLabel: ownLabel !== undefined,
        ...(copy !== undefined && { copy }),
      });
    return {
      was: (resource, recordId, body) => states.add(resource, recordId, body),
      changed: (resource, recordId, body, ownLabel) => record(resource, recordId, body, ownLabel),
      deleted: (resource, recordId, ownLabel) => record(resource, recordId, null, ownLabel),
      kept: (resource, recordId, copy, stored) => record(resource, recordId, stored, undefined, copy),
    };
  }

  get list(): readonly RecordedChange[] {
    return [...this.#changes.values()];
  }

  /** Adds the changes of a nested transaction. */
  merge(other: RecordedChanges): void {
    for (const change of other.list) this.#record(change);
  }

  #record(change: RecordedChange): void {
    const key = `${change.resource} ${change.recordId}${change.copy === undefined ? '' : ' kept'}`;
    const earlier = this.#changes.get(key);
    const keepsEarlierLabel = earlier?.hasOwnLabel && !change.hasOwnLabel;
    this.#changes.set(key, keepsEarlierLabel ? { ...change, label: earlier.label, hasOwnLabel: true } : change);
  }
}
