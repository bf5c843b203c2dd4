import { parse } from 'node:querystring';
import { type QueryParameters, repeated } from '../engine/route.ts';

/** Matches a doubled or trailing slash, the suffix, or no leading slash. A query may match too; normalizing changes nothing then. */
const needsNormalizing = /\/\/|\/(?:[?#]|$)|\.json(?:[?#]|$)|^[^/]/;

const suffix = '.json';

/**
 * The URL as routes are declared: slashes collapsed, no trailing slash, no `.json` under `/api`. Other forms and a
 * doubled suffix stay, so no route matches them. [rule H1, decision 4]
 */
export function normalizeUrl(url: string): string {
  if (url === '/' || !needsNormalizing.test(url)) return url;
  const end = url.search(/[?#]/);
  const rest = end < 0 ? '' : url.slice(end);
  let path = (end < 0 ? url : url.slice(0, end)).replace(/^https?:\/\/[^/]*/i, '').replace(/\/{2,}/g, '/');
  if (!path.startsWith('/')) path = `/${path}`;
  if (path.length > 1 && path.endsWith('/')) path = path.slice(0, -1);
  if (path.startsWith('/api/') && path.endsWith(suffix) && !path.endsWith(suffix + suffix))
    path = path.slice(0, -suffix.length);
  return path + rest;
}

const secretPaths = /(\/(?:api\/password_resets|api\/calendar_feed|verify|password_reset|take_back|invitation)\/).+$/;
const tokenLike = /eyJ[\w-]*\.[\w.-]*/g;

/** The path of a URL for logs: no query, no secrets, at most 200 characters. */
export function loggedPath(url: string): string {
  const end = url.search(/[?#]/);
  const path = end < 0 ? url : url.slice(0, end);
  return path.replace(secretPaths, '$1…').replace(tokenLike, '…').slice(0, 200);
}

type MutableQuery = Record<string, string> & { [repeated]?: Set<string> };

const emptyQuery: QueryParameters = Object.freeze(Object.create(null) as Record<string, string>);

const maxQueryParameters = 200;

/** Parses a query without its question mark. Bracketed names stay as they are; invalid escapes are taken literally. */
export function parseQuery(text: string): QueryParameters {
  if (text === '') return emptyQuery;
  // No prototype: a parameter may have any name.
  const query = Object.create(null) as MutableQuery;
  const names = new Set<string>();
  for (const [name, value] of Object.entries(parse(text, '&', '=', { maxKeys: maxQueryParameters }))) {
    const last = Array.isArray(value) ? value.at(-1) : value;
    if (last !== undefined) query[name] = last;
    if (Array.isArray(value)) names.add(name);
  }
  if (names.size > 0) query[repeated] = names;
  return query;
}
