import { getLanguage } from './language.ts';

let has24Hours = (): boolean => false;

/** Sets the function that returns whether times have 24 hours, whatever the language. */
export function set24Hours(read: () => boolean): void {
  has24Hours = read;
}

/** Creating one takes twenty times as long as using it, and pages write many times of few formats. */
const formats = new Map<string, Intl.DateTimeFormat>();

/** Formats an instant in a time zone. All times of day are written by this function: as in the language of the page, unless the settings of the garden ask for 24 hours. */
export function formatInstant(at: number | string, timeZone: string, options: Intl.DateTimeFormatOptions): string {
  const all = { ...options, timeZone, ...(has24Hours() && { hourCycle: 'h23' as const }) };
  const key = JSON.stringify([getLanguage(), all]);
  const format = formats.get(key) ?? new Intl.DateTimeFormat(getLanguage(), all);
  formats.set(key, format);
  return format.format(new Date(at));
}
