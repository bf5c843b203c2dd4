import { frenchSpaces } from '../../../src/core/french-spaces.ts';
import type { Language } from '../../../src/core/languages.ts';
import { getLanguage } from '../ui/language.ts';
import { fieldLabel } from './field-label.ts';
import { type Names, serverWords } from './server-words.ts';

/** `Water Curve ID`, as the API writes the name of a field, to its label. */
const field = (title: string): string => fieldLabel(title.toLowerCase().replaceAll(' ', '_'));

/** Translates a message of the API. [ADR 79] */
export function sentenceInWords(
  sentence: string,
  names: Omit<Names, 'field'> = {},
  language: Language = getLanguage(),
): string {
  const words = serverWords(language, sentence, { field, ...names });
  return language === 'fr' ? frenchSpaces(words) : words;
}
