/** THE languages of what the server writes into gardens. */
export const languages = ['en', 'fr'] as const;
export type Language = (typeof languages)[number];

/** The language of requests that name none. */
export const defaultLanguage: Language = 'en';

/** Returns a language by its code; the default one for anything else. */
export const languageOf = (code: unknown): Language => languages.find((each) => each === code) ?? defaultLanguage;
