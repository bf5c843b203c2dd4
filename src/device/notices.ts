import type { DeviceScope } from '../db/scope.ts';
import type { LogStore } from './log-store.ts';
import type { LogType } from './logs.ts';

/** Something that the server has to tell the device's owner. */
export interface Notice {
  readonly message: string;
  /** `info` if left out. */
  readonly type?: LogType;
  /** Where it shows beside the list of logs: `toast`, `error`, `fatal_email`, … */
  readonly channels?: readonly string[];
}

/** Tells the owner of a device something, in the caller's transaction or in one of its own. [reference 0.4] */
export type Notify = (scope: DeviceScope, notice: Notice) => Promise<void>;

/** The way to tell owners something. */
export interface Notices {
  readonly notify: Notify;
}

/** The version by which clients know that the server itself speaks. [reference 0.4] */
const ownVersion = { major_version: 99, minor_version: 99, patch_version: 99 };

/** Shows a log (JSON text) to those who watch the device just now. Must not throw; nobody waits for it. */
export type ShowLog = (deviceId: number, log: string) => void;

/** Notices as logs of the device, in the caller's transaction or in one of their own; shown to those who watch when they are stored. */
export function logNotices(book: LogStore, show: ShowLog): Notices {
  const notify: Notify = async (scope, notice) => {
    if (!scope.isTransaction) return scope.transaction((inner) => notify(inner, notice));
    const { message, type = 'info', channels = [] } = notice;
    const values = { ...ownVersion, channels: [...channels], message, type, verbosity: 1 };
    await book.insert(scope, values);
    const log = { id: null, created_at: Math.floor(scope.clock.now() / 1000), updated_at: null, ...values };
    scope.afterCommit(() => show(scope.deviceId, JSON.stringify({ ...log, meta: {}, x: null, y: null, z: null })));
  };
  return { notify };
}
