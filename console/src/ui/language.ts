import { catalogIn } from '../../../src/core/catalog.ts';
import type { Language } from '../../../src/core/languages.ts';
import { initialLanguage, languageKey } from './initial-language.ts';
import { sharedWords } from './shared-words.ts';
import { Store, useStore } from './store.ts';
import { type InOneLanguage, inOneLanguage, joined, type WordPairs } from './word-pairs.ts';

const current = new Store(initialLanguage());
document.documentElement.lang = current.get();
nameKnownLanguage();

/** Replaces a language of the browser that is no language tag, as "C" on some systems: libraries format in it when they are loaded, and fail. */
function nameKnownLanguage(): void {
  try {
    Intl.getCanonicalLocales(navigator.language);
  } catch {
    Object.defineProperty(navigator, 'language', { value: current.get() });
  }
}

/** Returns the language in use: the browser's unless another was chosen. */
export const getLanguage = current.get;

/** Shows everything in another language, and remembers it in this browser. */
export function setLanguage(language: Language): void {
  localStorage.setItem(languageKey, language);
  document.documentElement.lang = language;
  current.set(language);
}

/** Returns the language in use, and renders again when it changes. */
export const useLanguage = (): Language => useStore(current);

/** Returns a function for texts in the language in use. In components call {@link useLanguage} above, which the frame of all pages does. */
export function localTexts<T extends object>(texts: Readonly<Record<Language, T>>): () => T {
  const textIn = catalogIn(texts);
  return () => textIn(getLanguage());
}

/** The texts of a subject: `words`, with both languages side by side, and in a block of each language longer sentences and functions that make them. */
interface Catalog<T, W> extends Readonly<Record<Language, T>> {
  readonly words?: W;
}

/** Returns a function for the texts of a subject in the language in use, with the words that all subjects share; see {@link localTexts}. */
export function catalog<T extends object, const W extends WordPairs>({ en, fr, words }: Catalog<T, W>) {
  type Texts = InOneLanguage<typeof sharedWords> & InOneLanguage<W> & T;
  const textsOf = (index: 0 | 1, sentences: T) =>
    joined({ ...inOneLanguage(sharedWords, index), ...inOneLanguage(words ?? {}, index) }, sentences) as Texts;
  return localTexts<Texts>({ en: textsOf(0, en), fr: textsOf(1, fr) });
}
