/** A parsed version of the robot's operating system. */
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

/** What a User-Agent header says about a robot. */
export interface Robot {
  readonly isRobot: boolean;
  /** The version as sent, at most 17 characters; null when there is none or it cannot be parsed. [decision 27] */
  readonly sent: string | null;
  readonly version: Version | null;
}

const notRobot: Robot = { isRobot: false, sent: null, version: null };
const unknownVersion: Robot = { isRobot: true, sent: null, version: null };
const robotPattern = /farmbotos(?:\/(\S{1,64}))?/i;

/** A missing header, or a version that cannot be parsed, means a robot of unknown version, which is never too old. [rule H9] */
export function readRobot(userAgent: string | undefined): Robot {
  if (userAgent === undefined) return unknownVersion;
  const match = robotPattern.exec(userAgent);
  if (!match) return notRobot;
  const version = match[1] === undefined ? null : parseVersion(match[1]);
  return version === null || match[1] === undefined
    ? unknownVersion
    : { isRobot: true, sent: match[1].slice(0, 17), version };
}

/** Returns a function that checks whether a robot is older than the minimum, which may change at any time. [rule H8] */
export function versionGate(minimum: () => string): (robot: Robot) => boolean {
  let text = '';
  let parsed: Version | null = null;
  return ({ version }) => {
    if (version === null) return false;
    const current = minimum();
    if (current !== text) {
      text = current;
      parsed = parseVersion(current);
    }
    return parsed !== null && compareVersions(version, parsed) < 0;
  };
}
