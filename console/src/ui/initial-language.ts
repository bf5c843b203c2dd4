import { type Language, languageLabels } from '../../../src/core/languages.ts';

/** The key under which the browser keeps the language that was chosen in it. */
export const languageKey = 'language';

const isLanguage = (value: string | null | undefined): value is Language =>
  value != null && Object.hasOwn(languageLabels, value);

/** Returns the language with which the page begins: the browser's unless another was chosen. */
export function initialLanguage(): Language {
  const stored = localStorage.getItem(languageKey);
  if (isLanguage(stored)) return stored;
  return navigator.languages.map((tag) => tag.slice(0, 2)).find(isLanguage) ?? 'en';
}
