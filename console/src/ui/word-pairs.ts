/** Words in both languages, by name, also in groups. */
export interface WordPairs {
  readonly [name: string]: readonly [en: string, fr: string] | WordPairs;
}

/** The same in one language. */
export type InOneLanguage<W> = {
  readonly [N in keyof W]: W[N] extends readonly [string, string] ? string : InOneLanguage<W[N]>;
};

type Group = Readonly<Record<string, unknown>>;

const isGroup = (value: unknown): value is Group =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns words in English (0) or French (1). */
export const inOneLanguage = <W extends WordPairs>(words: W, index: 0 | 1): InOneLanguage<W> =>
  Object.fromEntries(
    Object.entries(words).map(([name, value]) => [name, isGroup(value) ? inOneLanguage(value, index) : value[index]]),
  ) as InOneLanguage<W>;

/** Returns texts with others added, also to groups of the same name. */
export const joined = (texts: Group, others: object): Group => ({
  ...texts,
  ...Object.fromEntries(
    Object.entries(others).map(([name, value]) => {
      const group = texts[name];
      return [name, isGroup(group) && isGroup(value) ? joined(group, value) : value];
    }),
  ),
});
