import { capitalized } from './capital-letters.ts';

/** Options of lines of the log for people. */
export interface TextLogOptions {
  /** Whether fields for developers and the stacks of errors are included. */
  readonly isDetailed: boolean;
  readonly hasColors: boolean;
}

/** Maximum length of one value in a line, in characters. Links are not truncated. */
const maxValueLength = 500;

/** Fields with the reason of the event, the most specific one first. */
const reasonFields = ['cause', 'reason', 'error', 'problem', 'warning'];

/** Fields of every line. */
const ownFields = ['level', 'time', 'msg', 'link'];

/** Fields for developers. */
const technicalFields = ['request', 'job', 'event', 'number', 'ms', 'signal', 'attempt'];

const colors = { error: '\u001b[31m', warning: '\u001b[33m', dim: '\u001b[2m', end: '\u001b[0m' } as const;

/** Returns text on one line, without characters that control a terminal. */
const printable = (text: string): string => text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '\ufffd');

function shownValue(value: unknown): string {
  const text = printable(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
  return text.length > maxValueLength ? `${text.slice(0, maxValueLength)}…` : text;
}

/** Returns the text of a reason: the first line of a stack without the class of a plain error, `bad_token` as "bad token". */
function reasonText(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  const [first = ''] = text.split('\n');
  const message = first.replace(/^(Error|Failure): /, '');
  return shownValue(/^[a-z]+(_[a-z]+)+$/.test(message) ? message.replaceAll('_', ' ') : message);
}

const isShown = (value: unknown): boolean => value !== undefined && value !== null && value !== '';

/** Returns the date and the time of this machine's time zone: `2026-04-01 06:30:00`. */
function localTimestamp(time: unknown): string {
  const date = new Date(String(time));
  if (Number.isNaN(date.getTime())) return '';
  const pad = (part: number) => String(part).padStart(2, '0');
  const day = [date.getFullYear(), date.getMonth() + 1, date.getDate()].map(pad).join('-');
  return `${day} ${[date.getHours(), date.getMinutes(), date.getSeconds()].map(pad).join(':')}`;
}

function levelText(level: unknown, hasColors: boolean): string {
  const number = Number(level);
  if (number < 30) return 'Debug: ';
  if (number < 40) return '';
  const [name, color] = number < 50 ? ['Warning:', colors.warning] : ['Error:', colors.error];
  return hasColors ? `${color}${name}${colors.end} ` : `${name} `;
}

const withoutPeriod = (text: string): string => text.replace(/\.$/, '');

const withPeriod = (text: string): string => (/[.!?…]$/.test(text) ? text : `${text}.`);

/** Returns the stack of an error, indented. */
function stackLines(fields: Readonly<Record<string, unknown>>): string {
  const stack = reasonFields.map((name) => fields[name]).find((value) => String(value).includes('\n    at '));
  return String(stack ?? '')
    .split('\n')
    .slice(1)
    .map((line) => `\n  ${printable(line)}`)
    .join('');
}

/** Returns a JSON line of the log as a sentence for people, with its line feed. A link follows whole on a line of its own. */
export function textLogLine(line: string, { isDetailed, hasColors }: TextLogOptions): string {
  const fields: Readonly<Record<string, unknown>> = JSON.parse(line);
  const { level, time, msg, link } = fields;
  const reasonField = reasonFields.find((name) => isShown(fields[name]));
  const hidden = new Set([...ownFields, ...(isDetailed ? [reasonField] : [...reasonFields, ...technicalFields])]);
  const facts = Object.entries(fields)
    .filter(([name, value]) => !hidden.has(name) && isShown(value))
    .map(([name, value]) => `${name.replaceAll('_', ' ')} ${shownValue(value)}`)
    .join(', ');
  const message = printable(capitalized(String(msg ?? '')));
  const sentence = reasonField
    ? `${withoutPeriod(message)}: ${withoutPeriod(reasonText(fields[reasonField]))}`
    : facts
      ? withoutPeriod(message)
      : message;
  const text = withPeriod(facts ? `${sentence} (${facts})` : sentence);
  const prefix = hasColors ? `${colors.dim}${localTimestamp(time)}${colors.end}` : localTimestamp(time);
  const stack = isDetailed ? stackLines(fields) : '';
  const linkLine = typeof link === 'string' ? `\n  ${printable(link)}` : '';
  return `${prefix}  ${levelText(level, hasColors)}${text}${linkLine}${stack}\n`;
}
