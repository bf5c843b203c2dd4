import { useSyncExternalStore } from 'react';
import { catalogIn } from '../../../src/core/catalog.ts';
import { type Language, languageLabels } from '../../../src/core/languages.ts';

const key = 'language';
const isLanguage = (value: string | null | undefined): value is Language =>
  value != null && Object.hasOwn(languageLabels, value);
const listeners = new Set<() => void>();

function initial(): Language {
  const stored = localStorage.getItem(key);
  if (isLanguage(stored)) return stored;
  return navigator.languages.map((tag) => tag.slice(0, 2)).find(isLanguage) ?? 'en';
}

let current = initial();
document.documentElement.lang = current;

/** Returns the language in use: that of the browser unless another was chosen. */
export const getLanguage = (): Language => current;

/** Shows everything in another language, and remembers it in this browser. */
export function setLanguage(language: Language): void {
  current = language;
  localStorage.setItem(key, language);
  document.documentElement.lang = language;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Returns the language in use, and renders again when it changes. */
export const useLanguage = (): Language => useSyncExternalStore(subscribe, getLanguage);

/** Returns a function for the texts of a subject in the language in use: sentences, and functions that make them. In components call {@link useLanguage} above, which the frame of all pages does. */
export function catalog<T extends object>(texts: Readonly<Record<Language, T>>): () => T {
  const textIn = catalogIn(texts);
  return () => textIn(current);
}
