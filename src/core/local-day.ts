const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone);
  if (!format) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
      hourCycle: 'h23',
    });
    formats.set(zone, format);
  }
  return format;
}

/** What clocks of the zone show at a point in time, as if it were UTC; whole seconds, in ms. */
function shownTime(zone: string, at: number): number {
  const parts: Record<string, number> = {};
  for (const { type, value } of formatOf(zone).formatToParts(at)) parts[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

const day = 86_400_000;

/**
 * When the day began, in a time zone, that `at` (ms since the epoch) falls on. Of two midnights it is the first; where the
 * clocks skip midnight it is the moment they do. Throws RangeError for a zone that the runtime does not know.
 */
export function startOfLocalDay(zone: string, at: number): number {
  const shown = shownTime(zone, at);
  const midnight = Math.floor(shown / day) * day;
  // Clocks are set at most once within these two days, so one of the two offsets holds at midnight.
  const candidates = [midnight - day, midnight + day]
    .map((around) => midnight - (shownTime(zone, around) - around))
    .sort((a, b) => a - b);
  const found = candidates.find((candidate) => shownTime(zone, candidate) === midnight);
  // In a gap the offset from before it leads to its end.
  return found ?? Math.max(...candidates);
}
