/** A doubled or trailing slash, the suffix, or a target that does not begin with a slash. A query may trigger it too; then nothing changes. */
const unclean = /\/\/|\/(?:[?#]|$)|\.json(?:[?#]|$)|^[^/]/;

const suffix = '.json';

/**
 * The address that routes know: slashes collapsed, no trailing slash, no `.json` under `/api`.
 * A doubled suffix and other spellings stay, so that nothing matches them. [decision 4] [reference 1.1]
 */
export function normalizeUrl(url: string): string {
  if (url === '/' || !unclean.test(url)) return url;
  const end = url.search(/[?#]/);
  const rest = end < 0 ? '' : url.slice(end);
  let path = (end < 0 ? url : url.slice(0, end)).replace(/^https?:\/\/[^/]*/i, '').replace(/\/{2,}/g, '/');
  if (!path.startsWith('/')) path = `/${path}`;
  if (path.length > 1 && path.endsWith('/')) path = path.slice(0, -1);
  if (path.startsWith('/api/') && path.endsWith(suffix) && !path.endsWith(suffix + suffix))
    path = path.slice(0, -suffix.length);
  return path + rest;
}

const secretPaths = /(\/(?:api\/password_resets|verify|password_reset)\/).+$/;
const tokenLike = /eyJ[\w-]*\.[\w.-]*/g;

/** A path fit for logs: no query, no secrets, at most 200 characters. */
export function loggedPath(url: string): string {
  const end = url.search(/[?#]/);
  const path = end < 0 ? url : url.slice(0, end);
  return path.replace(secretPaths, '$1…').replace(tokenLike, '…').slice(0, 200);
}
