import { getLanguage } from './language.ts';

let has24Hours = (): boolean => false;

/** Sets how it is found out whether times have 24 hours, whatever the language. */
export function set24Hours(read: () => boolean): void {
  has24Hours = read;
}

/** Formats an instant in a time zone. THE function that writes times of day: in the language of the page, unless the garden has 24 hours. */
export const formatInstant = (at: number | string, timeZone: string, options: Intl.DateTimeFormatOptions): string =>
  new Date(at).toLocaleString(getLanguage(), {
    ...options,
    timeZone,
    ...(has24Hours() && { hourCycle: 'h23' as const }),
  });
