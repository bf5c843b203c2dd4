const formats = new Map<string, Intl.DateTimeFormat>();

function formatFor(zone: string): Intl.DateTimeFormat {
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

/** Returns the zone's wall-clock time at `at`, as if it were UTC; in ms, cut to whole seconds. */
function wallTime(zone: string, at: number): number {
  const parts: Record<string, number> = {};
  for (const { type, value } of formatFor(zone).formatToParts(at)) parts[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

const day = 86_400_000;

/**
 * Returns the start (ms since the epoch) of the local day of `at` in a time zone: the first of two midnights, or the end of
 * a gap that skips midnight. Throws RangeError for an unknown zone.
 */
export function startOfLocalDay(zone: string, at: number): number {
  const midnight = Math.floor(wallTime(zone, at) / day) * day;
  // The offset changes at most once within these two days, so one of the two offsets applies at midnight.
  const candidates = [midnight - day, midnight + day]
    .map((around) => midnight - (wallTime(zone, around) - around))
    .sort((a, b) => a - b);
  const found = candidates.find((candidate) => wallTime(zone, candidate) === midnight);
  // In a gap, the offset before it leads to the gap's end.
  return found ?? Math.max(...candidates);
}

const twoDigits = Array.from({ length: 60 }, (_, value) => String(value).padStart(2, '0'));

/** Formats times, `2026-11-21T15:45:00.250`: several times as fast as Date for times of the same hour. */
export class TimeFormat {
  #hour = Number.NaN;
  #prefix = '';

  /** Formats a time up to the second. `time`: in ms since the epoch. */
  seconds(time: number): string {
    const hour = Math.floor(time / 3_600_000);
    if (hour !== this.#hour) {
      this.#hour = hour;
      this.#prefix = new Date(hour * 3_600_000).toISOString().slice(0, 14);
    }
    const seconds = Math.floor((time - hour * 3_600_000) / 1000);
    return `${this.#prefix}${twoDigits[Math.floor(seconds / 60)]}:${twoDigits[seconds % 60]}`;
  }

  /** Formats a time as {@link timestamp} does. */
  timestamp(time: number): string {
    const part = time - Math.floor(time / 1000) * 1000;
    return `${this.seconds(time)}.${part === 0 ? '000' : String(part).padStart(3, '0')}Z`;
  }
}

const quarter = 900_000;

function offsetText(offset: number): string {
  const minutes = Math.abs(Math.round(offset / 60_000));
  return `${offset < 0 ? '-' : '+'}${twoDigits[Math.floor(minutes / 60)]}:${twoDigits[minutes % 60]}`;
}

/** Offsets of a time zone from UTC. Asks the tz database about few times of each day, because that is slow. */
export class ZoneOffsets {
  readonly zone: string;
  /** The offset of days (of UTC) without a change; null: it changes. */
  readonly #days = new Map<number, number | null>();
  readonly #format = new TimeFormat();
  /** The last offset that was formatted, and its text. */
  #formatted = { offset: Number.NaN, text: '' };

  /** Throws RangeError for an unknown zone. */
  constructor(zone: string) {
    formatFor(zone);
    this.zone = zone;
  }

  /** Returns the offset at a time in ms; positive in the east. */
  at(time: number): number {
    const start = Math.floor(time / day) * day;
    let offset = this.#days.get(start);
    if (offset === undefined) {
      const first = this.#read(start);
      offset = first === this.#read(start + day) ? first : null;
      this.#days.set(start, offset);
    }
    // Offsets change at full quarters of an hour.
    return offset ?? this.#read(Math.floor(time / quarter) * quarter);
  }

  #read(time: number): number {
    return wallTime(this.zone, time) - time;
  }

  /** Formats a time as the zone's wall-clock time with its offset: `2026-11-21T15:45:00+01:00`. */
  format(time: number): string {
    const offset = this.at(time);
    if (offset !== this.#formatted.offset) this.#formatted = { offset, text: offsetText(offset) };
    return this.#format.seconds(time + offset) + this.#formatted.text;
  }
}
