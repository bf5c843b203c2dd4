import type { EventRecorder } from '../core/events.ts';

/** One changed record of a transaction. `body` undefined: still to be read; null: gone. */
export interface RecordedChange {
  readonly resource: string;
  readonly recordId: number;
  body: string | null | undefined;
  label: string | undefined;
}

/** What one transaction changed on one device, each record once, in the order of its first change. */
export class RecordedChanges implements EventRecorder {
  readonly #changes = new Map<string, RecordedChange>();

  changed(resource: string, recordId: number, body?: string, label?: string): void {
    this.#record(resource, recordId, body, label);
  }

  gone(resource: string, recordId: number, label?: string): void {
    this.#record(resource, recordId, null, label);
  }

  #record(resource: string, recordId: number, body: string | null | undefined, label: string | undefined): void {
    const key = `${resource} ${recordId}`;
    const earlier = this.#changes.get(key);
    if (earlier) {
      earlier.body = body;
      earlier.label = label ?? earlier.label;
    } else this.#changes.set(key, { resource, recordId, body, label });
  }

  get list(): readonly RecordedChange[] {
    return [...this.#changes.values()];
  }

  /** Takes over what a nested transaction recorded. */
  merge(other: RecordedChanges): void {
    for (const { resource, recordId, body, label } of other.list) this.#record(resource, recordId, body, label);
  }
}

/** While nobody listens, nothing is collected. */
export const nothingRecorded: EventRecorder = { changed: () => undefined, gone: () => undefined };
