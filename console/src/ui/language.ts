import { useSyncExternalStore } from 'react';
import { frenchSpaces } from './french-spaces.ts';
import { type Language, languages } from './languages.ts';

const key = 'language';
const isLanguage = (value: string | null | undefined): value is Language =>
  value != null && Object.hasOwn(languages, value);
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

/** Texts with the spaces of their language, by the texts as they were written. */
const spaced = new WeakMap<object, object>();

/** Returns texts, or functions that make them, with `change` made to each. */
function changed(texts: unknown, change: (text: string) => string): unknown {
  if (typeof texts === 'string') return change(texts);
  if (typeof texts === 'function') return (...values: unknown[]) => changed(texts(...values), change);
  if (Array.isArray(texts)) return texts.map((each) => changed(each, change));
  if (typeof texts !== 'object' || texts === null) return texts;
  return Object.fromEntries(Object.entries(texts).map(([name, value]) => [name, changed(value, change)]));
}

/** Returns a function for the texts of a subject in the language in use: sentences, and functions that make them. In components call {@link useLanguage} above, which the frame of all pages does. */
export const catalog =
  <T extends object>(texts: Readonly<Record<Language, T>>): (() => T) =>
  () => {
    const written = texts[current];
    if (current !== 'fr') return written;
    const known = spaced.get(written) ?? (changed(written, frenchSpaces) as T);
    spaced.set(written, known);
    return known as T;
  };
