import { describe, expect, it } from 'vitest';
import { compareVersions, parseVersion } from './version-comparison.ts';

describe('versions', () => {
  const ascending = [
    '9.99.99',
    '14.6.0-alpha',
    '14.6.0-rc1',
    '14.6.0-rc9',
    '14.6.0-rc10',
    '14.6.0',
    '14.6.1-rc1',
    '14.6.1',
    '15',
    '100.0.0',
  ];
  it.each(ascending.slice(1).map((newer, i) => [ascending[i] ?? '', newer] as const))('%s < %s', (older, newer) => {
    const [a, b] = [parseVersion(older), parseVersion(newer)];
    if (!a || !b) throw new Error('not a version');
    expect(compareVersions(a, b)).toBeLessThan(0);
    expect(compareVersions(b, a)).toBeGreaterThan(0);
    expect(compareVersions(a, a)).toBe(0);
  });
  it.each(['', 'x', '1.2.3.4', '1..2', '1.2.3 ', '-1', `1.2.${'3'.repeat(80)}`])('refuses %j', (text) =>
    expect(parseVersion(text)).toBeNull(),
  );
});
