import { getLanguage } from './language.ts';

/** Returns a measured number with one digit after the point at most, in the language of the page. `unit`: the text after it, such as ` °C`. */
export const measured = (value: number, unit = ''): string =>
  `${new Intl.NumberFormat(getLanguage(), { maximumFractionDigits: 1 }).format(value)}${unit}`;
