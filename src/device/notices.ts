import type { Language } from '../core/languages.ts';
import type { DeviceScope } from '../db/scope.ts';
import type { LogStore } from './log-store.ts';
import type { Notify } from './notice.ts';

/** Version of logs that the server writes. [rule D26] */
const serverVersion = { major_version: 99, minor_version: 99, patch_version: 99 };

/** Publishes a log (JSON text) to the current subscribers of the device. Not awaited; must not throw. */
export type PublishLog = (deviceId: number, log: string) => void;

/** Creates notices that are stored as logs of the device, and published after the commit. `languageOf`: the language of a device's owner. */
export function logNotices(
  store: LogStore,
  publish: PublishLog,
  languageOf: (scope: DeviceScope) => Promise<Language>,
): Notify {
  const notify: Notify = async (scope, notice) => {
    if (!scope.isTransaction) return scope.transaction((inner) => notify(inner, notice));
    const { type = 'info', channels = [] } = notice;
    const message = notice.message(await languageOf(scope));
    const values = { ...serverVersion, channels: [...channels], message, type, verbosity: 1 };
    await store.insert(scope, values);
    const log = { id: null, created_at: Math.floor(scope.clock.now() / 1000), updated_at: null, ...values };
    scope.afterCommit(() => publish(scope.deviceId, JSON.stringify({ ...log, meta: {}, x: null, y: null, z: null })));
  };
  return notify;
}
