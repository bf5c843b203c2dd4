// What the oldest browsers of console/browsers.json have, by MDN's browser-compat-data.
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import compatData from '@mdn/browser-compat-data' with { type: 'json' };

/** The oldest browsers, with their versions. */
export const minimums = Object.entries(
  JSON.parse(readFileSync(join(resolve(import.meta.dirname, '..'), 'console/browsers.json'), 'utf8')),
);

/** Whether one version is at most another. */
function isUpTo(version, limit) {
  const [parts, limits] = [version.replace('≤', ''), limit].map((each) => each.split('.').map(Number));
  const index = parts.findIndex((part, place) => part !== (limits[place] ?? 0));
  return index === -1 || parts[index] < (limits[index] ?? 0);
}

/** Whether a version has a feature without a prefix or a setting. */
const hasIt = (version) => (statement) =>
  typeof statement.version_added === 'string' &&
  statement.version_added !== 'preview' &&
  !statement.prefix &&
  !statement.alternative_name &&
  !statement.flags &&
  isUpTo(statement.version_added, version) &&
  !(typeof statement.version_removed === 'string' && isUpTo(statement.version_removed, version));

/** Returns the browsers whose oldest version lacks a feature; none if there is no feature of that name. `path`: `['api', 'AbortSignal', 'any_static']`. */
export function lackedBy(path) {
  const support = path.reduce((tree, name) => tree?.[name], compatData)?.__compat?.support;
  if (!support) return [];
  return minimums
    .filter(([browser, version]) => ![support[browser] ?? []].flat().some(hasIt(version)))
    .map(([browser]) => browser);
}

/** Returns the classes, functions and members of scripts that a browser lacks: `['AbortSignal', 'any_static']`, `['Iterator']`. */
export function newerNames() {
  const own = ([name]) => /^\w+$/.test(name) && name !== '__compat';
  const namesIn = (place) =>
    Object.entries(place.reduce((tree, name) => tree[name], compatData))
      .filter(own)
      .flatMap(([name, members]) =>
        lackedBy([...place, name]).length > 0
          ? [[name]]
          : Object.entries(members)
              .filter(own)
              .filter(([member]) => lackedBy([...place, name, member]).length > 0)
              .map(([member]) => [name, member]),
      );
  return [...namesIn(['api']), ...namesIn(['javascript', 'builtins'])];
}
