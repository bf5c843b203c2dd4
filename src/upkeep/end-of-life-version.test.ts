import { expect, it } from 'vitest';
import { secondNewest } from './end-of-life-version.ts';

it.each([
  [['15.0.0', '15.1.0', '15.2.0'], '14.6.0', '15.1.0'],
  [['15.2.0', '15.10.0', '15.9.9'], '14.6.0', '15.9.9'],
  [['15.0.0'], '14.6.0', null],
  [[], '14.6.0', null],
  // The current version counts, and is not a change.
  [['14.6.0', '15.0.0'], '14.6.0', null],
  [['14.6.0', '15.0.0', '15.0.1'], '14.6.0', '15.0.0'],
  // Older versions and duplicates do not count.
  [['14.5.9', '15.0.0', '15.0.0'], '14.6.0', null],
  // Release candidates and invalid versions.
  [['15.0.0-rc1', '15.0.0-rc2', 'newest', '15.0', '15.0.0'], '14.6.0', null],
  [['15.0.0', '15.1.0'], 'unknown', null],
])('of %j, the second newest since %s is %s', (versions, current, expected) =>
  expect(secondNewest(versions, current)).toBe(expected),
);
