import { expect, it } from 'vitest';
import { QuickTime } from '../../test/support/robot-harness.ts';
import { Machine } from './machine.ts';
import { filledIn, numberInText } from './templates.ts';

// Written by float_to_binary of Erlang/OTP 25 with the decimals that the robot asks for.
it.each([
  [0, '0'],
  [1, '1'],
  [1_000_000, '1000000'],
  [12.5, '12.5'],
  [0.25, '0.3'],
  [0.15, '0.2'],
  [0.05, '0.1'],
  [1.04, '1.0'],
  [12.96, '13.0'],
  [8.45, '8.4'],
  [2.35, '2.4'],
  [-50, '-50'],
  [-50.5, '-51'],
  [-50.4, '-50'],
  [-0.4, '-0'],
  [-1.5, '-2'],
])('%d is written as %s', (value, text) => {
  expect(numberInText(value)).toBe(text);
});

it('fills in positions, known pins and the time, and nothing for other names', () => {
  const clock = new QuickTime(Date.parse('2026-11-28T13:24:16.448Z'));
  const position = { x: 12.5, y: 0, z: -50.5 };
  const machine = new Machine({ position, speed: 100, tick: 100, time: clock, changed: () => undefined });
  machine.setPin('13', { mode: 0, value: 1 });
  machine.setPin('59', { mode: 1, value: 512.5 });
  machine.setPin('BoxLed3', { mode: 0, value: 1 });
  const filled = (text: string) => filledIn(text, { machine, clock });
  expect(filled('{{ x }}|{{y}}|{{  z}}')).toBe('12.5|0|-51');
  expect(filled('{{ pin13 }} {{ pin59 }} {{ pinBoxLed3 }}')).toBe('1 512.5 1');
  expect(filled('at {{ CURRENT_TIME }}')).toBe('at 2026-11-28 13:24:16.448000Z');
  expect(filled('<{{ pin14 }}{{ nothing }}{{ NULL }}{{ toString }}{{ position.x }}{{ X }}>')).toBe('<>');
  expect(filled('{ x } {{ x y }} {{}} {{ é }}')).toBe('{ x } {{ x y }} {{}} {{ é }}');
});
