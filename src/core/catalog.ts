import { frenchSpaces } from './french-spaces.ts';
import type { Language } from './languages.ts';

/** A text in the language of its reader. */
export type LocalText = (language: Language) => string;

/** Texts with the spaces of their language, by the texts as they were written. */
const spaced = new WeakMap<object, object>();

/** Returns texts, or functions that return them, with `change` applied to each. */
function changed(texts: unknown, change: (text: string) => string): unknown {
  if (typeof texts === 'string') return change(texts);
  if (typeof texts === 'function') return (...values: unknown[]) => changed(texts(...values), change);
  if (Array.isArray(texts)) return texts.map((each) => changed(each, change));
  if (typeof texts !== 'object' || texts === null) return texts;
  return Object.fromEntries(Object.entries(texts).map(([name, value]) => [name, changed(value, change)]));
}

/** Returns a function for texts in a language: sentences, and functions that make them. A language that lacks one does not compile. */
export const catalogIn =
  <T extends object>(texts: Readonly<Record<Language, T>>): ((language: Language) => T) =>
  (language) => {
    const written = texts[language];
    if (language !== 'fr') return written;
    const known = spaced.get(written) ?? (changed(written, frenchSpaces) as T);
    spaced.set(written, known);
    return known as T;
  };
