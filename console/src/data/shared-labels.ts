import { labels } from '../../../src/core/field-labels.ts';
import type { Language } from '../../../src/core/languages.ts';
import { localTexts } from '../ui/language.ts';

const labelsIn = (language: Language) =>
  Object.fromEntries(Object.entries(labels).map(([name, words]) => [name, words[language]])) as Readonly<
    Record<keyof typeof labels, string>
  >;

/** Labels that fields of several resources have, for places that need no schema. */
export const sharedLabels = localTexts({ en: labelsIn('en'), fr: labelsIn('fr') });
