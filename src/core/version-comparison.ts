/** A parsed version of a release. */
export interface Version {
  readonly numbers: readonly [number, number, number];
  /** Pre-release identifiers; empty for a release. */
  readonly pre: readonly string[];
}

const versionPattern = /^v?(\d{1,9})(?:\.(\d{1,9}))?(?:\.(\d{1,9}))?(?:-([0-9a-z.-]+))?(?:\+[0-9a-z.-]*)?$/i;

/** Parses `15.4.6`, `17.1.2-rc3` and the like; returns null for anything else. */
export function parseVersion(text: string): Version | null {
  const match = text.length > 64 ? null : versionPattern.exec(text);
  if (!match) return null;
  const [, major = '0', minor = '0', patch = '0', pre = ''] = match;
  return {
    numbers: [Number(major), Number(minor), Number(patch)],
    pre: pre === '' ? [] : pre.toLowerCase().split('.'),
  };
}

/** Returns a negative number when `a` is older. Segments are compared as numbers; a pre-release precedes its release. [rule H8] */
export function compareVersions(a: Version, b: Version): number {
  for (let i = 0; i < 3; i++) {
    const difference = (a.numbers[i] ?? 0) - (b.numbers[i] ?? 0);
    if (difference !== 0) return difference;
  }
  if (a.pre.length === 0 || b.pre.length === 0) return b.pre.length - a.pre.length;
  for (let i = 0; i < Math.max(a.pre.length, b.pre.length); i++) {
    const difference = compareIdentifiers(a.pre[i], b.pre[i]);
    if (difference !== 0) return difference;
  }
  return 0;
}

// Semantic Versioning: fewer identifiers first, numbers before words.
function compareIdentifiers(a: string | undefined, b: string | undefined): number {
  if (a === b) return 0;
  if (a === undefined) return -1;
  if (b === undefined) return 1;
  const numbers = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (numbers[0] && numbers[1]) return Number(a) - Number(b);
  if (numbers[0] !== numbers[1]) return numbers[0] ? -1 : 1;
  // Unlike in Semantic Versioning, `rc10` follows `rc9`.
  const [, word = a, count = ''] = /^(\D+)(\d{1,9})$/.exec(a) ?? [];
  const [, otherWord = b, otherCount = ''] = /^(\D+)(\d{1,9})$/.exec(b) ?? [];
  if (word === otherWord && count !== '' && otherCount !== '') return Number(count) - Number(otherCount);
  return a < b ? -1 : 1;
}
