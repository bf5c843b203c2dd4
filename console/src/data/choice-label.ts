import { localTexts } from '../ui/language.ts';
import { inOneLanguage } from '../ui/word-pairs.ts';
import { choiceWords } from './choice-words.ts';

const choiceText = localTexts({ en: inOneLanguage(choiceWords, 0), fr: inOneLanguage(choiceWords, 1) });

/** Returns the label of a choice of a field; undefined if it has none. */
export function choiceLabel(field: string, value: string | number): string | undefined {
  const text = choiceText();
  // Also a value that is no choice, such as `constructor`, which the table inherits.
  return text[`${field} ${value}`] ?? (Object.hasOwn(text, value) ? text[value] : undefined);
}
