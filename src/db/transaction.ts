import type { EventRecorder } from '../core/events.ts';
import { EarlierStates } from './earlier-states.ts';
import type { ChangeSource } from './recorded-changes.ts';
import { RecordedChanges } from './recorded-changes.ts';
import type { Identity } from './scope.ts';
import type { TransactionSession } from './session.ts';

/** Stands for all tables: with a device, its rows in all of them are deleted. */
export const anyTable = '*';

/** An open transaction or savepoint: its session, its changes and its after-commit effects. */
export class Transaction {
  readonly session: TransactionSession;
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
  readonly #outer: Transaction | null;
  /** The devices whose rows are locked. */
  readonly #locked = new Set<number>();
  /** The changes of each device. */
  readonly changes = new Map<number, RecordedChanges>();
  /** The first identity of each device with `responseSent`, which scopes created for a part of the work do not have. */
  readonly identities = new Map<number, Identity>();
  /** The number of rows that a device has more in a table than before: see {@link addedRows}. */
  readonly #added = new Map<string, number>();
  /** The number of a device's rows in a table before the outermost transaction, by a count. */
  readonly #before = new Map<string, number>();

  constructor(session: TransactionSession, outer: Transaction | null) {
    this.session = session;
    this.#outer = outer;
    this.depth = outer ? outer.depth + 1 : 0;
    this.states = new EarlierStates(outer?.states ?? null);
  }

  /** Adds a device whose row was locked: until the end of the transaction, or until a rollback to its savepoint. */
  addLocked(deviceId: number): void {
    this.#locked.add(deviceId);
  }

  isLocked(deviceId: number): boolean {
    return this.#locked.has(deviceId) || (this.#outer?.isLocked(deviceId) ?? false);
  }

  /** Counts inserted rows of a device in a table, or with a negative number deleted ones. */
  addRows(deviceId: number, table: string, count: number): void {
    this.#countRows(`${deviceId} ${table}`, count);
  }

  #countRows(key: string, count: number): void {
    this.#added.set(key, (this.#added.get(key) ?? 0) + count);
  }

  /** Returns the number of rows that a device has more in a table than before the outermost transaction; rows that others delete by their references are not counted. */
  addedRows(deviceId: number, table: string): number {
    return (this.#added.get(`${deviceId} ${table}`) ?? 0) + (this.#outer?.addedRows(deviceId, table) ?? 0);
  }

  /** Stores the number of a device's rows in a table. */
  setRows(deviceId: number, table: string, count: number): void {
    this.#before.set(`${deviceId} ${table}`, count - this.addedRows(deviceId, table));
  }

  /** Returns the maximum number of rows of a device in a table; undefined if they were not counted. */
  maxRows(deviceId: number, table: string): number | undefined {
    const before = this.#rowsBefore(`${deviceId} ${table}`);
    return before === undefined ? undefined : before + this.addedRows(deviceId, table);
  }

  #rowsBefore(key: string): number | undefined {
    return this.#before.get(key) ?? (this.#outer ? this.#outer.#rowsBefore(key) : undefined);
  }

  recorder(source: ChangeSource & { readonly deviceId: number }): EventRecorder {
    const recorded = this.changes.get(source.deviceId) ?? new RecordedChanges();
    this.changes.set(source.deviceId, recorded);
    return recorded.recorder(source, this.states);
  }

  /** Adds the identity for which a scope of the device acts. */
  addIdentity(deviceId: number, identity: Identity): void {
    if ('responseSent' in identity && !this.identities.has(deviceId)) this.identities.set(deviceId, identity);
  }

  /** Adds the changes of a released savepoint. */
  merge(inner: Transaction): void {
    this.effects.push(...inner.effects);
    for (const name of inner.written) this.written.add(name);
    this.notifies ||= inner.notifies;
    for (const deviceId of inner.devices) this.devices.add(deviceId);
    for (const deviceId of inner.#locked) this.#locked.add(deviceId);
    for (const [key, count] of inner.#added) this.#countRows(key, count);
    for (const [key, count] of inner.#before) this.#before.set(key, count);
    this.states.merge(inner.states);
    for (const [deviceId, identity] of inner.identities) this.addIdentity(deviceId, identity);
    for (const [deviceId, recorded] of inner.changes) {
      const outer = this.changes.get(deviceId);
      if (outer) outer.merge(recorded);
      else this.changes.set(deviceId, recorded);
    }
  }
}
