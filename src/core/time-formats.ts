/** Matches a zone name or an offset after the time of day in formats other than ISO 8601. */
const namesZone = /\b(?:UTC?|GMT|Z|[ECMP][SD]T)\b|:\d\d\s*(?:[AP]M\s*)?[+-]\d\d:?\d\d/i;

/** Converts ISO 8601 basic format (`20261121T100000Z`) and ordinal dates (`2026-325`) to the extended format. */
function extendedForm(text: string): string {
  const compact = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d(?:\.\d+)?)?(.*)$/.exec(text);
  if (compact) {
    const [, year, month, day, hour, minute, second = '00', zone] = compact;
    return `${year}-${month}-${day}T${hour}:${minute}:${second}${zone}`;
  }
  const ordinal = /^(\d{4})-(\d{3})$/.exec(text);
  if (!ordinal || Number(ordinal[2]) < 1 || Number(ordinal[2]) > 366) return text;
  const date = new Date(Date.UTC(Number(ordinal[1]), 0, Number(ordinal[2])));
  return date.getUTCFullYear() === Number(ordinal[1]) ? date.toISOString().slice(0, 10) : text;
}

const isoTime = /^(\d{4}-\d\d?-\d\d?)(?:[T ](\d\d?:\d\d(?::\d\d(?:[.,]\d+)?)?))?\s*(Z|UTC|GMT|[+-]\d\d(?::?\d\d)?)?$/i;

/** Parses a match of {@link isoTime}. Returns ms since the epoch, NaN if there is no such time. */
function parseIsoTime([, day = '', clock = '00:00', zone = 'Z']: RegExpExecArray): number {
  const date = day.replace(/-(\d)(?=-|$)/g, '-0$1');
  // Fractions finer than milliseconds are truncated.
  const time = clock
    .replace(',', '.')
    .replace(/(\.\d{3})\d+$/, '$1')
    .replace(/^(\d):/, '0$1:');
  const offset = /^([+-]\d\d):?(\d\d)?$/.exec(zone);
  const ms = Date.parse(`${date}T${time}${offset ? `${offset[1]}:${offset[2] ?? '00'}` : 'Z'}`);
  // Date.parse accepts 31 February as a day in March.
  if (Number.isNaN(ms) || new Date(`${date}T00:00:00Z`).toISOString().slice(0, 10) !== date) return Number.NaN;
  return ms;
}

/** Parses the formats of Date.parse that name a time: digits alone are none. */
function parseOtherTime(text: string): number {
  if (!/\d/.test(text) || /^[\d.+-]*$/.test(text) || !/[A-Za-z/:]/.test(text)) return Number.NaN;
  return Date.parse(namesZone.test(text) ? text : `${text} UTC`);
}

/** Characters of a time. */
const maxLength = 100;

/** Parses the common time formats, in UTC unless there is an offset. Returns null if it is not a time in the years 1 to 9999. [rule V13] */
export function parseTime(text: string): string | null {
  if (text.length > maxLength) return null;
  const trimmed = extendedForm(text.trim());
  const iso = isoTime.exec(trimmed);
  const ms = iso ? parseIsoTime(iso) : parseOtherTime(trimmed);
  if (Number.isNaN(ms)) return null;
  const time = new Date(ms);
  return time.getUTCFullYear() >= 1 && time.getUTCFullYear() <= 9999 ? time.toISOString() : null;
}

/** The first second of the year 1 and the last of 9999, since the epoch, beyond which the databases differ. [rule D18] */
export const minEpochSeconds = -62_135_596_800;
export const maxEpochSeconds = 253_402_300_799;

const decimalNumber = /^[+-]?\d+(\.\d*)?(e[+-]?\d+)?$/i;

/** Returns the time of a robot's message in seconds since the epoch; it is sent with or without fractions, in milliseconds, or as text. Undefined: it is no time. [rule D18] */
export function epochSeconds(sent: unknown): number | undefined {
  if (typeof sent === 'string') {
    const text = sent.trim();
    if (decimalNumber.test(text)) return epochSeconds(Number(text));
    const time = parseTime(text);
    return time === null ? undefined : Math.floor(Date.parse(time) / 1000);
  }
  if (typeof sent !== 'number') return undefined;
  const seconds = Math.floor(sent > maxEpochSeconds ? sent / 1000 : sent);
  return seconds >= minEpochSeconds && seconds <= maxEpochSeconds ? seconds : undefined;
}
