// The part of RFC 5545 that the calendar feed needs.

/** Maximum length of a line in bytes, without its end. (RFC 5545, 3.1) */
const maxLineLength = 75;

/** Returns the lines of one content line, folded between characters. */
function folded(line: string): string {
  if (Buffer.byteLength(line) <= maxLineLength) return line;
  let result = '';
  let length = 0;
  for (const character of line) {
    const size = Buffer.byteLength(character);
    if (length + size > maxLineLength) {
      result += '\r\n ';
      // The space counts, too.
      length = 1;
    }
    result += character;
    length += size;
  }
  return result;
}

/** Escapes text. Control characters, which are not allowed, become spaces. */
export const escaped = (text: string): string =>
  text
    .replace(/\r\n?/g, '\n')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: it replaces these
    .replace(/[\u0000-\u0009\u000b-\u001f\u007f]/g, ' ')
    .replace(/[\\;,]/g, '\\$&')
    .replaceAll('\n', '\\n');

/** Formats a time (ms since the epoch) in UTC: `20261121T154500Z`. */
export const utcTime = (ms: number): string =>
  new Date(ms)
    .toISOString()
    .replace(/\.\d{3}/, '')
    .replaceAll(/[-:]/g, '');

/** An event of a calendar. Times in ms since the epoch. */
export interface CalendarEvent {
  readonly uid: string;
  readonly summary: string;
  readonly start: number;
  readonly duration: `PT${number}M`;
  /** When the event was last changed. */
  readonly changed: number;
  /** A rule of repetition without its name: `FREQ=DAILY;COUNT=3`. */
  readonly rule: string | null;
}

/** Returns a calendar as text. The same input gives the same text. */
export function calendarText(name: string, zone: string, events: readonly CalendarEvent[]): string {
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Potager//Calendar feed//EN',
    'CALSCALE:GREGORIAN',
    'METHOD:PUBLISH',
    `NAME:${escaped(name)}`,
    `X-WR-CALNAME:${escaped(name)}`,
    // For clients that have no time zone of their own: all times are in UTC.
    `X-WR-TIMEZONE:${escaped(zone)}`,
    'REFRESH-INTERVAL;VALUE=DURATION:PT1H',
    'X-PUBLISHED-TTL:PT1H',
    ...events.flatMap(({ uid, summary, start, duration, changed, rule }) => [
      'BEGIN:VEVENT',
      `UID:${uid}`,
      `DTSTAMP:${utcTime(changed)}`,
      `LAST-MODIFIED:${utcTime(changed)}`,
      `DTSTART:${utcTime(start)}`,
      `DURATION:${duration}`,
      ...(rule === null ? [] : [`RRULE:${rule}`]),
      `SUMMARY:${escaped(summary)}`,
      'TRANSP:TRANSPARENT',
      'END:VEVENT',
    ]),
    'END:VCALENDAR',
  ];
  return `${lines.map(folded).join('\r\n')}\r\n`;
}
