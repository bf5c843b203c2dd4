import type { AccountServices } from '../accounts/services.ts';
import { tokenIssuances } from '../accounts/token-issuances.ts';
import type { UserRow } from '../accounts/users.ts';
import type { Timestamp } from '../core/clock.ts';
import { timestamp } from '../core/clock.ts';
import type { ServerScope } from '../db/scope.ts';
import type { DeviceActivity } from '../device/device-activity.ts';
import { devices } from '../device/devices.ts';
import { monthsBefore } from '../garden/point-lifecycle.ts';

const day = 86_400_000;

/** How long an account may go unused: with a robot that ever came, and without. [reference 14.3] */
const periods = { robot: { months: 29, days: 15 }, none: { months: 2, days: 15 } } as const;

/** The shorter of the two, which accounts must outlive to be looked at. */
export const shortestPeriod = periods.none;

/** The time a period before `now` (ms). */
export const periodBefore = (now: number, { months, days }: { readonly months: number; readonly days: number }) =>
  timestamp(monthsBefore(now, months) - days * day);

/** When an account was used last, and whether that is too long ago. */
export interface SignsOfLife {
  readonly last: Timestamp;
  readonly isInactive: boolean;
}

interface Traffic {
  readonly users: Pick<AccountServices['activity'], 'overlay'>;
  readonly devices: Pick<DeviceActivity, 'lastSeen'>;
}

/**
 * The last sign of life of an account: its making, a request of its user, a request or a sign-in at the broker in its
 * device's name, a token for its device. Whoever shares a device is alive while the device is.
 */
export async function signsOfLife(server: ServerScope, traffic: Traffic, user: UserRow): Promise<SignsOfLife> {
  const device = await server.first(devices, { where: { id: user.device_id } });
  const token = await server.first(tokenIssuances, {
    where: { device_id: user.device_id },
    order: [
      ['created_at', 'desc'],
      ['id', 'desc'],
    ],
  });
  const { created_at, current_sign_in_at, last_sign_in_at } = traffic.users.overlay(user);
  const seen = device ? traffic.devices.lastSeen(device) : null;
  const last = [created_at, current_sign_in_at, last_sign_in_at, seen, token?.created_at]
    .filter((time) => time !== null && time !== undefined)
    .sort()
    .at(-1);
  if (last === undefined) throw new Error(`user ${user.id} was never made`);
  const period = device?.fbos_version == null ? periods.none : periods.robot;
  return { last, isInactive: last < periodBefore(server.clock.now(), period) };
}

/** How long ago a time was, in whole months or years, for a sentence. */
export function lengthInWords(since: Timestamp, now: number): string {
  let months = 1;
  while (timestamp(monthsBefore(now, months + 1)) >= since) months++;
  const [number, unit] = months < 24 ? [months, 'month'] : [Math.floor(months / 12), 'year'];
  return `${number} ${unit}${number === 1 ? '' : 's'}`;
}
