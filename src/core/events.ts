/** The source of a change: the robot's operating system, another client, or the server itself (jobs). [decision 50] */
export type Origin = 'robot' | 'client' | 'server';

/** One change of one record, as passed to listeners. */
export interface Event {
  /** Ascends in commit order within a device. */
  readonly id: number;
  readonly deviceId: number;
  /** The resource's name in the log: `Point`, `PlantTemplate`, … */
  readonly resource: string;
  readonly recordId: number;
  /** The request's id, `NONE` for jobs, or a generated one. */
  readonly label: string;
  readonly origin: Origin;
  /** The record's JSON at commit, as in HTTP responses; null if it was deleted. */
  readonly body: string | null;
}

/** Receives each event at least once, after its commit and after the response was sent, in commit order per device. A rejected promise causes a retry. */
export type EventListener = (event: Event) => void | Promise<void>;

/** Collects the changes of one transaction. Several changes of one record become one event. */
export interface EventRecorder {
  /** States the JSON of a record before its change, where the scope does not read it by itself. */
  was(resource: string, recordId: number, body: string | null): void;
  /** Records a created or changed record. `body` is its JSON, read at commit if omitted. `label` overrides the request's label. */
  changed(resource: string, recordId: number, body?: string, label?: string): void;
  /** Records a deleted or archived record. */
  deleted(resource: string, recordId: number, label?: string): void;
  /** Records that a robot's old copy did not change a record, for the history only. `stored`: the record's JSON. [rule V23] */
  kept(resource: string, recordId: number, copy: string, stored: string): void;
}
