import { parse } from 'node:querystring';

/** Query parameters by name; the last of repeated ones counts. */
export type Query = Readonly<Record<string, string>>;

const none: Query = Object.freeze(Object.create(null) as Record<string, string>);

/** Most parameters that are read from one query. */
const most = 200;

/** Parses a query (without its question mark). Bracketed names stay as they are, wrong escapes are taken literally. */
export function parseQuery(text: string): Query {
  if (text === '') return none;
  // No prototype: a parameter may have any name.
  const query = Object.create(null) as Record<string, string>;
  for (const [name, value] of Object.entries(parse(text, '&', '=', { maxKeys: most }))) {
    const last = Array.isArray(value) ? value.at(-1) : value;
    if (last !== undefined) query[name] = last;
  }
  return query;
}
