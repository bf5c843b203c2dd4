import { catalog } from '../ui/language.ts';
import { choiceWords } from './choice-words.ts';

const wordsIn = (index: 0 | 1): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(choiceWords).map(([name, words]) => [name, words[index]]));

const choiceText = catalog({ en: wordsIn(0), fr: wordsIn(1) });

/** Returns the label of a choice of a field; undefined if it has none. */
export function choiceLabel(field: string, value: string | number): string | undefined {
  const text = choiceText();
  // Also a value that is no choice, such as `constructor`, which the table inherits.
  return text[`${field} ${value}`] ?? (Object.hasOwn(text, value) ? text[value] : undefined);
}
