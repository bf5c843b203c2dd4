import { getLanguage } from './language.ts';

/** Returns a measured number in the language of the page. `unit`: the text after it, such as ` °C`; `digits`: those after the point at most. */
export const measured = (value: number, unit = '', digits = 1): string =>
  `${new Intl.NumberFormat(getLanguage(), { maximumFractionDigits: digits }).format(value)}${unit}`;
