import { expect, it } from 'vitest';
import { scaleOf } from './chart-scale.ts';

it('ends axes of percent at 100, and lets others follow the values', () => {
  expect(scaleOf(' %')).toEqual({ range: [0, 100] });
  expect(scaleOf(' °C')).toEqual({});
});
