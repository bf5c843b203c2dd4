/** THE list of languages of the console; a third one is one more key here and in each catalog. */
export const languages = { en: 'English', fr: 'Français' } as const;

export type Language = keyof typeof languages;
