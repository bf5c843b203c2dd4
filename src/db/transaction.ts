import type { EventRecorder } from '../core/events.ts';
import { EarlierStates } from './earlier-states.ts';
import type { ChangeSource } from './recorded-changes.ts';
import { RecordedChanges } from './recorded-changes.ts';
import type { Session } from './session.ts';

/** Stands for all tables: with a device, its rows in all of them are deleted. */
export const anyTable = '*';

/** What one transaction changed of one device. */
interface DeviceChanges {
  readonly recorded: RecordedChanges;
  /** Settles when the response was sent; undefined without a request. */
  readonly responseSent: Promise<void> | undefined;
}

/** An open transaction or savepoint: its session, its changes and its after-commit effects. */
export class Transaction {
  readonly session: Session;
  readonly depth: number;
  /** Committed or rolled back; its scopes can no longer be used. */
  isOver = false;
  readonly effects: (() => void)[] = [];
  /** The tables whose {@link ServerScope.version} changes with the commit. */
  readonly written = new Set<string>();
  /** Other processes are notified of the commit. */
  notifies = false;
  /** The devices whose scopes wrote. */
  readonly devices = new Set<number>();
  readonly states: EarlierStates;
  readonly changes = new Map<number, DeviceChanges>();

  constructor(session: Session, outer: Transaction | null) {
    this.session = session;
    this.depth = outer ? outer.depth + 1 : 0;
    this.states = new EarlierStates(outer?.states ?? null);
  }

  recorder(
    source: ChangeSource & { readonly deviceId: number; readonly responseSent: Promise<void> | undefined },
  ): EventRecorder {
    const entry = this.changes.get(source.deviceId);
    const recorded = entry?.recorded ?? new RecordedChanges();
    // Scopes made for a part of the work do not know when the response is sent.
    const responseSent = entry?.responseSent ?? source.responseSent;
    this.changes.set(source.deviceId, { recorded, responseSent });
    return recorded.recorder(source, this.states);
  }

  /** Adds what a released savepoint did. */
  merge(inner: Transaction): void {
    this.effects.push(...inner.effects);
    for (const name of inner.written) this.written.add(name);
    this.notifies ||= inner.notifies;
    for (const deviceId of inner.devices) this.devices.add(deviceId);
    this.states.merge(inner.states);
    for (const [deviceId, changes] of inner.changes) {
      const entry = this.changes.get(deviceId);
      if (entry) entry.recorded.merge(changes.recorded);
      else this.changes.set(deviceId, changes);
    }
  }
}
