/** Who caused a change: the robot's own operating system, another client, or the server itself (jobs). [decision 50] */
export type Origin = 'robot' | 'client' | 'server';

/** One announced change of one record, as handed to listeners. */
export interface Event {
  /** Rises with the order of commits on one device. */
  readonly id: number;
  readonly deviceId: number;
  /** The announced name, `Point`, `PlantTemplate`, … */
  readonly resource: string;
  readonly recordId: number;
  /** The request's id, `NONE` for jobs, or a fresh one. */
  readonly label: string;
  readonly origin: Origin;
  /** The record as HTTP serialises it at commit (JSON text), or null when it is gone. */
  readonly body: string | null;
}

/** Told of each event after its commit and after the answer was sent, in commit order per device, at least once. A rejected promise makes it come again. */
export type EventListener = (event: Event) => void | Promise<void>;

/** Collects what one transaction changed. Several changes of one row make one event. */
export interface EventRecorder {
  /** A record was made or changed. `body` is its serialisation when at hand; else it is read at commit. `label` only where it differs from the request's. */
  changed(resource: string, recordId: number, body?: string, label?: string): void;
  /** A record is gone (deleted or archived). */
  deleted(resource: string, recordId: number, label?: string): void;
}
