import { describe, expect, it } from 'vitest';
import { compareVersions, parseVersion, readRobot, versionGate } from './robot-version.ts';

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

describe('readRobot', () => {
  it.each([
    ['FarmbotOS/15.4.6 (rpi3) rpi3 (0123abc)', true, '15.4.6'],
    ['farmbotos/17.1.2-rc3', true, '17.1.2-rc3'],
    ['FARMBOTOS/1234567.1234567.1234567', true, '1234567.1234567.1'],
    ['FarmbotOS/ (rpi)', true, null],
    ['FarmbotOS/banana (rpi)', true, null],
    ['FarmbotOS', true, null],
    [undefined, true, null],
    ['', false, null],
    ['Mozilla/5.0', false, null],
  ])('%s', (agent, isRobot, sent) => expect(readRobot(agent)).toMatchObject({ isRobot, sent }));
});

it('refuses versions older than the minimum, which may change', () => {
  let minimum = '14.6.0';
  const isTooOld = versionGate(() => minimum);
  const old = readRobot('FarmbotOS/14.6.0-rc1');
  expect(isTooOld(old)).toBe(true);
  expect(isTooOld(readRobot('FarmbotOS/14.6.0'))).toBe(false);
  expect(isTooOld(readRobot('FarmbotOS/banana'))).toBe(false);
  expect(isTooOld(readRobot(undefined))).toBe(false);
  minimum = '14.0.0';
  expect(isTooOld(old)).toBe(false);
});
