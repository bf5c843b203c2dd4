import { expect, it } from 'vitest';
import { secondNewest } from './end-of-life-version.ts';

it.each([
  [['15.0.0', '15.1.0', '15.2.0'], '14.6.0', '15.1.0'],
  [['15.2.0', '15.10.0', '15.9.9'], '14.6.0', '15.9.9'],
  [['15.0.0'], '14.6.0', null],
  [[], '14.6.0', null],
  // The present one counts, and is no change.
  [['14.6.0', '15.0.0'], '14.6.0', null],
  [['14.6.0', '15.0.0', '15.0.1'], '14.6.0', '15.0.0'],
  // Older ones do not count, nor does one version twice.
  [['14.5.9', '15.0.0', '15.0.0'], '14.6.0', null],
  // Release candidates, and what is no version.
  [['15.0.0-rc1', '15.0.0-rc2', 'newest', '15.0', '15.0.0'], '14.6.0', null],
  [['15.0.0', '15.1.0'], 'unknown', null],
])('of %j the second newest from %s on is %s', (versions, present, expected) =>
  expect(secondNewest(versions, present)).toBe(expected),
);
