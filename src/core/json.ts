/** Returns whether a JSON value is an object: not an array, not null. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns a JSON value if it is an object, else an empty one. */
export const objectOf = (value: unknown): Record<string, unknown> => (isObject(value) ? value : {});

/** Returns a JSON value if it is an array, else an empty one. */
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
