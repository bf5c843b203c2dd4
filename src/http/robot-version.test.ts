import { describe, expect, it } from 'vitest';
import { readRobot, versionGate } from './robot-version.ts';

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
