import { expect, it } from 'vitest';
import type { CalendarEvent } from './icalendar.ts';
import { calendarText, escaped, utcTime } from './icalendar.ts';

const event: CalendarEvent = {
  uid: 'farm-event-1.device-2@potager',
  summary: 'Water',
  start: Date.UTC(2026, 2, 29, 1, 5, 9, 300),
  duration: 'PT1M',
  changed: Date.UTC(2026, 0, 2),
  rule: 'FREQ=DAILY;INTERVAL=2;COUNT=3',
};

it('writes calendars line by line', () => {
  expect(calendarText('My robot', 'Europe/Berlin', [event, { ...event, rule: null }]).split('\r\n')).toEqual([
    ...['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//Potager//Calendar feed//EN', 'CALSCALE:GREGORIAN'],
    ...['METHOD:PUBLISH', 'NAME:My robot', 'X-WR-CALNAME:My robot', 'X-WR-TIMEZONE:Europe/Berlin'],
    ...['REFRESH-INTERVAL;VALUE=DURATION:PT1H', 'X-PUBLISHED-TTL:PT1H'],
    ...['BEGIN:VEVENT', 'UID:farm-event-1.device-2@potager', 'DTSTAMP:20260102T000000Z'],
    ...['LAST-MODIFIED:20260102T000000Z', 'DTSTART:20260329T010509Z', 'DURATION:PT1M'],
    ...['RRULE:FREQ=DAILY;INTERVAL=2;COUNT=3', 'SUMMARY:Water', 'TRANSP:TRANSPARENT', 'END:VEVENT'],
    ...['BEGIN:VEVENT', 'UID:farm-event-1.device-2@potager', 'DTSTAMP:20260102T000000Z'],
    ...['LAST-MODIFIED:20260102T000000Z', 'DTSTART:20260329T010509Z', 'DURATION:PT1M'],
    ...['SUMMARY:Water', 'TRANSP:TRANSPARENT', 'END:VEVENT'],
    ...['END:VCALENDAR', ''],
  ]);
});

it('folds lines of more than 75 bytes, between characters', () => {
  const text = calendarText('x', 'UTC', [{ ...event, summary: `${'a'.repeat(66)}${'ü'.repeat(50)}` }]);
  const lines = text.split('\r\n');
  const first = lines.findIndex((line) => line.startsWith('SUMMARY:'));
  expect(lines.slice(first, first + 3)).toEqual([
    `SUMMARY:${'a'.repeat(66)}`,
    ` ${'ü'.repeat(37)}`,
    ` ${'ü'.repeat(13)}`,
  ]);
  expect(Math.max(...lines.map((line) => Buffer.byteLength(line)))).toBe(75);
});

it('escapes text', () => {
  expect(escaped('a,b;c\\d\r\ne\nf\rg\th\u0000')).toBe('a\\,b\\;c\\\\d\\ne\\nf\\ng h ');
});

it('writes times in UTC', () => {
  expect(utcTime(Date.UTC(2026, 10, 21, 15, 45))).toBe('20261121T154500Z');
});
