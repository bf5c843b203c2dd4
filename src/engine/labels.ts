import { frenchSpaces } from '../core/french-spaces.ts';
import type { Words } from '../core/languages.ts';
import type { Unit } from './units.ts';
import { unitSentence, units } from './units.ts';

/** The labels of the columns that every record has. */
export const columnTitles = {
  id: { en: 'Number', fr: 'Numéro' },
  created_at: { en: 'Added', fr: 'Ajouté le' },
  updated_at: { en: 'Changed', fr: 'Modifié le' },
  device_id: { en: 'Number of the garden', fr: 'Numéro du jardin' },
} as const satisfies Record<string, Words>;

/** The argument of `.label()`: the label in both languages, or one that several resources have. */
export type Label = readonly [en: string, fr: string] | readonly [shared: Words];

/** Returns a text of both languages. */
export const words = (en: string, fr: string): Words => ({ en, fr: frenchSpaces(fr) });

/** The parts of a field of which its texts consist. */
interface Texts {
  readonly traits: { readonly label: Words | null; readonly hint: Words | null; readonly unit: Unit | null };
}

/** Returns the label of a field, with its unit unless a hint names it; null: it has no label. */
export function titleOf(field: Texts | undefined): Words | null {
  if (!field) return null;
  const { label, hint, unit } = field.traits;
  if (label === null || hint !== null || unit === null) return label;
  return { en: `${label.en} (${units[unit].en})`, fr: `${label.fr} (${units[unit].fr})` };
}

/** Returns the hint below a field, with its unit; null: nothing. */
export function hintOf({ traits: { hint, unit } }: Texts): Words | null {
  if (hint === null || unit === null) return hint;
  const sentence = unitSentence(unit);
  return { en: `${hint.en} ${sentence.en}`, fr: `${hint.fr} ${sentence.fr}` };
}
