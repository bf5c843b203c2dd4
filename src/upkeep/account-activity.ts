import { membershipsOf } from '../accounts/members.ts';
import type { AccountServices } from '../accounts/services.ts';
import { tokenIssuances } from '../accounts/token-issuances.ts';
import type { UserRow } from '../accounts/users.ts';
import { monthsBefore } from '../core/calendar.ts';
import type { Timestamp } from '../core/clock.ts';
import { timestamp } from '../core/clock.ts';
import { confirmedNow } from '../core/confirmed-time.ts';
import type { Language } from '../core/languages.ts';
import { defaultLanguage } from '../core/languages.ts';
import type { ServerScope } from '../db/scope.ts';
import { devices } from '../device/devices.ts';

const day = 86_400_000;

/** How long an account may be unused, if a robot has ever connected and if none has. [rule T9] */
const inactivityPeriods = { robot: { months: 29, days: 15 }, none: { months: 2, days: 15 } } as const;

/** The shorter of the two: younger accounts need not be checked. */
export const minInactivityPeriod = inactivityPeriods.none;

/** Returns the time a period before `now` (in ms). */
export const periodBefore = (now: number, { months, days }: { readonly months: number; readonly days: number }) =>
  timestamp(monthsBefore(now, months) - days * day);

/** When an account was last used, and whether that is too long ago. */
export interface AccountActivity {
  readonly lastActive: Timestamp;
  readonly isInactive: boolean;
}

/**
 * Returns the last activity of an account: its creation, a request by its user, a request or a broker sign-in by its device, or
 * a token issued for its device. The activity of a device counts for all its owners.
 */
export async function accountActivity(
  server: ServerScope,
  { activity, device: { activity: deviceActivity } }: AccountServices,
  user: UserRow,
): Promise<AccountActivity> {
  const others = (await membershipsOf(server, user.id)).filter(({ role }) => role === 'owner');
  const ids = [user.device_id, ...others.map(({ device_id }) => device_id)];
  const owned = await server.rows(devices, { where: { id: ids } });
  const token = await server.first(tokenIssuances, {
    where: { device_id: ids },
    order: [
      ['created_at', 'desc'],
      ['id', 'desc'],
    ],
  });
  const { created_at, current_sign_in_at, last_sign_in_at } = activity.overlay(user);
  const lastSeen = owned.map((device) => deviceActivity.lastSeen(device));
  const lastActive = [created_at, current_sign_in_at, last_sign_in_at, ...lastSeen, token?.created_at]
    .filter((time) => time !== null && time !== undefined)
    .sort()
    .at(-1);
  if (lastActive === undefined) throw new Error(`user ${user.id} has no creation time`);
  const period = owned.some(({ fbos_version }) => fbos_version !== null)
    ? inactivityPeriods.robot
    : inactivityPeriods.none;
  return { lastActive, isInactive: lastActive < periodBefore(confirmedNow(server.clock), period) };
}

/** Returns the time since then as text, in whole months or years: `23 months`, in French `23 mois`. */
export function formatPeriod(since: Timestamp, now: number, language: Language = defaultLanguage): string {
  let months = 1;
  while (timestamp(monthsBefore(now, months + 1)) >= since) months++;
  const [number, unit] = months < 24 ? [months, 'month'] : [Math.floor(months / 12), 'year'];
  return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(number);
}
