import type { Words } from '../core/languages.ts';

/** THE list of units of numbers: `x-unit` in the documentation, with their labels. */
export const units = {
  degrees: { en: 'degrees', fr: 'degrés' },
  mA: { en: 'mA', fr: 'mA' },
  minutes: { en: 'minutes', fr: 'minutes' },
  'ml/s': { en: 'ml per second', fr: 'ml par seconde' },
  mm: { en: 'mm', fr: 'mm' },
  seconds: { en: 'seconds', fr: 'secondes' },
  steps: { en: 'steps', fr: 'pas' },
  'steps/mm': { en: 'steps/mm', fr: 'pas/mm' },
  'steps/s': { en: 'steps/s', fr: 'pas/s' },
} as const satisfies Record<string, Words>;

export type Unit = keyof typeof units;

/** Returns the sentence with which hints name a unit. */
export const unitSentence = (unit: Unit): Words => ({ en: `In ${units[unit].en}.`, fr: `En ${units[unit].fr}.` });
