import type { Version } from '../core/version-comparison.ts';
import { compareVersions, parseVersion } from '../core/version-comparison.ts';

/** The facts about a robot in a User-Agent header. */
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
