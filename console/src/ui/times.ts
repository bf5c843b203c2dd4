import { getLanguage } from './language.ts';

/** A point in time in the language of the page and the time zone of the browser; `time` is what Date accepts. */
export const formatTime = (time: string | number, options: Intl.DateTimeFormatOptions = {}): string =>
  new Intl.DateTimeFormat(getLanguage(), { dateStyle: 'medium', timeStyle: 'short', ...options }).format(
    new Date(time),
  );
