const minute = 60_000;
const day = 24 * 60;

/** A local time of day. */
export const timePattern = /^(?:[01]\d|2[0-3]):[0-5]\d$/;

const minutesOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));

/** Returns the local time of day in a zone, in minutes. */
function localMinutes(zone: string, at: number): number {
  const format = new Intl.DateTimeFormat('en-GB', { timeZone: zone, hour: '2-digit', minute: '2-digit' });
  return minutesOf(format.format(at));
}

/** Returns when the quiet hours that include a time (ms) end; the time itself if none do. Where clocks change, the end follows them. */
export function afterQuietHours(
  { quiet_from: from, quiet_to: to }: { readonly quiet_from: string | null; readonly quiet_to: string | null },
  zone: string,
  at: number,
): number {
  if (from === null || to === null || from === to) return at;
  const since = (start: string, now: number): number => (now - minutesOf(start) + day) % day;
  const now = localMinutes(zone, at);
  const length = since(from, minutesOf(to));
  if (since(from, now) >= length) return at;
  const end = Math.floor(at / minute) * minute + (length - since(from, now)) * minute;
  // The clock was changed in between.
  const late = (localMinutes(zone, end) - minutesOf(to) + day) % day;
  return end - (late > day / 2 ? late - day : late) * minute;
}
