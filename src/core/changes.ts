import type { Timestamp } from './clock.ts';
import type { Origin } from './events.ts';

/** The author of a change. */
export interface Actor {
  /** A person, the robot, a background job, or the server itself (ingestion, commands). */
  readonly kind: 'user' | 'robot' | 'job' | 'server';
  /** The user of the session, also of a robot's. */
  readonly user_id: number | null;
  /** The user's name. */
  readonly name: string | null;
  /** The name of the personal token, or the kind of the job. */
  readonly via: string | null;
}

/** The server itself. */
export const serverActor: Actor = { kind: 'server', user_id: null, name: null, via: null };

/** A robot whose message came over MQTT. */
export const robotActor: Actor = { ...serverActor, kind: 'robot' };

/** `kept`: a robot sent an old copy, and nothing changed. [rule V23] */
export type ChangeAction = 'created' | 'updated' | 'deleted' | 'kept';

/** One change of one record, as the change log keeps it. */
export interface Change {
  /** Ascends in commit order within a device. */
  readonly id: number;
  readonly deviceId: number;
  readonly at: Timestamp;
  /** Created by the server: the same for all changes of one request, one run of a job or one batch of messages. */
  readonly request: string;
  readonly actor: Actor;
  /** The resource's name in the log: `Point`, `PlantTemplate`, … */
  readonly resource: string;
  readonly recordId: number;
  readonly action: ChangeAction;
  /** The record's JSON before the change, as in HTTP responses, or the old copy that a robot sent; null if it was created, or its kind is not part of the history. */
  readonly before: string | null;
  /** The record's JSON at commit, as in HTTP responses; null if it was deleted. */
  readonly after: string | null;
  /** The request's id, which its client may have sent, `NONE` for jobs, or a generated one. */
  readonly label: string;
  readonly origin: Origin;
}
