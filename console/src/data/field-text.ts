import { catalog } from '../ui/language.ts';
import { choiceWords, fieldWords, hintWords, type Words } from './field-words.ts';

const catalogOf = (words: Words) =>
  catalog<Readonly<Record<string, string>>>({
    en: Object.fromEntries(Object.entries(words).map(([name, [en]]) => [name, en])),
    fr: Object.fromEntries(Object.entries(words).map(([name, [, fr]]) => [name, fr])),
  });

/** Labels of fields of records; those of settings are in setting-words.ts. */
export const fieldText = catalogOf(fieldWords);

/** Hints below fields. */
export const hintText = catalogOf(hintWords);

/** Returns the label or hint of a field; `list`: of the records of a list of the API, where they have one of their own. */
export const textOfField = (texts: Readonly<Record<string, string>>, name: string, list = ''): string | undefined =>
  texts[`${list} ${name}`] ?? texts[name];

const choiceText = catalogOf(choiceWords);

/** Returns the label of a choice of a field; undefined if it has none. */
export function choiceLabel(field: string, value: string | number): string | undefined {
  const text = choiceText();
  // Also a value that is no choice, such as `constructor`, which the table inherits.
  return text[`${field} ${value}`] ?? (Object.hasOwn(text, value) ? text[value] : undefined);
}
