import type { LocalText } from '../core/catalog.ts';
import type { Language } from '../core/languages.ts';
import type { DeviceScope } from '../db/scope.ts';
import type { LogStore } from './log-store.ts';
import type { LogType } from './logs.ts';

/** A message from the server to the owner of a device. */
export interface Notice {
  readonly message: LocalText;
  /** `info` if left out. */
  readonly type?: LogType;
  /** Where it is shown besides the list of logs: `toast`, `error`, `fatal_email`, … */
  readonly channels?: readonly string[];
}

/** Sends a notice to the owner of a device, in the caller's transaction or in its own. */
export type Notify = (scope: DeviceScope, notice: Notice) => Promise<void>;

/** Sends notices to owners. */
export interface Notices {
  readonly notify: Notify;
}

/** Version of logs that the server writes. [rule D26] */
const serverVersion = { major_version: 99, minor_version: 99, patch_version: 99 };

/** Publishes a log (JSON text) to the current subscribers of the device. Not awaited; must not throw. */
export type PublishLog = (deviceId: number, log: string) => void;

/** Creates notices that are stored as logs of the device, and published after the commit. `languageOf`: that of a device's owner. */
export function logNotices(
  store: LogStore,
  publish: PublishLog,
  languageOf: (scope: DeviceScope) => Promise<Language>,
): Notices {
  const notify: Notify = async (scope, notice) => {
    if (!scope.isTransaction) return scope.transaction((inner) => notify(inner, notice));
    const { type = 'info', channels = [] } = notice;
    const message = notice.message(await languageOf(scope));
    const values = { ...serverVersion, channels: [...channels], message, type, verbosity: 1 };
    await store.insert(scope, values);
    const log = { id: null, created_at: Math.floor(scope.clock.now() / 1000), updated_at: null, ...values };
    scope.afterCommit(() => publish(scope.deviceId, JSON.stringify({ ...log, meta: {}, x: null, y: null, z: null })));
  };
  return { notify };
}
