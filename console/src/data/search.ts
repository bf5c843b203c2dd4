/** Readers of search parameters for `validateSearch`: invalid values are omitted. */
export type Search = Readonly<Record<string, unknown>>;

/** A text of at most so many characters; the router parses one of digits alone as a number. */
export const textOf = (value: unknown, maxLength = 500): string | undefined => {
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && text !== '' ? text.slice(0, maxLength) : undefined;
};

/** A whole number, such as an id. */
export const integerOf = (value: unknown): number | undefined => {
  const number = typeof value === 'string' ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) ? number : undefined;
};

/** A day of the calendar, `2026-11-23`. */
export const dateOf = (value: unknown): string | undefined => {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\d$/.test(value)) return undefined;
  const date = new Date(value);
  return Number.isNaN(date.getTime()) || date.toISOString().slice(0, 10) !== value ? undefined : value;
};

/** A moment, as ISO 8601: `2026-11-23T08:00:00.000Z`, or its day. */
export const momentOf = (value: unknown): string | undefined =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\d/.test(value) && !Number.isNaN(Date.parse(value)) ? value : undefined;

/** One of the given words. */
export const wordOf = <const T extends string>(value: unknown, words: readonly T[]): T | undefined =>
  words.find((word) => word === value);

/** Removes undefined values, which types with optional fields do not allow. */
export const present = <T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
