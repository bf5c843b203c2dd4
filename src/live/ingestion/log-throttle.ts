import { catalogIn } from '../../core/catalog.ts';
import { timestamp } from '../../core/clock.ts';
import type { Language } from '../../core/languages.ts';
import type { DeviceScope, Selection } from '../../db/scope.ts';
import { changeDevice, ownDevice } from '../../device/devices.ts';
import type { Notify } from '../../device/notice.ts';
import type { ExceededLimit } from './message-limits.ts';

/** Duration from which on the owner gets a mail about a throttle, in ms. [rule M21] */
const mailThreshold = 2 * 60 * 60_000;

export interface ThrottleOptions {
  /** Notifies the device's owner, in the caller's transaction. */
  readonly notify: Notify;
  /** Formats a time (ms since the epoch) in the device's time zone. */
  readonly localTime: (zone: string | null, at: number, language: Language) => string;
}

const en = {
  began: (max: number, window: ExceededLimit['limit']['window'], end: string) =>
    `More than ${max} logs were received within one ${window}. Until ${end}, only errors, warnings and assertions are stored.`,
  ended: 'All logs are stored again.',
};

const windowsInFrench = { minute: 'une minute', hour: 'une heure', day: 'une journée' };

const fr: typeof en = {
  began: (max, window, end) =>
    `Plus de ${max} messages ont été reçus en ${windowsInFrench[window]}. Jusqu’au ${end}, seuls les erreurs, les avertissements et les assertions sont enregistrés.`,
  ended: 'Tous les messages sont de nouveau enregistrés.',
};

const textIn = catalogIn({ en, fr });

/** Selects the end of a device's throttle: ms since the epoch, or null. */
export const throttledUntil: Selection<number | null> = {
  key: 'throttled_until',
  expressions: ['"throttled_until"'],
  read: ([until]) => (typeof until === 'string' ? Date.parse(until) : null),
};

/** Starts or extends a throttle, during which only important logs of the device are stored. Runs in the caller's transaction. [rule M21] */
export async function startThrottle(
  scope: DeviceScope,
  { limit: { max, window }, until }: ExceededLimit,
  at: number,
  { notify, localTime }: ThrottleOptions,
): Promise<void> {
  const device = await ownDevice(scope);
  await changeDevice(scope, device, { throttled_until: timestamp(until), throttled_at: timestamp(at) });
  const zone = device.timezone === null ? ' UTC' : '';
  await notify(scope, {
    message: (language) => textIn(language).began(max, window, localTime(device.timezone, until, language) + zone),
    type: 'warn',
    channels: [until - at > mailThreshold ? 'email' : 'toast'],
  });
}

/** Ends a throttle, in the caller's transaction. [rule M21] */
export async function endThrottle(scope: DeviceScope, { notify }: ThrottleOptions): Promise<void> {
  await changeDevice(scope, await ownDevice(scope), { throttled_until: null, throttled_at: null });
  await notify(scope, { message: (language) => textIn(language).ended, type: 'info', channels: ['toast'] });
}
