import { plainLetters } from './plain-letters.ts';

/** THE languages of pages, mails and the server's texts in gardens, by their codes, with their own names. */
export const languageLabels = { en: 'English', fr: 'Français' } as const;
export type Language = keyof typeof languageLabels;
export const languages = Object.keys(languageLabels) as Language[];

/** A text in every language. */
export type Words = Readonly<Record<Language, string>>;

/** Names the language of the messages in a response: the reader's. Without it they are as clients know them. [ADR 95] */
export const languageHeader = 'X-Potager-Language';

/** The names of languages in accounts, in English as clients of the original service do. */
export const accountLanguages: Readonly<Record<Language, string>> = { en: 'English', fr: 'French' };

/** The language of requests that name none. */
export const defaultLanguage: Language = 'en';

/** Returns a language by its code; null for anything else. */
export const knownLanguage = (code: unknown): Language | null => languages.find((each) => each === code) ?? null;

/** Returns a language by its code; the default one for anything else. */
export const languageOf = (code: unknown): Language => knownLanguage(code) ?? defaultLanguage;

/** Lower case without accents. */

/** Returns the language that a person wrote: a name such as `French (Canada)` or `Français`, or a tag such as `fr-CA`; null if it is unknown. */
export function namedLanguage(name: string): Language | null {
  const words = plainLetters(name).split(/[^a-z]+/);
  const isNamed = (code: Language): boolean =>
    [languageLabels[code], accountLanguages[code]].some((each) => words.includes(plainLetters(each)));
  return languages.find(isNamed) ?? knownLanguage(words[0]);
}

/** Returns the preferred language of an `Accept-Language` header; null if it contains no known one. */
export function acceptedLanguage(header: unknown): Language | null {
  if (typeof header !== 'string') return null;
  const ranges = header.split(',').flatMap((range) => {
    const [tag = '', ...parameters] = range.split(';').map((part) => part.trim());
    const weight = Number(parameters.find((each) => each.startsWith('q='))?.slice(2) ?? 1);
    const language = knownLanguage(tag.toLowerCase().split('-')[0]);
    return language !== null && weight > 0 ? [{ language, weight }] : [];
  });
  return ranges.sort((a, b) => b.weight - a.weight)[0]?.language ?? null;
}

/** Returns the language in which the server writes for a person: the account's if it is known, else the one of the page that is the cause. */
export const preferredLanguage = (account: string | null | undefined, page?: unknown): Language =>
  namedLanguage(account ?? '') ?? languageOf(page);
