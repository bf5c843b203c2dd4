/** A JSON value. */
export type Json = null | boolean | number | string | Json[] | JsonObject;

export interface JsonObject {
  [key: string]: Json;
}

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns the value at a dotted path (`token.encoded`, `0.id`; `$` is the root), or undefined. */
export function at(value: Json, path: string): Json | undefined {
  let here: Json | undefined = value;
  for (const key of path.split('.')) {
    if (key === '$') continue;
    if (Array.isArray(here)) here = here[Number(key)];
    else here = isObject(here) ? here[key] : undefined;
  }
  return here;
}

/** Returns the number at a dotted path. Throws if there is none. */
export function numberAt(value: Json, path: string): number {
  const found = at(value, path);
  if (typeof found !== 'number') throw new Error(`no number at ${path} in ${JSON.stringify(value)}`);
  return found;
}

/** Returns the string at a dotted path. Throws if there is none. */
export function textAt(value: Json, path: string): string {
  const found = at(value, path);
  if (typeof found !== 'string') throw new Error(`no text at ${path} in ${JSON.stringify(value)}`);
  return found;
}
