import { timestamp } from '../../core/clock.ts';
import type { DeviceScope, Selection } from '../../db/scope.ts';
import { changeDevice, ownDevice } from '../../device/devices.ts';
import type { Excess } from './message-counts.ts';

/** A pause longer than this is told by mail, in ms. [reference 13.1] */
const toldByMail = 2 * 60 * 60_000;

export interface ThrottleNotices {
  /** Tells the device's owner something, in the caller's transaction. */
  readonly notify: (
    scope: DeviceScope,
    notice: { readonly message: string; readonly type: 'info' | 'warn'; readonly channels: readonly string[] },
  ) => Promise<void>;
  /** A time (ms since the epoch) as people at the device read it. */
  readonly localTime: (zone: string | null, at: number) => string;
}

/** Until when a device's logs are not stored, as the device says: ms since the epoch or null. */
export const throttledUntil: Selection<number | null> = {
  key: 'throttled_until',
  expressions: ['"throttled_until"'],
  read: ([until]) => (typeof until === 'string' ? Date.parse(until) : null),
};

/** Begins a pause in which the device's logs are not stored, inside a transaction, or makes it longer. [reference 13.1] */
export async function beginPause(
  scope: DeviceScope,
  { limit: { most, window }, until }: Excess,
  at: number,
  { notify, localTime }: ThrottleNotices,
): Promise<void> {
  const device = await ownDevice(scope);
  await changeDevice(scope, device, { throttled_until: timestamp(until), throttled_at: timestamp(at) });
  const end = `${localTime(device.timezone, until)}${device.timezone === null ? ' UTC' : ''}`;
  await notify(scope, {
    message: `More than ${most} logs came within one ${window}. Further ones are not stored until ${end}.`,
    type: 'warn',
    channels: [until - at > toldByMail ? 'email' : 'toast'],
  });
}

/** Ends the pause, inside a transaction. [reference 13.1] */
export async function endPause(scope: DeviceScope, { notify }: ThrottleNotices): Promise<void> {
  await changeDevice(scope, await ownDevice(scope), { throttled_until: null, throttled_at: null });
  await notify(scope, { message: 'Logs are stored again.', type: 'info', channels: ['toast'] });
}
